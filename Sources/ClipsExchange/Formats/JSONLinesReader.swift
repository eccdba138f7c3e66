import ClipsCore

/// One object a line, with the keys of `clips list --json`; other names that services use are understood too.
struct JSONLinesReader: FormatReader {
    private var lines: LineSource
    private var waiting: [ImportItem] = []

    init(_ source: UTF8Source) { lines = LineSource(source) }

    mutating func next() throws(ImportError) -> ImportItem? {
        if !waiting.isEmpty { return waiting.removeFirst() }
        while let line = try lines.next() {
            guard !line.isTooLong else {
                return problem("the line is longer than \(ImportLimits.megabytes(ImportLimits.piece))")
            }
            guard line.bytes.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { continue }
            return item(Array(line.bytes))
        }
        return nil
    }

    private mutating func item(_ bytes: [UInt8]) -> ImportItem {
        let parsed = JSONParser.parse(bytes)
        if let reason = parsed.problem?.reason { return problem(reason) }
        guard let object = parsed.value, case .object = object else {
            return problem("it is not a JSON object")
        }
        var draft = ClipDraft()
        if let key = ClipObject.apply(object, to: &draft) {
            return problem("'\(key)' has a value of the wrong type")
        }
        if draft.url.isEmpty && draft.text.isEmpty, let fielded = FieldedDraft(object), !fielded.draft.isEmpty
        {
            waiting = fielded.complaints.map { problem($0) }
            return .success(fielded.draft)
        }
        guard !draft.isEmpty else { return problem("it has no url, title, text or note") }
        return .success(draft)
    }

    private func problem(_ reason: String) -> ImportItem {
        .failure(ImportProblem(line: lines.number, reason))
    }
}
