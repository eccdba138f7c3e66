import HistoryTracking
import PersistentStore
import SQLite

/// The result of one step of updating the index.
enum IndexStep {
    case done
    case more(SearchIndexState)
    /// The index contains commits that are newer than the snapshot.
    case ahead
    /// Another process is writing the index, or it cannot be written.
    case notNow
}

extension SearchIndex {
    private static let buildingStep = 5000
    private static let catchingUpStep = 2000
    /// With more changes than this and more than half of the indexed objects, a rebuild costs less.
    private static let maxChanges = 50_000

    /// Updates the index toward a snapshot, by one bounded step.
    ///
    /// - Parameter mayBuild: Whether the step may start or continue a backfill.
    nonisolated func advance(
        in snapshot: borrowing StoreSnapshot, mayBuild: Bool, isAheadOfAll: Bool = false
    ) throws(StoreError) -> IndexStep {
        try assumeIsolated { index in
            Result { () throws(StoreError) in
                try index.step(snapshot, mayBuild: mayBuild, isAheadOfAll: isAheadOfAll)
            }
        }.get()
    }

    private func step(
        _ snapshot: borrowing StoreSnapshot, mayBuild: Bool, isAheadOfAll: Bool
    ) throws(StoreError) -> IndexStep {
        let newest = try snapshot.newestToken()
        // Checked without the write lock first: usually the index is current.
        let isCurrent = try use(.reading) { connection, _ in
            guard let record = try IndexRecord(connection) else { return false }
            return try record.phase == .ready && record.cursor == newest && record.isOf(snapshot)
        }
        if isCurrent == true { return .done }
        return try use(.writing) { connection, vocabulary in
            var record = try IndexRecord(connection)
            if let known = record {
                do {
                    try snapshot.check(known.cursor)
                    if try !known.isOf(snapshot) { record = nil }
                } catch StoreError.tokenFromFuture where !isAheadOfAll {
                    return .ahead
                } catch is StoreError {
                    record = nil
                }
            }
            if mayBuild, let known = record, known.phase == .ready, try isTooFarBehind(known, snapshot) {
                record = nil
            }
            guard mayBuild || record?.phase == .ready else {
                return .more(record?.state ?? .building(done: 0, total: 0))
            }
            if record == nil {
                // Otherwise the backfill would restart indefinitely. Only a malicious or damaged store has a
                // history that is purged beyond its end.
                guard (try? snapshot.check(newest)) != nil else {
                    throw StoreError.damaged(
                        path: container.path, reason: "its history is purged beyond its end")
                }
                try begin(connection, snapshot)
            }
            guard var record = try record ?? IndexRecord(connection) else { return .notNow }
            switch record.phase {
            case .building: try build(&record, connection, snapshot)
            case .gathering, .merging: try merge(&record, connection)
            case .trimming: try trim(&record, connection)
            case .ready: try catchUp(&record, connection, snapshot)
            }
            try record.write(connection)
            return record.phase == .ready && record.cursor == newest ? .done : .more(record.state)
        } ?? .notNow
    }

    private func isTooFarBehind(
        _ record: IndexRecord, _ snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> Bool {
        let limit = max(Self.maxChanges, Int(record.built / 2))
        if record.dead > max(10_000, record.built / 3) { return true }
        return try snapshot.hasMoreChanges(after: record.cursor, than: limit)
    }

    /// Empties the index for a backfill. Later commits are read from the history after the backfill.
    private func begin(_ connection: borrowing Connection, _ snapshot: borrowing StoreSnapshot) throws {
        try IndexFile.makeContents(connection)
        let total = try snapshot.count(FetchRequest(schema.entity))
        try IndexRecord(snapshot, total: total).write(connection)
        builder = DocumentWriter()
    }

    /// Indexes the newest objects that the backfill has not reached.
    private func build(
        _ record: inout IndexRecord, _ connection: borrowing Connection, _ snapshot: borrowing StoreSnapshot
    ) throws {
        var request = FetchRequest(schema.entity, sort: schema.newestFirst, limit: Self.buildingStep)
        request.after = record.builtPosition.map { sortPosition(of: $0, snapshot) }
        let (documents, areAll) = try schema.documents(request, in: snapshot)
        let writer = try builder ?? DocumentWriter(known: knownWords(record, connection))
        builder = writer
        let lowest = try connection.integer("SELECT min(number) FROM document") ?? IndexFile.middleNumber
        guard lowest > documents.count else {
            throw SQLiteError(
                code: SQLiteError.Primary.corrupt.rawValue, message: "the index has no numbers left")
        }
        let first = lowest - Int64(documents.count)
        record.dead += try writer.add(documents.reversed(), from: first, to: connection)
        try writer.flush(to: connection)
        record.built += Int64(documents.count)
        record.builtPosition = documents.last?.position ?? record.builtPosition
        if areAll && documents.count < Self.buildingStep {
            builder = nil
            record.phase = .gathering
            try IndexFile.endBulkWriting(connection)
        }
    }

    /// Returns the words in the index. Another process, or an earlier run, may have begun the backfill.
    private func knownWords(
        _ record: IndexRecord, _ connection: borrowing Connection
    ) throws -> TokenSet {
        var vocabulary = Vocabulary()
        try vocabulary.refresh(edition: record.edition, from: connection)
        return vocabulary.hashes()
    }

    /// Merges segments of the index, so that a lookup reads one segment (sqlite.org/fts5.html 6.8).
    private func merge(_ record: inout IndexRecord, _ connection: borrowing Connection) throws {
        let before = try connection.integer("SELECT total_changes()") ?? 0
        // A negative number, once, also merges segments that are otherwise too few to merge.
        try connection.run(
            "INSERT INTO words (words, rank) VALUES ('merge', ?1)", record.phase == .gathering ? -4000 : 4000)
        let after = try connection.integer("SELECT total_changes()") ?? 0
        record.phase = after - before < 2 ? .trimming : .merging
    }

    /// Releases the pages that the segments used before the merge.
    private func trim(_ record: inout IndexRecord, _ connection: borrowing Connection) throws {
        try connection.execute("PRAGMA incremental_vacuum(4000)")
        if try connection.integer("PRAGMA freelist_count") ?? 0 == 0 { record.phase = .ready }
    }

    private func catchUp(
        _ record: inout IndexRecord, _ connection: borrowing Connection, _ snapshot: borrowing StoreSnapshot
    ) throws {
        let changes = try changes(after: record.cursor, limit: Self.catchingUpStep, snapshot)
        // A long transaction is one step of any size, but its documents are loaded in parts.
        for first in stride(from: 0, to: changes.objects.count, by: Self.catchingUpStep) {
            let end = min(changes.objects.count, first + Self.catchingUpStep)
            var left = Array(changes.objects[first..<end])
            while !left.isEmpty {
                let (documents, objects) = try schema.documents(ofNext: &left, in: snapshot)
                try reindex(objects, documents, &record, connection)
            }
        }
        try record.advance(to: changes.upTo, in: snapshot)
    }

    private func reindex(
        _ objects: [Int64], _ documents: [SearchDocument], _ record: inout IndexRecord,
        _ connection: borrowing Connection
    ) throws {
        let documents = documents.sorted { $0.position < $1.position }
        let writer = DocumentWriter()
        try writer.learnWords(of: documents, from: connection)
        for object in objects where try DocumentWriter.remove(object, from: connection) {
            record.dead += 1
        }
        let newest = try newestPosition(connection)
        // In ascending order of the numbers; otherwise FTS5 writes a segment for each.
        let late = documents.filter { $0.position < newest }
        for (documents, isLate) in [(documents.dropFirst(late.count), false), (late[...], true)] {
            let first = record.useNumbers(documents.count, areLate: isLate)
            _ = try writer.add(documents, from: first, to: connection)
        }
        try writer.flush(to: connection)
    }

    /// Returns the position of the newest document that is not late.
    private func newestPosition(_ connection: borrowing Connection) throws -> SearchPosition {
        let row = try connection.prepare(
            "SELECT created, object FROM document WHERE number < ?1 ORDER BY number DESC LIMIT 1",
            [IndexFile.firstLateNumber])
        guard try row.step() else { return SearchPosition(created: .min, id: .min) }
        return SearchPosition(created: row.integer(0), id: row.integer(1))
    }

    /// Returns the objects whose indexed attributes changed after a cursor, each once, and the end of the
    /// range read.
    func changes(
        after cursor: HistoryToken, limit: Int, _ snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> (objects: [Int64], upTo: HistoryToken) {
        var objects: [Int64] = []
        var known: Set<Int64> = []
        var follower = HistoryFollower(after: cursor, limit: .split(Self.catchingUpStep))
        // A cursor can be stored only between transactions.
        while follower.isInsideTransaction || objects.count < limit,
            let step = try follower.next(in: snapshot)
        {
            let changes = try step.transactions(in: snapshot).flatMap(\.changes)
            for change in changes where isIndexed(change) {
                if known.insert(change.objectID.key).inserted { objects.append(change.objectID.key) }
            }
            if let attached = schema.attached {
                let ofAttached = changes.filter { $0.objectID.entity == attached.entity }
                for owner in try attached.owners(of: ofAttached, schema.entity, in: snapshot)
                where known.insert(owner).inserted { objects.append(owner) }
            }
        }
        return (objects, follower.token)
    }

    private func isIndexed(_ change: HistoryChange) -> Bool {
        change.objectID.entity == schema.entity
            && (change.kind != .update
                || !schema.indexedAttributes.isDisjoint(with: change.updatedAttributes))
    }

    nonisolated func sortPosition(
        of position: SearchPosition, _ snapshot: borrowing StoreSnapshot
    ) -> SortPosition {
        snapshot.position(
            of: ObjectID(entity: schema.entity, key: position.id),
            [schema.created: .integer(position.created)], in: schema.newestFirst)
    }
}

extension IndexRecord {
    var state: SearchIndexState {
        switch phase {
        case .building: .building(done: Int(built), total: max(Int(total), Int(built)))
        case .gathering, .merging, .trimming: .finishing
        case .ready: .ready
        }
    }
}
