package import ClipsCore
import PersistentStore

/// A format of exports, each of which can be imported without loss, except for UUIDs in HTML and Markdown.
package enum ExportFormat: String, CaseIterable, Sendable {
    case html
    /// An array of the objects of `clips list --json`.
    case json
    /// The lines of `clips list --json`.
    case jsonl
    case markdown
    case csv

    /// Creates the format of a name, such as the extension of a file.
    package init?(name: String) {
        let others = ["md": "markdown", "htm": "html"]
        let name = name.lowercased()
        self.init(rawValue: others[name] ?? name)
    }

    /// Creates the format that the extension of a file's name stands for.
    package init?(fileName: String) {
        guard let dot = fileName.lastIndex(of: "."), !fileName[dot...].contains("/") else { return nil }
        self.init(name: String(fileName[dot...].dropFirst()))
    }
}

/// An export of clips, one piece at a time.
package struct ClipExport: Sendable {
    package let format: ExportFormat

    package init(format: ExportFormat) { self.format = format }

    /// The text before the first clip.
    package var header: String {
        switch format {
        case .html:
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n"
                + "<META HTTP-EQUIV=\"Content-Type\" CONTENT=\"text/html; charset=UTF-8\">\n"
                + "<TITLE>Clips</TITLE>\n<H1>Clips</H1>\n<DL><p>\n"
        case .json: "["
        case .jsonl: ""
        case .markdown: OwnMarkdownLine.header + "\n\n"
        case .csv:
            (ClipAttribute.exported.map(\.rawValue) + [CSVColumns.quotes, CSVColumns.uuid])
                .joined(separator: ",") + "\r\n"
        }
    }

    package func text(_ clip: Clip) -> String {
        switch format {
        case .html: BookmarkWriter.text(clip)
        case .json: "\n" + ClipRecord(clip).json()
        case .jsonl: ClipRecord(clip).json() + "\n"
        case .markdown: MarkdownWriter.line(clip)
        case .csv: CSVWriter.record(clip)
        }
    }

    package var footer: String { format == .html ? "</DL><p>\n" : format == .json ? "\n]\n" : "" }

    /// The order of an export: an import gives IDs in the order of the file, and IDs order clips of the same
    /// time.
    package static let oldestFirst = ClipQuery(
        sort: SortKey(ClipAttribute.created.rawValue), includesArchived: true)

    /// Writes all clips of a query in its order, with one page in memory. Returns their number.
    ///
    /// - Parameter write: A closure called with each piece; throws to end the export.
    package func write(
        _ query: ClipQuery = ClipExport.oldestFirst, of store: ClipStore, to write: (String) throws -> Void
    ) async throws -> Int {
        var count = 0
        try write(header)
        try await store.forEachClip(query) { clip in
            try write((format == .json && count > 0 ? "," : "") + text(clip))
            count += 1
        }
        try write(footer)
        return count
    }
}

extension ClipAttribute {
    /// The attributes with columns before those of the quotes and the UUID; id and version belong to the store. An archived clip of a service is
    /// read, so `unread` follows.
    static let exported: [ClipAttribute] = [
        .url, .title, .text, .note, .tags, .starred, .archived, .unread, .created, .updated, .author,
    ]
}

/// Checks whether a format carries a text exactly.
enum PlainWords {
    /// Whether a text is one line without control characters, and without white space that readers drop.
    static func isLine(_ text: String) -> Bool {
        !text.isEmpty && !text.unicodeScalars.contains(where: isSpecial) && isTrimmed(text)
    }

    /// Whether a text is such lines.
    static func isText(_ text: String) -> Bool {
        !text.unicodeScalars.contains { isSpecial($0) && $0 != "\n" } && isTrimmed(text)
    }

    private static func isTrimmed(_ text: String) -> Bool {
        text.first?.isWhitespace != true && text.last?.isWhitespace != true
    }

    /// Whether a scalar is a control character, a line end, or forbidden in HTML.
    private static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value & 0xFFFE == 0xFFFE
            || (0xFDD0...0xFDEF).contains(scalar.value) || scalar == "\u{2028}" || scalar == "\u{2029}"
    }
}
