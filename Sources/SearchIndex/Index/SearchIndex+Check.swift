import Glibc
package import PersistentStore
import Platform
import SQLite

/// A defect of a search index, or the reason that the check failed.
package enum SearchIndexProblem: Hashable, Sendable {
    case damaged(String)
    /// Documents that the index lacks, has without an object, or has with words other than those of the
    /// object.
    case unlikeStore(missing: Int, extra: Int, stale: Int)
    /// Another process wrote the index for the whole of the busy timeout.
    case busy(milliseconds: Int)
    /// The index cannot be opened on a disk that is mounted for reading only. Searching does without it.
    case readOnlyDisk
    case unchecked(String)

    /// Whether a rebuild of the index solves the problem.
    package var isRepairable: Bool {
        switch self {
        case .damaged, .unlikeStore: true
        case .busy, .readOnlyDisk, .unchecked: false
        }
    }
}

extension SearchIndex {
    private static let busyMilliseconds: Int64 = 5000

    /// Checks the file of the index, and its documents against the objects in the store. Reads all of both.
    ///
    /// - Returns: nil if there is no problem or nothing to check: no index, or one that the next search
    ///   creates or continues.
    package nonisolated(nonsending) func problem() async -> SearchIndexProblem? {
        guard access(path, F_OK) == 0 else { return nil }
        do {
            if let damage = try checkFile() { return .damaged(damage) }
            let differences = try await container.read { snapshot in
                try self.differences(from: snapshot)
            }
            guard let differences, differences != (0, 0, 0) else { return nil }
            return .unlikeStore(
                missing: differences.missing, extra: differences.extra, stale: differences.stale)
        } catch let error as SQLiteError {
            switch error.primary {
            case .busy, .locked: return .busy(milliseconds: Int(Self.busyMilliseconds))
            case .corrupt, .notADatabase: return .damaged(error.message)
            default: return FilePath.isOnReadOnlyDisk(path) ? .readOnlyDisk : .unchecked(error.systemReason)
            }
        } catch {
            return .unchecked("\(error)")
        }
    }

    /// Returns the commits that the index has read and that the store does not have; nil if there are none, or no index
    /// of this store.
    ///
    /// A log that was deleted, or a replacement of the store by an older file, loses commits that were reported.
    package nonisolated(nonsending) func lostCommits() async throws(StoreError) -> LostCommits? {
        guard FileStatus(path: path) != nil,
            let record = try await record(), record.cursor.storeID == container.storeID
        else { return nil }
        // Read after the cursor, so that it contains all commits that the index has read.
        return try await container.read { snapshot throws(StoreError) in
            let newest = try snapshot.newestToken()
            guard record.cursor.generation == newest.generation else { return nil }
            if record.cursor.number > newest.number {
                return LostCommits(end: newest.number, made: record.cursor.number)
            }
            return try record.isOf(snapshot) ? nil : LostCommits(end: nil, made: record.cursor.number)
        }
    }

    func record() throws(StoreError) -> IndexRecord? {
        try use(.reading) { connection, _ in try IndexRecord(connection) } ?? nil
    }

    private nonisolated func checkFile() throws -> String? {
        let connection = try connect()
        let lines = try connection.prepare("PRAGMA integrity_check(1)")
        guard try lines.step() else { return "it cannot be checked" }
        guard lines.text(0) == "ok" else { return lines.text(0) }
        lines.reset()
        // The process that began to create it was killed; the next search continues.
        guard try connection.integer("SELECT count(*) FROM sqlite_schema") != 0 else { return nil }
        guard try connection.integer("PRAGMA application_id") == IndexFile.applicationID,
            try connection.integer("PRAGMA user_version") == IndexFile.format
        else { return "it is not a search index of this version" }
        // FTS5's own check (sqlite.org/fts5.html#the_integrity_check_command). As an INSERT it takes the
        // write lock.
        try connection.execute("INSERT INTO words (words) VALUES ('integrity-check')")
        return nil
    }

    private nonisolated func connect() throws(SQLiteError) -> Connection {
        try Connection(path: path, access: .readWrite, busyTimeoutMilliseconds: Self.busyMilliseconds)
    }

    /// Compares the index with the objects that have not changed since its cursor; returns nil if the index
    /// is unfinished or does not belong to this store's history.
    private nonisolated func differences(
        from snapshot: borrowing StoreSnapshot
    ) throws -> (missing: Int, extra: Int, stale: Int)? {
        let connection = try connect()
        try connection.execute("BEGIN")
        guard try connection.integer("SELECT count(*) FROM sqlite_schema") != 0,
            let record = try IndexRecord(connection), record.phase == .ready,
            (try? snapshot.check(record.cursor)) != nil, try record.isOf(snapshot)
        else { return nil }
        let changed = Set(
            try assumeIsolated { try $0.changes(after: record.cursor, limit: .max, snapshot).objects })
        var documents = try fingerprints(connection)
        var result = (missing: 0, extra: 0, stale: 0)
        try forEachDocument(snapshot) { document in
            let known = documents.removeValue(forKey: document.id)
            guard !changed.contains(document.id) else { return }
            if let known {
                if known != DocumentFingerprint(document) { result.stale += 1 }
            } else {
                result.missing += 1
            }
        }
        result.extra = documents.keys.count { !changed.contains($0) }
        return result
    }

    private nonisolated func forEachDocument(
        _ snapshot: borrowing StoreSnapshot, _ body: (SearchDocument) -> Void
    ) throws {
        var request = FetchRequest(schema.entity, sort: schema.newestFirst, limit: 1000)
        while true {
            let (documents, areAll) = try schema.documents(request, in: snapshot)
            for document in documents { body(document) }
            guard let last = documents.last, !areAll || documents.count == 1000 else { return }
            request.after = sortPosition(of: last.position, snapshot)
        }
    }

    /// Returns the fingerprint of each document by its object, computed in one read of all words of the index
    /// (sqlite.org/fts5.html#the_fts5vocab_virtual_table_module).
    private nonisolated func fingerprints(_ connection: borrowing Connection) throws
        -> [Int64: DocumentFingerprint]
    {
        var objects: [Int64: Int64] = [:]
        var prints: [Int64: DocumentFingerprint] = [:]
        let rows = try connection.prepare("SELECT number, object, created FROM document")
        while try rows.step() {
            objects[rows.integer(0)] = rows.integer(1)
            prints[rows.integer(1)] = DocumentFingerprint(created: rows.integer(2))
        }
        try connection.execute("CREATE VIRTUAL TABLE temp.instance USING fts5vocab(main, words, instance)")
        let words = try connection.prepare("SELECT term, doc, col FROM temp.instance")
        while try words.step() {
            guard let object = objects[words.integer(1)] else { continue }
            let column = words.text(2)
            words.withBlob(0) { term in
                term.withMemoryRebound(to: UInt8.self) { prints[object]?.add($0, column) }
            }
        }
        return prints
    }

    /// Deletes the file and rebuilds it from the store.
    package nonisolated(nonsending) func rebuild(progress: (SearchIndexState) -> Void = { _ in })
        async throws
    {
        await discardFile()
        _ = try await bringUpToDate(progress: progress)
    }

    private func discardFile() {
        close()
        IndexFile.remove(path)
    }
}

/// A sum over the words of a document, independent of their order.
private struct DocumentFingerprint: Equatable {
    private let created: Int64
    private var sum: UInt64 = 0

    init(created: Int64) { self.created = created }

    init(_ document: SearchDocument) {
        created = document.created
        for (column, text) in document.indexed {
            var seen: Set<UInt64> = []
            Folding.fold(text).withUnsafeBufferPointer { folded in
                Tokens.forEach(folded) { token, _ in
                    if seen.insert(hash(token)).inserted { add(token, column) }
                }
            }
        }
    }

    /// Adds a word of a column. Each word must be added once per column.
    mutating func add(_ word: UnsafeBufferPointer<UInt8>, _ column: String) {
        var mixed = hash(word)
        for byte in column.utf8 { mixed = (mixed ^ UInt64(byte)) &* 0x100_0000_01B3 }
        sum &+= mixed ^ (mixed >> 29)
    }
}
