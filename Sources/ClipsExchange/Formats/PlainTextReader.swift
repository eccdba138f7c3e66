import ClipsCore

/// A reader of URLs, one per line with an optional title, and of other text in blocks between empty lines. In a file of
/// OneTab, in which vertical lines precede titles, such text is the name of a group or its date.
struct PlainTextReader: FormatReader {
    private var lines: LineSource
    private var block: [UInt8] = []
    var items: [ImportItem] = []

    private(set) var form = "plain text"
    private(set) var unread = UnreadFields()
    private var group: (tag: String?, created: Int64?) = (nil, nil)
    private var isInGroup = false

    /// - Parameter isOneTab: Whether the file is an export of OneTab.
    init(_ source: UTF8Source, isOneTab: Bool) {
        lines = LineSource(source)
        if isOneTab { form = "OneTab" }
    }

    private var isOneTab: Bool { form == "OneTab" }

    /// Whether all URLs of a text have a title after a vertical line, or none.
    static func isOneTab(_ text: Substring) -> Bool {
        let lines = text.split(maxSplits: 200, whereSeparator: \.isNewline).prefix(200).dropLast(
            text.utf8.count > 1 << 15 ? 1 : 0)
        let titles = lines.compactMap { address(Array($0.utf8)[...])?.title }
        return titles.contains { $0.hasPrefix("| ") } && titles.allSatisfy { $0.isEmpty || $0.hasPrefix("|") }
    }

    mutating func read() throws(ImportError) -> Bool {
        guard let line = try lines.next() else {
            closeBlock()
            return false
        }
        read(line.bytes, isTooLong: line.isTooLong)
        return true
    }

    private mutating func read(_ bytes: ArraySlice<UInt8>, isTooLong: Bool) {
        if isTooLong { fail("it is longer than \(lines.limit)", line: lines.number) }
        guard bytes.contains(where: { $0 != 0x20 && $0 != 0x09 }) else {
            if isInGroup { (group, isInGroup) = ((nil, nil), false) }
            return closeBlock()
        }
        if var draft = Self.address(bytes) {
            closeBlock()
            if isOneTab {
                if draft.title.hasPrefix("|") {
                    draft.title = draft.title.dropFirst().trimmed
                }
                draft.tags = group.tag.map { [$0] } ?? []
                draft.created = group.created
                isInGroup = true
            }
            items.append(.success(draft))
        } else if isOneTab {
            readHeading(String(decoding: bytes, as: UTF8.self).trimmed)
        } else {
            if !block.isEmpty { block.append(UInt8(ascii: "\n")) }
            block += bytes
        }
    }

    /// Reads the line before a group: its name, its date, or its number of tabs.
    private mutating func readHeading(_ line: String) {
        if isInGroup { (group, isInGroup) = ((nil, nil), false) }
        let words = line.split(separator: " ")
        let date = words.first?.lowercased() == "created" ? words.dropFirst().joined(separator: " ") : line
        if let created = Int64(date) == nil ? FileDate.milliseconds(date) : nil {
            group.created = created
        } else if date != line || line.first?.isNumber == true && line.contains(where: { "/.:".contains($0) })
        {
            unread.insert("dates of groups")
        } else if words.count == 2, Int(words[0]) != nil, words[1].lowercased().hasPrefix("tab") {
            return
        } else {
            group.tag = line
        }
    }

    private mutating func closeBlock() {
        guard !block.isEmpty else { return }
        var draft = ClipDraft()
        draft.text = String(decoding: block, as: UTF8.self)
        block = []
        items.append(.success(draft))
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
