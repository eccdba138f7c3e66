import ClipsCore

/// A reader of a Kindle's `My Clippings.txt`: the title of a book, a line about the position, and a text, up to a line
/// of equals signs. The line about the position is in the language of the device.
struct KindleReader: FormatReader {
    private var lines: LineSource
    private let maxSize: Int
    private(set) var unread = UnreadFields()
    var items: [ImportItem] = []

    let form = "Kindle highlights"
    private static let end = "=========="

    init(_ source: UTF8Source) {
        lines = LineSource(source)
        maxSize = source.limits.piece
    }

    static func understands(_ text: Substring) -> Bool {
        let lines = text.split(maxSplits: 12, whereSeparator: \.isNewline)
        return lines.count > 2 && lines[1].hasPrefix("- ") && lines.contains { $0.hasPrefix(end) }
    }

    mutating func read() throws(ImportError) -> Bool {
        var (parts, size): ([String], Int) = ([], 0)
        while let line = try lines.next() {
            let text = String(decoding: line.bytes, as: UTF8.self)
            if text.hasPrefix(Self.end) {
                add(parts)
                return true
            }
            parts.append(text)
            size += text.utf8.count + 1
            guard size <= maxSize else {
                throw .refused("A highlight has more than \(lines.limit).", "Split the file.")
            }
        }
        add(parts)
        return false
    }

    private mutating func add(_ lines: [String]) {
        guard lines.count > 2 else { return }
        var draft = ClipDraft()
        draft.title = lines[0].filter { $0 != "\u{FEFF}" }.trimmed
        draft.created = lines[1].split(separator: "|").last.flatMap { FileDate.milliseconds(String($0)) }
        draft.text = lines.dropFirst(2).joined(separator: "\n").trimmed
        unread.insert(draft.text.isEmpty ? "bookmarks" : "positions")
        if !draft.text.isEmpty { items.append(.success(draft)) }
    }
}
