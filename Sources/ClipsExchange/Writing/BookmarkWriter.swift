import ClipsCore

/// A clip as a bookmark that any browser imports, with the other values in an extra attribute.
enum BookmarkWriter {
    static func text(_ clip: Clip) -> String {
        var carried: Set<ClipAttribute> = [.starred, .unread, .archived]
        if PlainWords.isLine(clip.url) && !clip.url.contains(where: \.isWhitespace) { carried.insert(.url) }
        let hasTitle = PlainWords.isLine(clip.title)
        if hasTitle { carried.insert(.title) }
        if PlainWords.isText(clip.note) { carried.insert(.note) }
        if clip.tags.allSatisfy(PlainWords.isLine) { carried.insert(.tags) }
        if clip.isStarred { carried.remove(.starred) }
        if clip.isArchived { carried.remove(.archived) }
        let (created, updated) = (clip.created.milliseconds, clip.updated.milliseconds)
        if created > 0 && created % 1000 == 0 && created < 99_999_999_999_000 { carried.insert(.created) }
        if updated > 0 && updated % 1000 == 0 && updated < 99_999_999_999_000 { carried.insert(.updated) }
        var line = "    <DT><A HREF=\"\(attribute(clip.url))\" ADD_DATE=\"\(created / 1000)\""
        line += " LAST_MODIFIED=\"\(updated / 1000)\""
        if !clip.tags.isEmpty { line += " TAGS=\"\(attribute(Self.list(clip.tags)))\"" }
        if clip.isUnread { line += " TOREAD=\"1\"" }
        line += " DATA-CLIPS=\"\(attribute(ClipRecord(clip).remainder(carried: carried)))\">"
        line += content(hasTitle && !clip.title.isEmpty ? clip.title : clip.displayTitle) + "</A>\n"
        if !clip.note.isEmpty { line += "    <DD>\(content(clip.note))\n" }
        return line
    }

    /// Returns tags as one text. A comma after a single tag prevents splitting at spaces; one in front,
    /// reading as JSON.
    static func list(_ tags: [String]) -> String {
        let list = tags.count == 1 ? tags[0] + "," : tags.joined(separator: ",")
        return list.hasPrefix("[") ? "," + list : list
    }

    private static func attribute(_ text: String) -> String {
        escaped(text) { byte in
            switch byte {
            case UInt8(ascii: "\""): "&quot;"
            case UInt8(ascii: "\n"): "&#10;"
            case UInt8(ascii: "\r"): "&#13;"
            case UInt8(ascii: "\t"): "&#9;"
            default: nil
            }
        }
    }

    private static func content(_ text: String) -> String { escaped(text) { _ in nil } }

    private static func escaped(_ text: String, _ more: (UInt8) -> String?) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
            case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
            case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
            default:
                if let words = more(byte) {
                    bytes += Array(words.utf8)
                } else if byte >= 0x20 || byte == 0x0A || byte == 0x09 {
                    bytes.append(byte)
                }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
