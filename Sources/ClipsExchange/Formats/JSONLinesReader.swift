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
                return .failure(
                    ImportProblem(line: lines.number, "the line is longer than \(lines.limit)"))
            }
            guard line.bytes.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { continue }
            return item(Array(line.bytes))
        }
        return nil
    }

    private mutating func item(_ bytes: [UInt8]) -> ImportItem {
        do {
            let line = try ClipLine(bytes, number: lines.number, &unread)
            waiting = line.problems.map(ImportItem.failure)
            return .success(line.draft)
        } catch {
            return .failure(error)
        }
    }
}
