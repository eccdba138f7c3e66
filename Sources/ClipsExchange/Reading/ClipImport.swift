import ClipsCore

/// A reader of one file format.
protocol FormatReader {
    /// The name of the format, with the program that wrote the file if known.
    var form: String { get }
    /// The fields found so far that have no counterpart in a clip.
    var unread: UnreadFields { get }
    /// The items that were read since they were last taken.
    var items: [ImportItem] { get set }
    /// Reads a part of the file, which may have no item.
    ///
    /// - Returns: Whether more may follow.
    mutating func read() throws(ImportError) -> Bool
}

extension FormatReader {
    mutating func fail(_ reason: String, line: Int) { items.append(.problem(reason, line: line)) }
}

/// The clips of a file, one at a time.
package struct ClipImport {
    package let format: ImportFormat
    private let source: UTF8Source
    private var reader: any FormatReader
    private var items: [ImportItem] = []
    /// The number of items that were returned.
    private var given = 0
    private var hasMore = true
    private var isAtEnd = false
    private var ending: [ImportItem] = []
    /// The number of clips with a comma in a tag.
    private var commaCount = 0

    /// The name of the format for the user, complete after the first clip.
    package var form: String { reader.form }
    /// The encoding of a text that does not declare it.
    package var guessedEncoding: String? { source.guess }
    /// The names of the non-empty fields that are not read, complete at the end of the file.
    package var unreadFields: [String] { reader.unread.names.sorted() }

    /// - Parameters:
    ///   - format: The format of the file; nil to detect it.
    ///   - limits: Bounds on memory and time.
    /// - Throws: ``ImportError`` if the file is of a kind that is not read.
    package init(
        _ bytes: ByteSource, fileName: String, format: ImportFormat? = nil,
        limits: ImportLimits = ImportLimits()
    ) throws(ImportError) {
        var source = try UTF8Source(bytes, limits: limits)
        if source.rawBeginning.starts(with: MozillaLZ4.magic) {
            source = try UTF8Source(ByteSource(Self.decompressed(source)), limits: limits)
        }
        let isPlist = source.rawBeginning.starts(with: PlistReader.magic)
        if let reader = try Self.binaryReader(source, fileName: fileName) {
            (self.source, self.reader, self.format) = (source, reader, isPlist ? .plist : .places)
            return
        }
        if let reason = Self.foreignForm(source.rawBeginning) { throw ImportError(reason, isRefusal: true) }
        let beginning = try source.open()
        let format =
            ImportFormat.isPlist(beginning) ? .plist : format ?? .detect(beginning, fileName: fileName)
        if Self.isBinary(beginning, as: format) {
            throw .refused("This file is binary.", "Export the bookmarks as HTML, JSON, or CSV.")
        }
        if format != .xml && format != .plist && ImportFormat.isXML(beginning) {
            throw .refused(
                "This file is XML, not \(format.rawValue).", "Leave out --format, or give --format xml.")
        }
        self.source = source
        self.format = format
        reader =
            switch format {
            case .html: BookmarksReader(source)
            case .json: JSONDocumentReader(source)
            case .jsonl: JSONLinesReader(source)
            case .csv: CSVReader(source)
            case .xml: XMLReader(source)
            case .markdown: MarkdownReader(source)
            case .newsboat: NewsboatReader(source)
            case .places:
                throw .refused("This file is not an SQLite database.", "Leave out --format.")
            case .plist: try PlistReader.reader(source.readAll(), limits: limits)
            case .ris: RISReader(source)
            case .bibtex:
                BibTeX.reader(String(decoding: try source.readAll(limit: BibTeX.maxBytes), as: UTF8.self))
            case .kindle: KindleReader(source)
            case .text: PlainTextReader(source, isOneTab: PlainTextReader.isOneTab(beginning[...]))
            }
    }

    package mutating func next() throws(ImportError) -> ImportItem? {
        while !isAtEnd {
            guard let item = try readItem() else {
                isAtEnd = true
                finish()
                break
            }
            guard case .success(var draft) = item else { return item }
            if let name = draft.tooLongText {
                return .problem("a \(name) has more than \(ImportLimits.megabytes(ClipDraft.largestText))")
            }
            if Tags.hasComma(draft.tags) {
                commaCount += 1
                draft.tags = Tags(draft.tags).names
            }
            return .success(draft)
        }
        return ending.popLast()
    }

    /// Returns the next item of the format. After an error, it returns nothing more.
    private mutating func readItem() throws(ImportError) -> ImportItem? {
        while given == items.count {
            guard hasMore else { return nil }
            hasMore = false
            hasMore = try reader.read()
            (items, given) = (reader.items, 0)
            reader.items = []
        }
        given += 1
        return items[given - 1]
    }

    private mutating func finish() {
        if commaCount > 0 {
            let clips = commaCount == 1 ? "1 clip has" : "\(commaCount) clips have"
            ending.append(
                .problem("\(clips) a comma in a tag, which is saved as a space", changed: commaCount))
        }
        if let invalid = source.invalid {
            let sequences = invalid.count == 1 ? "byte sequence" : "byte sequences"
            ending.append(
                .problem(
                    "\(invalid.count) invalid \(sequences) from here on, replaced by U+FFFD",
                    line: invalid.line, changed: 0))
        }
    }

    /// Returns the reader of a known format that is not text.
    private static func binaryReader(
        _ source: UTF8Source, fileName: String
    ) throws(ImportError) -> (any FormatReader)? {
        let beginning = source.rawBeginning
        if beginning.starts(with: PlacesReader.magic) {
            return try PlacesReader.reader(source, fileName: fileName)
        }
        guard beginning.starts(with: PlistReader.magic) else { return nil }
        return try PlistReader.reader(source.readAll(isRaw: true), limits: source.limits)
    }

    private static func decompressed(_ source: UTF8Source) throws(ImportError) -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try source.nextRaw() {
            bytes += piece
            guard bytes.count <= source.limits.document else { break }
        }
        guard let contents = MozillaLZ4.decoded(bytes, limit: source.limits.document) else {
            throw .refused(
                "This compressed Firefox backup is damaged, or has more than "
                    + "\(ImportLimits.megabytes(source.limits.document)).",
                "In Firefox, Bookmarks > Manage bookmarks > Import and Backup > Export Bookmarks to HTML writes a file "
                    + "that can be read.")
        }
        return contents
    }

    /// Whether a NUL shows that the file is not text. An export of this program may have one in a cell, but
    /// not in the header.
    private static func isBinary(_ beginning: String, as format: ImportFormat) -> Bool {
        var bytes = beginning.utf8[...]
        if format == .csv { bytes = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") } }
        if format == .html { bytes = bytes.prefix(1024) }
        return bytes.contains(0)
    }

    /// Returns advice for a known format that is not read.
    private static func foreignForm(_ bytes: [UInt8]) -> String? {
        func begins(_ text: String) -> Bool { bytes.starts(with: text.utf8) }
        if begins("%PDF-") { return "This is a PDF document. Import the bookmarks that lead to it." }
        if bytes.starts(with: [0x1F, 0x8B]) || begins("PK\u{3}\u{4}")
            || bytes.starts(with: [0xFD, 0x37, 0x7A])
            || bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) || begins("BZh")
        {
            return "This file is compressed. Unpack it first."
        }
        return nil
    }
}
