import ClipsCore

/// A reader of JSON lines: one object per line, with the keys of a ``ClipRecord`` or those of services.
struct JSONLinesReader: FormatReader {
    private var lines: LineSource
    private var waiting: [ImportItem] = []
    private(set) var unread = UnreadFields()

    let form = "JSON lines"

    init(_ source: UTF8Source) { lines = LineSource(source) }

    mutating func next() throws(ImportError) -> ImportItem? {
        if !waiting.isEmpty { return waiting.removeFirst() }
        while let line = try lines.next() {
            guard !line.isTooLong else {
                return problem("the line is longer than \(lines.limit)")
            }
            guard line.bytes.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { continue }
            return item(Array(line.bytes))
        }
        return nil
    }

    private mutating func item(_ bytes: [UInt8]) -> ImportItem {
        let parsed = JSONParser.parse(bytes)
        if let reason = parsed.problem?.reason { return problem(reason) }
        guard let object = parsed.value, case .object(let members) = object else {
            return problem("it is not a JSON object")
        }
        var draft = ClipDraft()
        let isOwn = members["uuid"] != nil
        var isRecord = true
        do {
            try ClipRecord.apply(object, to: &draft)
        } catch {
            // A service may use the same key for another kind of value.
            if isOwn || ["url", "title", "text", "note"].contains(error.key) { return problem("\(error)") }
            isRecord = false
        }
        var fielded = isRecord ? FieldedDraft(draft) : FieldedDraft()
        fielded.read(members, except: isRecord ? ClipRecord.keys : [], &unread)
        guard !isOwn ? fielded.draft.hasSource : !fielded.draft.isEmpty else {
            return problem("it has no URL and no text")
        }
        waiting = fielded.complaints.map { problem($0, changed: 1) }
        return .success(fielded.draft)
    }

    private func problem(_ reason: String, changed: Int? = nil) -> ImportItem {
        .failure(ImportProblem(line: lines.number, reason, changed: changed))
    }
}
