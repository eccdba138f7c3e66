/// A reader of JSON lines: one object per line, with the keys of a ``ClipRecord`` or those of services.
struct JSONLinesReader: FormatReader {
    private var lines: LineSource
    var items: [ImportItem] = []
    private(set) var unread = UnreadFields()

    let form = "JSON lines"

    init(_ source: UTF8Source) { lines = LineSource(source) }

    mutating func read() throws(ImportError) -> Bool {
        guard let line = try lines.next() else { return false }
        if line.isTooLong {
            fail("the line is longer than \(lines.limit)", line: lines.number)
        } else if line.bytes.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) {
            add(Array(line.bytes))
        }
        return true
    }

    private mutating func add(_ bytes: [UInt8]) {
        do {
            let line = try ClipLine(bytes, number: lines.number, &unread)
            items.append(.success(line.draft))
            items += line.problems.map(ImportItem.failure)
        } catch {
            items.append(.failure(error))
        }
    }
}
