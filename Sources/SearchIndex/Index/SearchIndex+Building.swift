import HistoryTracking
import PersistentStore
import SQLite

/// What one step of bringing the index up to date came to.
enum IndexStep {
    case done
    case more(SearchIndexState)
    /// The index knows of commits that the snapshot is too old for.
    case ahead
    /// Somebody else is writing, or nobody can.
    case notNow
}

extension SearchIndex {
    private static let buildingStep = 5000
    private static let catchingUpStep = 2000
    /// With more changes than this, and than half of what is indexed, building anew costs less.
    private static let mostChanges = 50_000

    /// Brings the index up to a snapshot, by one bounded step.
    ///
    /// - Parameter mayBuild: false to leave a building to whoever has the time.
    nonisolated func advance(in snapshot: StoreSnapshot, mayBuild: Bool, isAheadOfAll: Bool = false) throws
        -> IndexStep
    {
        try assumeIsolated { index in
            try index.step(snapshot, mayBuild: mayBuild, isAheadOfAll: isAheadOfAll)
        }
    }

    private func step(_ snapshot: StoreSnapshot, mayBuild: Bool, isAheadOfAll: Bool) throws -> IndexStep {
        let newest = try snapshot.newestToken()
        // Without the lock first: most often there is nothing to do.
        let isCurrent = try use(.reading) { connection, _ in
            guard let record = try IndexRecord(connection) else { return false }
            return record.phase == .ready && record.cursor == newest
        }
        if isCurrent == true { return .done }
        return try use(.writing) { connection, vocabulary in
            var record = try IndexRecord(connection)
            if let known = record {
                do {
                    try snapshot.check(known.cursor)
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
                // Else it would begin for ever: a history cleaned beyond its own end is of somebody's making.
                guard (try? snapshot.check(newest)) != nil else {
                    throw StoreError.damaged(
                        path: container.path, reason: "its history is cleaned beyond its end")
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

    private func isTooFarBehind(_ record: IndexRecord, _ snapshot: StoreSnapshot) throws -> Bool {
        let most = max(Self.mostChanges, Int(record.built / 2))
        return try record.dead > max(10_000, record.built / 3)
            || snapshot.hasMoreChanges(after: record.cursor, than: most)
    }

    /// Empties the index. What is committed from here on comes after the building, from the history.
    private func begin(_ connection: borrowing Connection, _ snapshot: StoreSnapshot) throws {
        try IndexFile.makeContents(connection)
        let total = try snapshot.count(FetchRequest(schema.entity))
        try IndexRecord(cursor: try snapshot.newestToken(), total: total).write(connection)
        builder = DocumentWriter()
    }

    /// Takes in the newest objects that are not in yet.
    private func build(
        _ record: inout IndexRecord, _ connection: borrowing Connection, _ snapshot: StoreSnapshot
    ) throws {
        var request = FetchRequest(schema.entity, sort: schema.newestFirst, limit: Self.buildingStep)
        request.attributes = schema.attributes
        request.after = record.builtPlace.map { position(of: $0, snapshot) }
        let documents = try snapshot.fetch(request).map { SearchDocument($0, schema) }
        let writer = try builder ?? DocumentWriter(known: knownWords(record, connection))
        builder = writer
        let lowest = try connection.integer("SELECT min(number) FROM document") ?? IndexFile.middleNumber
        guard lowest > documents.count else {
            throw SQLiteError(
                code: SQLiteError.Primary.corrupt.rawValue, message: "the index has no numbers left")
        }
        let first = lowest - Int64(documents.count)
        for (offset, document) in documents.reversed().enumerated() {
            // It may have moved to an older place since it was taken in.
            if try DocumentWriter.remove(document.id, from: connection) { record.dead += 1 }
            try writer.add(document, as: first + Int64(offset), to: connection)
        }
        try writer.flush(to: connection)
        record.built += Int64(documents.count)
        record.builtPlace = documents.last?.place ?? record.builtPlace
        if documents.count < Self.buildingStep {
            builder = nil
            record.phase = .gathering
        }
    }

    /// Another process may have begun the building, or this one before it was ended.
    private func knownWords(
        _ record: IndexRecord, _ connection: borrowing Connection
    ) throws -> Set<UInt64> {
        var vocabulary = Vocabulary()
        try vocabulary.refresh(edition: record.edition, from: connection)
        return vocabulary.hashes()
    }

    /// Puts parts of the index together, so that a word is looked up in one place (sqlite.org/fts5.html 6.8).
    private func merge(_ record: inout IndexRecord, _ connection: borrowing Connection) throws {
        let before = try connection.integer("SELECT total_changes()") ?? 0
        // Negative: also what would not be worth merging otherwise; once.
        try connection.run(
            "INSERT INTO words (words, rank) VALUES ('merge', ?1)", record.phase == .gathering ? -4000 : 4000)
        let after = try connection.integer("SELECT total_changes()") ?? 0
        record.phase = after - before < 2 ? .trimming : .merging
    }

    /// Gives back the room that the parts took before they were put together.
    private func trim(_ record: inout IndexRecord, _ connection: borrowing Connection) throws {
        try connection.execute("PRAGMA incremental_vacuum(4000)")
        if try connection.integer("PRAGMA freelist_count") ?? 0 == 0 { record.phase = .ready }
    }

    private func catchUp(
        _ record: inout IndexRecord, _ connection: borrowing Connection, _ snapshot: StoreSnapshot
    ) throws {
        let changes = try changes(after: record.cursor, limit: Self.catchingUpStep, snapshot)
        // A long transaction is one step whatever it holds, but not at once in memory.
        for first in stride(from: 0, to: changes.objects.count, by: Self.catchingUpStep) {
            let end = min(changes.objects.count, first + Self.catchingUpStep)
            try renew(Array(changes.objects[first..<end]), &record, connection, snapshot)
        }
        record.cursor = changes.upTo
    }

    private func renew(
        _ objects: [Int64], _ record: inout IndexRecord, _ connection: borrowing Connection,
        _ snapshot: StoreSnapshot
    ) throws {
        let documents = try self.documents(objects, snapshot).sorted { $0.place < $1.place }
        let writer = DocumentWriter()
        try writer.learnWords(of: documents, from: connection)
        for object in objects where try DocumentWriter.remove(object, from: connection) {
            record.dead += 1
        }
        let newest = try newestPlace(connection)
        // Numbers go in by size, or each would be written apart.
        let late = documents.filter { $0.place < newest }
        for (documents, isLate) in [(documents.dropFirst(late.count), false), (late[...], true)] {
            for document in documents {
                try writer.add(document, as: record.takeNumber(isLate: isLate), to: connection)
            }
        }
        try writer.flush(to: connection)
    }

    /// The place of the newest document that is not late.
    private func newestPlace(_ connection: borrowing Connection) throws -> SearchPlace {
        let row = try connection.prepare(
            "SELECT created, object FROM document WHERE number < ?1 ORDER BY number DESC LIMIT 1")
        try row.bind(IndexFile.firstLateNumber, at: 1)
        guard try row.step() else { return SearchPlace(created: .min, id: .min) }
        return SearchPlace(created: row.integer(0), id: row.integer(1))
    }

    /// The objects whose indexed attributes changed after a position, each once, and how far that goes.
    func changes(
        after cursor: HistoryToken, limit: Int, _ snapshot: StoreSnapshot
    ) throws -> (objects: [Int64], upTo: HistoryToken) {
        var objects: [Int64] = []
        var known: Set<Int64> = []
        var position = HistoryPosition(cursor)
        // Only between transactions there is a cursor that can be stored.
        while position.isInsideTransaction || objects.count < limit,
            let batch = try HistoryReader().next(after: position, limit: Self.catchingUpStep, in: snapshot)
        {
            for change in batch.transactions.lazy.flatMap(\.changes) where isIndexed(change) {
                if known.insert(change.objectID.key).inserted { objects.append(change.objectID.key) }
            }
            position = batch.end
        }
        return (objects, position.token)
    }

    private func isIndexed(_ change: HistoryChange) -> Bool {
        change.objectID.entity == schema.entity
            && (change.kind != .update
                || !schema.indexedAttributes.isDisjoint(with: change.updatedAttributes))
    }

    func documents(_ objects: [Int64], _ snapshot: StoreSnapshot) throws -> [SearchDocument] {
        guard !objects.isEmpty else { return [] }
        var request = FetchRequest(schema.entity, where: .keys(objects))
        request.attributes = schema.attributes
        return try snapshot.fetch(request).map { SearchDocument($0, schema) }
    }

    func position(of place: SearchPlace, _ snapshot: StoreSnapshot) -> SortPosition {
        snapshot.position(
            of: ObjectID(entity: schema.entity, key: place.id), value: .integer(place.created),
            in: schema.newestFirst)
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
