import ClipsCore

/// A reader of one JSON document: a browser's tree of bookmarks, or a service's list, of which one element at a
/// time is in memory.
struct JSONDocumentReader: FormatReader {
    private var pieces: JSONPieces
    private var records = JSONRecords()
    private var given = 0
    private var isAtEnd = false

    var form: String { records.form }
    var unread: UnreadFields { records.unread }

    init(_ source: UTF8Source) { pieces = JSONPieces(source) }

    mutating func next() throws(ImportError) -> ImportItem? {
        while given == records.items.count {
            records.items.removeAll(keepingCapacity: true)
            given = 0
            guard !isAtEnd else { return nil }
            if let piece = try pieces.next() {
                try records.add(piece)
            } else {
                isAtEnd = true
                try finish()
            }
        }
        given += 1
        return records.items[given - 1]
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
