import ClipsCore

/// A clip as a CSV record (RFC 4180), with its quotes as JSON in one cell, and its UUID. Cells that begin like a formula are not changed.
enum CSVWriter {
    static func record(_ clip: Clip) -> String {
        let cells = [
            clip.url, clip.title, clip.text, clip.note,
            clip.tags.isEmpty ? "" : BookmarkWriter.list(clip.tags),
            clip.isStarred ? "1" : "0", clip.isArchived ? "1" : "0", clip.isUnread ? "1" : "0",
            FileDate.text(clip.created.milliseconds),
            FileDate.text(clip.updated.milliseconds), clip.author,
            clip.quotes.isEmpty ? "" : ClipRecord.json(clip.quotes), clip.uuid,
        ]
        return cells.map(cell).joined(separator: ",") + "\r\n"
    }

    private static func cell(_ text: String) -> String {
        let special: [UInt8] = [0x22, 0x2C, 0x0A, 0x0D, 0x3B, 0x09]
        guard text.utf8.contains(where: { special.contains($0) }) else { return text }
        var bytes: [UInt8] = [0x22]
        for byte in text.utf8 { if byte == 0x22 { bytes += [0x22, 0x22] } else { bytes.append(byte) } }
        bytes.append(0x22)
        return String(decoding: bytes, as: UTF8.self)
    }
}
