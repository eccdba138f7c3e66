import SQLite

/// A writer of documents to the index, in the caller's transaction. Confined to the index.
final class DocumentWriter {
    private var known: Set<UInt64>
    private var seen: Set<UInt64> = []
    private var seenNames: Set<String> = []
    private var newWords: [UInt8] = []

    init(known: Set<UInt64> = []) { self.known = known }

    /// Looks up which words of the documents the index already has; call it before adding them.
    func learnWords(of documents: [SearchDocument], from connection: borrowing Connection) throws(SQLiteError)
    {
        var asked: [UInt64: String] = [:]
        for text in documents.lazy.flatMap({ $0.indexed.map(\.text) }) {
            Folding.fold(text).withUnsafeBufferPointer { folded in
                Tokens.forEach(folded) { token, isWord in
                    let hash = hash(token)
                    guard isWord, !known.contains(hash), asked[hash] == nil else { return }
                    asked[hash] = String(decoding: token, as: UTF8.self)
                }
            }
        }
        let row = try connection.prepare("SELECT 1 FROM words WHERE words MATCH ?1 LIMIT 1")
        for (hash, word) in asked {
            try row.bind("\"\(word)\"", at: 1)
            if try row.step() { known.insert(hash) }
            row.reset()
        }
    }

    func add(_ document: SearchDocument, as number: Int64, to connection: borrowing Connection)
        throws(SQLiteError)
    {
        try connection.run(
            "INSERT INTO document (number, object, created) VALUES (?1, ?2, ?3)", number, document.id,
            document.created)
        let row = try connection.prepare(
            "INSERT INTO words (rowid, title, tags, url, text, note, author) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
        )
        try row.bind(number, at: 1)
        for (index, indexed) in document.indexed.enumerated() {
            try row.bind(words(of: indexed.text), at: index + 2)
        }
        while try row.step() {}
        for tag in document.tags.split(separator: ",") { try addName(.tag, String(tag), to: connection) }
        try addName(.author, document.author, to: connection)
    }

    /// Removes a document; returns whether there was one. Its words remain in the index without a document.
    static func remove(_ object: Int64, from connection: borrowing Connection) throws(SQLiteError) -> Bool {
        try connection.run("DELETE FROM document WHERE object = ?1", object)
        return connection.changedRows > 0
    }

    /// Appends the new words to the vocabulary.
    func flush(to connection: borrowing Connection) throws(SQLiteError) {
        guard !newWords.isEmpty else { return }
        let last = try connection.integer("SELECT max(id) FROM vocabulary") ?? 0
        let size = try connection.integer("SELECT length(terms) FROM vocabulary WHERE id = ?1", last)
        let words = newWords
        newWords.removeAll(keepingCapacity: true)
        let isAppended = size.map { $0 + Int64(words.count) <= Vocabulary.rowSize } ?? false
        let statement = try connection.prepare(
            isAppended
                ? "UPDATE vocabulary SET terms = CAST(terms || ?2 AS BLOB) WHERE id = ?1"
                : "INSERT INTO vocabulary (id, terms) VALUES (?1, ?2)")
        try statement.bind(isAppended ? last : last + 1, at: 1)
        try statement.bind(words, at: 2)
        while try statement.step() {}
    }

    /// Returns the distinct tokens of a text, separated by spaces.
    private func words(of text: String) -> String {
        guard !text.isEmpty else { return "" }
        var words: [UInt8] = []
        seen.removeAll(keepingCapacity: true)
        Folding.fold(text).withUnsafeBufferPointer { folded in
            Tokens.forEach(folded) { token, isWord in
                let hash = hash(token)
                guard seen.insert(hash).inserted else { return }
                words.append(contentsOf: token)
                words.append(32)
                if isWord, known.insert(hash).inserted {
                    newWords.append(contentsOf: token)
                    newWords.append(10)
                }
            }
        }
        return String(decoding: words, as: UTF8.self)
    }

    private func addName(
        _ kind: SearchName, _ name: String, to connection: borrowing Connection
    ) throws(SQLiteError) {
        guard !name.isEmpty, seenNames.insert("\(kind.rawValue)\(name)").inserted else { return }
        let row = try connection.prepare(
            "INSERT OR IGNORE INTO name (kind, folded, name) VALUES (?1, ?2, ?3)")
        try row.bind(kind.rawValue, at: 1)
        try row.bind(Folding.fold(name), at: 2)
        try row.bind(name, at: 3)
        while try row.step() {}
    }
}

/// A kind of name that can be completed.
package enum SearchName: Int64, Hashable, Sendable {
    case tag = 1
    case author = 2
}
