import ClipsCore

/// A reader of URLs, one per line with an optional title, and of other text in blocks between empty lines.
struct PlainTextReader: FormatReader {
    private var lines: LineSource
    private var block: [UInt8] = []
    private var waiting: [ImportItem] = []

    let form = "plain text"
    let unread = UnreadFields()

    init(_ source: UTF8Source) { lines = LineSource(source) }

    mutating func next() throws(ImportError) -> ImportItem? {
        while waiting.isEmpty, let line = try lines.next() { read(line.bytes, isTooLong: line.isTooLong) }
        if waiting.isEmpty { closeBlock() }
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }

    private mutating func read(_ bytes: ArraySlice<UInt8>, isTooLong: Bool) {
        if isTooLong {
            waiting.append(.failure(ImportProblem(line: lines.number, "it is longer than \(lines.limit)")))
        }
        guard bytes.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { return closeBlock() }
        if let draft = Self.address(bytes) {
            closeBlock()
            waiting.append(.success(draft))
        } else {
            if !block.isEmpty { block.append(UInt8(ascii: "\n")) }
            block += bytes
        }
    }

    private mutating func closeBlock() {
        guard !block.isEmpty else { return }
        var draft = ClipDraft()
        draft.text = String(decoding: block, as: UTF8.self)
        block = []
        waiting.append(.success(draft))
    }

    private static func address(_ bytes: ArraySlice<UInt8>) -> ClipDraft? {
        guard bytes.count < 1 << 20 else { return nil }
        let line = String(decoding: bytes, as: UTF8.self)
        let words = line.split(maxSplits: 1) { $0.isWhitespace }
        guard let first = words.first, CSVColumns.isAddress(String(first)) || first.hasPrefix("mailto:")
        else {
            return nil
        }
        var draft = ClipDraft()
        draft.url = String(first)
        if words.count > 1 { draft.title = String(words[1]) }
        return draft
    }
}
