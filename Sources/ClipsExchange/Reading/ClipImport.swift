import ClipsCore

/// A reader of one form of file. After an error there is nothing more.
protocol FormatReader {
    mutating func next() throws(ImportError) -> ImportItem?
}

/// The clips of a file, one after the other, as far as it is read.
package struct ClipImport {
    package let format: ImportFormat
    private let source: UTF8Source
    private var reader: any FormatReader
    private var isAtEnd = false

    /// - Parameter format: what the file is; nil to see for oneself.
    package init(_ bytes: ByteSource, fileName: String, format: ImportFormat? = nil) throws(ImportError) {
        source = try UTF8Source(bytes)
        if let reason = Self.foreignForm(source.rawBeginning) { throw ImportError(reason) }
        let beginning = try source.open()
        self.format = format ?? .detect(beginning, fileName: fileName)
        reader =
            switch self.format {
            case .html: BookmarksReader(source)
            case .json: JSONDocumentReader(source)
            case .jsonl: JSONLinesReader(source)
            case .csv: CSVReader(source)
            case .markdown: MarkdownReader(source)
            case .text: PlainTextReader(source)
            }
    }

    package mutating func next() throws(ImportError) -> ImportItem? {
        while !isAtEnd {
            guard let item = try reader.next() else {
                isAtEnd = true
                guard let invalid = source.invalid else { return nil }
                let count = invalid.count == 1 ? "1 place" : "\(invalid.count) places"
                return .failure(
                    ImportProblem(
                        line: invalid.line,
                        "\(count) from here on cannot be read as text; U+FFFD marks them"))
            }
            guard case .success(let draft) = item, let name = Self.tooLong(draft) else { return item }
            return .failure(
                ImportProblem(
                    line: 0, "a \(name) has more than \(ImportLimits.megabytes(ClipDraft.largestText))"))
        }
        return nil
    }

    private static func tooLong(_ draft: ClipDraft) -> String? {
        [("url", draft.url), ("title", draft.title), ("text", draft.text), ("note", draft.note)]
            .first { $0.1.utf8.count > ClipDraft.largestText }?.0
    }

    /// Files that are known and not read here, and what to do with them.
    private static func foreignForm(_ bytes: [UInt8]) -> String? {
        func begins(_ text: String) -> Bool { bytes.starts(with: text.utf8) }
        if begins("mozLz40\0") {
            return
                "This is a compressed Firefox backup. In Firefox, Bookmarks > Manage bookmarks > Import and "
                + "Backup > Backup… (or Export Bookmarks to HTML…) writes a file that can be read."
        }
        if begins("SQLite format 3\0") {
            return "This is an SQLite database. Export the bookmarks from the browser, as HTML."
        }
        if begins("bplist00") {
            return "This is a binary property list. In Safari, File > Export > Bookmarks… writes HTML."
        }
        if bytes.starts(with: [0x1F, 0x8B]) || begins("PK\u{3}\u{4}")
            || bytes.starts(with: [0xFD, 0x37, 0x7A])
            || bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) || begins("BZh")
        {
            return "This file is compressed. Unpack it first."
        }
        return nil
    }
}
