import FoundationEssentials
import Glibc
import Platform
import SQLite

/// The result of a salvage.
public struct SalvageReport: Hashable, Sendable {
    /// The objects of one entity.
    public struct Objects: Hashable, Sendable {
        public let entity: String
        /// The number of objects in the new store.
        public fileprivate(set) var saved = 0
        /// The IDs of objects that exist, or may exist, but could not be read.
        public fileprivate(set) var unreadable: [ClosedRange<Int64>] = []
        /// Whether the table itself was found.
        public fileprivate(set) var hasTable = true

        public var unreadableCount: Int { unreadable.reduce(0) { $0 + $1.count } }
    }

    /// The results, in the order of the model.
    public fileprivate(set) var objects: [Objects]

    /// Whether all objects were saved.
    public var isComplete: Bool { objects.allSatisfy { $0.hasTable && $0.unreadable.isEmpty } }
}

extension PersistentContainer {
    /// Saves the readable part of a damaged store into a new one.
    ///
    /// Blocks the calling thread. Reads a private copy of the file and its log, so the damaged store is not
    /// changed. A damaged page costs only the objects that it contains: each is looked up by its ID. Objects retain
    /// their IDs, versions, and attributes. The new store has a new ID and a history that begins with one
    /// transaction, which inserts all of them.
    ///
    /// - Parameters:
    ///   - path: The damaged store.
    ///   - newPath: The new store, which must not exist; it appears complete or not at all.
    ///   - author: The author of the transaction.
    ///   - model: The model of the new store; only its entities are saved.
    ///   - options: The options of the new store.
    ///   - progress: A closure called with the number of IDs tried and the total.
    /// - Throws: ``StoreError/cannotSalvage(path:reason:)`` if a file exists at `newPath`;
    ///   ``StoreError/damaged(path:reason:)`` if the list of tables in the store, `sqlite_schema`, is
    ///   unreadable, which is the limit of salvage.
    public static func salvage(
        _ path: String, to newPath: String, author: String, model: StoreModel,
        options: StoreOptions = StoreOptions(), progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) throws(StoreError) -> SalvageReport {
        let salvage = StoreSalvage(
            path: FilePath.resolved(path), newPath: newPath, author: author, model: model,
            options: options)
        return try StoreError.convert(path: newPath, timeout: options.busyTimeout) {
            try salvage.run(progress)
        }
    }
}

private struct StoreSalvage {
    let path: String
    let newPath: String
    let author: String
    let model: StoreModel
    let options: StoreOptions

    func run(_ progress: (Int, Int) -> Void) throws -> SalvageReport {
        try StoreOpening(path: path, model: model, options: options).checkSource()
        for end in ["", "-wal", "-journal"] where FilePath.exists(newPath + end) {
            throw StoreError.cannotSalvage(path: newPath, reason: "\(newPath)\(end) exists")
        }
        DraftFolder.removeStale(near: path)
        let damaged = try copyOfDamaged()
        return try DraftFolder.with(near: newPath, failure: { StoreFile.failure($0, newPath) }) { draft in
            let report = try save(damaged, to: draft, progress)
            do throws(Errno) {
                try TemporaryFile.move(draft, to: newPath, replaces: false)
                return report
            } catch  where error.code == EEXIST {
                throw StoreError.cannotSalvage(path: newPath, reason: "\(newPath) exists")
            } catch {
                throw StoreFile.failure(error, newPath)
            }
        }
    }

    private func copyOfDamaged() throws -> Connection {
        do {
            return try StoreCopy.open(path, near: newPath, options, isDamaged: true)
        } catch let error as SQLiteError {
            throw unreadable(error)
        }
    }

    private func unreadable(_ error: SQLiteError) -> StoreError {
        switch error.primary {
        case .corrupt, .notADatabase:
            .damaged(
                path: path, reason: "the list of its tables is unreadable, so nothing can be salvaged")
        default: StoreError(error, path: path)
        }
    }

    private func save(_ damaged: borrowing Connection, to draft: String, _ progress: (Int, Int) -> Void)
        throws -> SalvageReport
    {
        let tables = model.entities.map { SalvagedTable($0, in: damaged) }
        guard tables.contains(where: { $0 != nil }) else {
            throw StoreError.damaged(
                path: path, reason: "the list of its tables is unreadable, so nothing can be salvaged")
        }
        var options = options
        options.createsMissingStore = true
        options.access = .readWrite
        let (store, metadata) = try StoreOpening(path: draft, model: model, options: options).open()
        let transaction = RecordedTransaction(
            origin: TransactionOrigin(
                author: author, contextName: nil, session: Int64.random(in: 1...Int64.max)),
            options: options, storeID: metadata.storeID)
        var report = SalvageReport(objects: [])
        let total = tables.reduce(0) { $0 + ($1.map { Int($0.lastDenseID) + $0.sparseIDs.count } ?? 0) }
        var done = 0
        try store.commit { new, facts in
            let first = try transaction.begin(on: new, facts.external)
            for (entity, table) in zip(model.entities, tables) {
                var objects = SalvageReport.Objects(entity: entity.name)
                if let table {
                    try copy(table, from: damaged, to: new, &objects) {
                        done += 1
                        if done.isMultiple(of: 10_000) { progress(done, total) }
                    }
                } else {
                    objects.hasTable = false
                }
                report.objects.append(objects)
            }
            _ = try transaction.end(first, on: new, facts)
            return StoreConnection.Work(result: ())
        }
        try store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let findings = try store.read { try StoreCheck(model: model).run(on: $0) }
        guard findings.isEmpty else {
            throw StoreError.other(path: newPath, reason: "the salvaged store did not pass its check")
        }
        return report
    }

    private func copy(
        _ table: SalvagedTable, from damaged: borrowing Connection, to new: borrowing Connection,
        _ objects: inout SalvageReport.Objects, _ step: () -> Void
    ) throws {
        let rows = try damaged.prepare(table.rowQuery)
        let insertion = try new.prepare(table.insertion)
        var lost: [Int64] = []
        func copy(_ id: Int64) throws {
            defer { step() }
            rows.reset()
            try rows.bind(id, at: 1)
            // An error concerns the pages above this object only.
            let isFound = try? rows.step()
            if isFound == true, table.admits(rows),
                try insert(rows, by: insertion, table.attributes)
            {
                objects.saved += 1
            } else if isFound == true || isFound == nil && !table.isNamingComplete
                || table.named.contains(id)
            {
                lost.append(id)
            }
        }
        for id in table.sparseIDs.prefix(while: { $0 < 1 }) { try copy(id) }
        if table.lastDenseID > 0 { for id in 1...table.lastDenseID { try copy(id) } }
        for id in table.sparseIDs.drop(while: { $0 < 1 }) { try copy(id) }
        objects.unreadable = Self.ranges(lost)
        if let sequence = table.sequence {
            try new.run(
                "UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1", table.entity.name, sequence)
        }
    }

    /// Inserts a row, with new UUIDs if another object has the same. Returns false if the new store rejects
    /// it, for example a second object with a unique value.
    private func insert(
        _ row: borrowing Statement, by insertion: borrowing Statement, _ attributes: [AttributeDescription]
    ) throws -> Bool {
        defer { insertion.reset() }
        for index in 0..<attributes.count + 2 { try insertion.bind(index, of: row, at: index + 1) }
        // Versions begin at 1; a lower one is damage, but no reason to lose the other values.
        if row.integer(1) < 1 { try insertion.bind(1 as Int64, at: 2) }
        if try isInserted(by: insertion) { return true }
        insertion.reset()
        for (index, attribute) in attributes.enumerated()
        where attribute.isUnique && attribute.defaultValue == .uuid {
            try insertion.bind(UUID().uuidString.lowercased(), at: index + 3)
        }
        return try isInserted(by: insertion)
    }

    private func isInserted(by insertion: borrowing Statement) throws(SQLiteError) -> Bool {
        do throws(SQLiteError) {
            while try insertion.step() {}
            return true
        } catch {
            guard [.constraint, .tooBig].contains(error.primary) else { throw error }
            return false
        }
    }

    private static func ranges(_ ids: [Int64]) -> [ClosedRange<Int64>] {
        var ranges: [ClosedRange<Int64>] = []
        for id in ids {
            if let last = ranges.last, last.upperBound < .max, last.upperBound + 1 == id {
                ranges[ranges.count - 1] = last.lowerBound...id
            } else {
                ranges.append(id...id)
            }
        }
        return ranges
    }
}
