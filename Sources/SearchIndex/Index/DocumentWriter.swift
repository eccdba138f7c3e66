import SQLite

/// A writer of documents to the index, in the caller's transaction. Confined to the index.
final class DocumentWriter {
    private var words: WordCollector

    init(known: TokenSet = TokenSet()) { words = WordCollector(known: known) }

    /// Looks up which words of the documents the index already has; call it before adding them.
    func learnWords(of documents: [SearchDocument], from connection: borrowing Connection) throws(SQLiteError)
    {
        let row = try connection.prepare("SELECT 1 FROM words WHERE words MATCH ?1 LIMIT 1")
        for (hash, word) in words.unknown(in: documents.lazy.flatMap { $0.indexed.map(\.text) }) {
            try row.bind("\"\(word)\"", at: 1)
            if try row.step() { words.learn(hash) }
            row.reset()
        }
    }

    /// Adds documents with consecutive numbers.
    ///
    /// - Returns: the number of earlier documents of the same objects, which were removed.
    func add(
        _ documents: some Sequence<SearchDocument>, from first: Int64, to connection: borrowing Connection
    ) throws(SQLiteError) -> Int64 {
        let document = try connection.prepare(
            "INSERT OR IGNORE INTO document (number, object, created) VALUES (?1, ?2, ?3)")
        let row = try connection.prepare(
            "INSERT INTO words (rowid, title, tags, url, text, note, author) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
        )
        var (number, removed) = (first, Int64(0))
        for added in documents {
            document.reset()
            try document.bind(number, at: 1)
            try document.bind(added.id, at: 2)
            try document.bind(added.created, at: 3)
            while try document.step() {}
            if connection.changedRows == 0 {
                // Seldom: the object was indexed before it moved to an older position.
                if try Self.remove(added.id, from: connection) { removed += 1 }
                try connection.run(
                    "INSERT INTO document (number, object, created) VALUES (?1, ?2, ?3)", number, added.id,
                    added.created)
            }
            row.reset()
            try row.bind(number, at: 1)
            for (index, indexed) in added.indexed.enumerated() {
                words.collect(indexed.text)
                try row.bind(utf8: words.distinct, at: index + 2)
            }
            while try row.step() {}
            number += 1
        }
        return removed
    }

    /// Removes a document; returns whether there was one. Its words remain in the index without a document.
    static func remove(_ object: Int64, from connection: borrowing Connection) throws(SQLiteError) -> Bool {
        try connection.run("DELETE FROM document WHERE object = ?1", object)
        return connection.changedRows > 0
    }

    /// Appends the new words to the vocabulary.
    func flush(to connection: borrowing Connection) throws(SQLiteError) {
        let new = words.removeNew()
        guard !new.isEmpty else { return }
        let last = try connection.integer("SELECT max(id) FROM vocabulary") ?? 0
        let size = try connection.integer("SELECT length(terms) FROM vocabulary WHERE id = ?1", last)
        let isAppended = size.map { $0 + Int64(new.count) <= Vocabulary.rowSize } ?? false
        let statement = try connection.prepare(
            isAppended
                ? "UPDATE vocabulary SET terms = CAST(terms || ?2 AS BLOB) WHERE id = ?1"
                : "INSERT INTO vocabulary (id, terms) VALUES (?1, ?2)")
        try statement.bind(isAppended ? last : last + 1, at: 1)
        try statement.bind(new, at: 2)
        while try statement.step() {}
    }
}

/// The distinct tokens of texts, and the words among them that the index does not have yet.
private struct WordCollector {
    private var known: TokenSet
    private var seen = TokenSet()
    private var new: [UInt8] = []
    /// The distinct tokens of the last text, separated by spaces.
    private(set) var distinct: [UInt8] = []

    init(known: TokenSet) { self.known = known }

    mutating func collect(_ text: String) {
        distinct.removeAll(keepingCapacity: true)
        guard !text.isEmpty else { return }
        seen.removeAll()
        Folding.fold(text).withUnsafeBufferPointer { folded in
            Tokens.forEach(folded) { token, isWord in
                let hash = hash(token)
                guard seen.insert(hash) else { return }
                distinct.append(contentsOf: token)
                distinct.append(32)
                if isWord, known.insert(hash) {
                    new.append(contentsOf: token)
                    new.append(10)
                }
            }
        }
    }

    mutating func learn(_ hash: UInt64) { known.insert(hash) }

    /// Returns the new words, each followed by a line end, and discards them.
    mutating func removeNew() -> [UInt8] {
        defer { new.removeAll() }
        return new
    }

    /// Returns the words that are not known, by hash.
    func unknown(in texts: some Sequence<String>) -> [UInt64: String] {
        var words: [UInt64: String] = [:]
        for text in texts {
            Folding.fold(text).withUnsafeBufferPointer { folded in
                Tokens.forEach(folded) { token, isWord in
                    let hash = hash(token)
                    guard isWord, !known.contains(hash), words[hash] == nil else { return }
                    words[hash] = String(decoding: token, as: UTF8.self)
                }
            }
        }
        return words
    }
}
