import ClipsCore

/// A reader of one JSON document: a browser's tree of bookmarks, or a service's list, of which one element at a
/// time is in memory.
struct JSONDocumentReader: FormatReader {
    private var pieces: JSONPieces
    private var records = JSONRecords()

    var form: String { records.form }
    var unread: UnreadFields { records.unread }
    var items: [ImportItem] {
        get { records.items }
        set { records.items = newValue }
    }

    init(_ source: UTF8Source) { pieces = JSONPieces(source) }

    mutating func read() throws(ImportError) -> Bool {
        guard let piece = try pieces.next() else {
            try finish()
            return false
        }
        try records.add(piece)
        return true
    }

    private mutating func finish() throws(ImportError) {
        records.finish()
        if let problem = pieces.problem {
            guard records.hasClips else {
                throw .refused(
                    "The file is not JSON that can be read (line \(problem.line): \(problem.reason)).",
                    "Export it again.")
            }
            records.items.append(.failure(problem))
        } else if !records.hasClips && !records.isKnown {
            throw JSONRecords.unknown
        }
    }
}
