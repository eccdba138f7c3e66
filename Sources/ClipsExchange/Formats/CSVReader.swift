import ClipsCore

/// The columns of a table.
struct CSVColumns {
    private let fields: [ClipField?]
    private let names: [String]
    /// Whether spaces separate tags, as in Diigo's exports.
    private var hasSpacedTags = false
    /// Whether texts are parts of pages, and dates begin with the day, as in wallabag's exports.
    private var isWallabag = false
    /// Whether the table is an export of this program, in which a title alone is a clip.
    let isOwn: Bool
    let form: String
    /// The column of this program's export with JSON.
    static let quotes = "quotes"
    /// The column of this program's export with the identity of a clip.
    static let uuid = "uuid"
    /// The columns that identify this program's export. Elsewhere, an author is that of the page.
    private static let own: Set<ClipField> = [.url, .title, .text, .note, .tags, .starred, .unread, .updated]

    init(header: [String]) {
        let lower = Set(header.map { $0.lowercased() })
        var fields = header.map { ClipField(name: $0, besides: lower.contains) }
        isOwn = Self.own.isSubset(of: fields.compactMap(\.self))
        if isOwn {
            fields = zip(header, fields).map { name, field in
                switch name {
                case Self.quotes: .quotes
                case Self.uuid: .uuid
                default: field == .byline ? .author : field
                }
            }
        }
        self.fields = fields
        names = header
        form = isOwn ? "CSV of this program" : ImportForm.name(.csv, of: lower) ?? "CSV"
        hasSpacedTags = form == "Diigo CSV"
        isWallabag = form == "wallabag CSV"
    }

    /// Creates the columns of a table without names: the first URL, then a title and a note.
    init(firstRow cells: [String]) {
        let address = cells.firstIndex(where: Self.isAddress)
        var rest: [ClipField] = [.note, .title]
        fields = cells.indices.map { $0 == address ? .url : rest.popLast() }
        names = cells.indices.map { "column \($0 + 1)" }
        isOwn = false
        form = "CSV without column names"
    }

    func draft(_ cells: [String], _ unread: inout UnreadFields) -> FieldedDraft {
        var draft = FieldedDraft()
        let address = fields.firstIndex(of: .url).map { $0 < cells.count ? cells[$0] : "" } ?? ""
        // Diigo's word for no tag.
        for (index, cell) in cells.enumerated() where !cell.isEmpty && !(hasSpacedTags && cell == "no_tag") {
            if isOwn, index < fields.count, fields[index] == .quotes {
                draft.addQuotes(json: cell)
            } else if index < fields.count, let field = fields[index] {
                let word = isWallabag ? Self.wallabag(cell, field, at: address) : nil
                draft.set(field, word ?? cell, spacedTags: hasSpacedTags)
            } else {
                unread.insert(index < names.count ? names[index] : "column \(index + 1)")
            }
        }
        if isOwn {
            draft.restoreEmpty(
                author: fields.firstIndex(of: .author).map { $0 < cells.count ? cells[$0] : "" })
        } else {
            draft.checkURL()
        }
        return draft
    }

    private static func wallabag(_ cell: String, _ field: ClipField, at address: String) -> String? {
        switch field {
        case .text: WebPage.text(ofMarkup: cell, at: address)
        // Its hours are those of a clock with 12 of them, so that a time can be half a day early.
        case .created: cell.wholeMatch(of: /(..)\/(..)\/(....)(.*)/).map { "\($0.3)-\($0.2)-\($0.1)\($0.4)" }
        default: nil
        }
    }

    var areKnown: Bool {
        fields.contains { [.url, .title, .text, .note].contains($0) }
    }

    static func isAddress(_ cell: String) -> Bool {
        let scheme = cell.prefix { $0 != ":" }
        return cell.contains("://") && !scheme.isEmpty
            && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    static func separator(of line: String) -> UInt8 {
        let counts = [",", "\t", ";"].map { mark in (mark, line.count { String($0) == mark }) }
        return counts.max { $0.1 < $1.1 }?.0.utf8.first ?? UInt8(ascii: ",")
    }

    static func understands(header line: String) -> Bool {
        let separator = Character(Unicode.Scalar(separator(of: line)))
        let names = line.split(separator: separator).map { String($0.filter { $0 != "\"" }) }
        let fields = Set(names.compactMap(ClipField.init(name:)))
        return names.count > 1 && fields.count > 1 && (fields.contains(.url) || fields.contains(.title))
    }
}

/// A reader of tables with a header: of this program, Pocket, Raindrop, Instapaper, and others.
struct CSVReader: FormatReader {
    private var records: CSVRecords
    private var columns: CSVColumns?
    var items: [ImportItem] = []
    private(set) var unread = UnreadFields()

    var form: String { columns?.form ?? "CSV" }

    init(_ source: UTF8Source) { records = CSVRecords(source) }

    mutating func read() throws(ImportError) -> Bool {
        if columns == nil { records.separator = CSVColumns.separator(of: try records.firstLine()) }
        guard let record = try records.next() else { return false }
        if record.isOpen {
            fail("a quote is opened and never closed", line: record.line)
        } else if let columns {
            if !record.cells.allSatisfy(\.isEmpty) { add(record, columns) }
        } else {
            try open(record)
        }
        return true
    }

    /// Reads the header, or the first clip if there is none.
    private mutating func open(_ record: CSVRecords.Record) throws(ImportError) {
        if record.cells.contains(where: CSVColumns.isAddress) {
            let columns = CSVColumns(firstRow: record.cells)
            self.columns = columns
            return add(record, columns)
        }
        let columns = CSVColumns(header: record.cells)
        guard columns.areKnown else {
            throw ImportError(
                "The table's first line has no column named url, title, text, or note. Name the columns there.",
                isRefusal: true)
        }
        self.columns = columns
    }

    private mutating func add(_ record: CSVRecords.Record, _ columns: CSVColumns) {
        let fielded = columns.draft(record.cells, &unread)
        guard columns.isOwn ? !fielded.draft.isEmpty : fielded.draft.hasSource else {
            return fail("it has no URL and no text", line: record.line)
        }
        items.append(.success(fielded.draft))
        items += fielded.problems(line: record.line)
    }
}
