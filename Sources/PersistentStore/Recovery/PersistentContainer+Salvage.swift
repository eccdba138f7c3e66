import FoundationEssentials
import Platform
import SQLite

/// The result of a salvage.
package struct SalvageReport: Hashable, Sendable {
    /// The objects of one entity.
    package struct Objects: Hashable, Sendable {
        package let entity: String
        /// The number of objects in the new store.
        package fileprivate(set) var saved = 0
        /// The number of those with text that is not valid UTF-8, which is damage, or of which the end of the file
        /// divides the row.
        package fileprivate(set) var withDamagedText = 0
        /// The IDs of objects that a row or the history names, or that were assigned last before the file was cut, and
        /// that are not in the new store. More may be missing that nothing names.
        package fileprivate(set) var missing: [ClosedRange<Int64>] = []

        package var missingCount: Int { missing.reduce(0) { $0 + $1.count } }
    }

    /// The results, in the order of the model.
    package fileprivate(set) var objects: [Objects]
    /// Whether the damaged file passes SQLite's check, which does not detect changed values.
    package fileprivate(set) var isStructureIntact = false

    /// Whether nothing shows that an object is missing or changed.
    package var isComplete: Bool {
        isStructureIntact && objects.allSatisfy { $0.missing.isEmpty && $0.withDamagedText == 0 }
    }
}

extension PersistentContainer {
    /// Saves the readable part of a damaged store into a new one.
    ///
    /// Blocks the calling thread. Reads a private copy of the file and its log, so the damaged store is not
    /// changed. Reads every row on every leaf page of the tables, and requires no intact header, schema, or tree:
    /// a damaged page costs only the objects that it contains. Of several versions of an object, the newest is
    /// saved. Objects retain their IDs, versions, and attributes. The new store has a new ID and a history that
    /// begins with one transaction, which inserts all of them.
    ///
    /// - Parameters:
    ///   - path: The damaged store.
    ///   - newPath: The new store, which must not exist; it appears complete or not at all.
    ///   - author: The author of the transaction.
    ///   - model: The model of the new store; only its entities are saved.
    ///   - options: The options of the new store.
    ///   - progress: A closure called with the number of pages read and the total.
    /// - Throws: ``StoreError/cannotSalvage(path:reason:)`` if a file exists at `newPath`;
    ///   ``StoreError/nothingToSalvage(path:)`` if no object was found. No file is created then.
    package static func salvage(
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
        return try DraftFolder.with(near: newPath, failure: { StoreFile.failure($0, newPath) }) { copy in
            try StoreCopy.makeCopy(of: path, copy, options)
            let draft = copy + "-new"
            let pages = try StoreFile.attempt(path) { () throws(Errno) in try DamagedPages(path: copy) }
            let tables = DamagedTables(copy: copy, isCutWithinPage: pages.isCutWithinPage)
            var report = try save(pages, tables, to: draft, progress)
            report.isStructureIntact = isIntact(copy)
            do throws(Errno) {
                try TemporaryFile.move(draft, to: newPath, replaces: false)
                return report
            } catch  where error.isExisting {
                throw StoreError.cannotSalvage(path: newPath, reason: "\(newPath) exists")
            } catch {
                throw StoreFile.failure(error, newPath)
            }
        }
    }

    private func isIntact(_ copy: String) -> Bool {
        do {
            let connection = try Connection(path: copy, access: .readWrite)
            guard try connection.integer("PRAGMA application_id") == StoreSchema.applicationID else {
                return false
            }
            return try connection.texts("PRAGMA integrity_check(1)") == ["ok"]
        } catch {
            return false
        }
    }

    private func save(
        _ pages: DamagedPages, _ tables: DamagedTables?, to draft: String,
        _ progress: (Int, Int) -> Void
    ) throws -> SalvageReport {
        let scan = SalvageScan(pages, model: model, progress: progress)
        let ids = scan.ids.sorted()
        var options = options
        options.createsMissingStore = true
        options.access = .readWrite
        let (store, metadata) = try StoreOpening(path: draft, model: model, options: options).open()
        let transaction = RecordedTransaction(
            origin: TransactionOrigin(
                author: author, contextName: nil, session: Int64.random(in: 1...Int64.max)),
            options: options, storeID: metadata.storeID)
        var report = SalvageReport(objects: [])
        try store.commit { new, facts in
            var first = try transaction.begin(on: new, facts.external)
            // No version may exceed the newest number; see ``HistoryTriggers``. A damaged one may be anything.
            let versions =
                model.entities.flatMap { tables?.versions(of: $0, ids) ?? [] }
                + scan.candidates.joined().map(\.version)
            if let newest = versions.filter({ $0 < 1 << 40 }).max(), newest > first {
                try new.run("UPDATE history SET number = ?2 WHERE number = ?1", first, newest)
                first = newest
            }
            for position in model.entities.indices {
                report.objects.append(try copy(position, from: scan, tables, ids, to: new))
            }
            try resolveReferences(&report, on: new)
            _ = try transaction.end(first, on: new, facts)
            return StoreConnection.Work(result: ())
        }
        guard report.objects.contains(where: { $0.saved > 0 }) else {
            throw StoreError.nothingToSalvage(path: path)
        }
        try store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let findings = try store.read { try StoreCheck(model: model).run(on: $0) }
        guard findings.isEmpty else {
            throw StoreError.other(path: newPath, reason: "the salvaged store did not pass its check")
        }
        return report
    }

    /// Resolves references to lost objects: they become null, or the objects that require them are lost, too.
    private func resolveReferences(_ report: inout SalvageReport, on new: borrowing Connection) throws {
        var isResolved = false
        while !isResolved {
            isResolved = true
            for entity in model.entities {
                for attribute in entity.attributes {
                    guard let isDangling = attribute.danglingCondition else { continue }
                    let change =
                        attribute.isOptional
                        ? "UPDATE \"\(entity.name)\" SET \"\(attribute.name)\" = NULL"
                        : "DELETE FROM \"\(entity.name)\""
                    try new.run("\(change) WHERE \(isDangling)")
                    if new.changedRows > 0 { isResolved = false }
                }
            }
        }
        for index in report.objects.indices {
            let deleted = try new.texts(
                """
                SELECT object FROM history WHERE kind = \(HistoryChange.Kind.delete.rawValue)
                AND entity = (SELECT id FROM history_entity WHERE name = ?1)
                """, report.objects[index].entity)
            guard !deleted.isEmpty else { continue }
            report.objects[index].saved -= deleted.count
            let missing = report.objects[index].missing.flatMap(Array.init) + deleted.compactMap { Int64($0) }
            report.objects[index].missing = Self.ranges(missing.sorted())
        }
    }

    /// Copies the objects of an entity, in the order of their IDs: the triggers give a lower ID another version.
    ///
    /// The row that SQLite reads by its ID is preferred to those on leaf pages.
    private func copy(
        _ position: Int, from scan: SalvageScan, _ tables: DamagedTables?, _ ids: [Int64],
        to new: borrowing Connection
    ) throws -> SalvageReport.Objects {
        let entity = model.entities[position]
        let attributes = tables?.attributes(of: entity, columns: scan.columnNames(of: entity))
        var objects = SalvageReport.Objects(entity: entity.name)
        var (missing, lastSaved) = (scan.namedIDs(position), Int64(0))
        func save<Row: SalvagedRow & ~Copyable>(_ row: borrowing Row, isDivided: Bool = false) throws -> Bool
        {
            guard try insert(row, of: entity, into: new) else { return false }
            if isDivided || row.attributes.indices.contains(where: { row.isDamagedText($0) }) {
                objects.withDamagedText += 1
            }
            objects.saved += 1
            lastSaved = max(lastSaved, row.id)
            missing.remove(row.id)
            return true
        }
        var candidates = scan.candidates[position][...]
        for id in ids {
            let found = candidates.prefix { $0.id == id }
            candidates = candidates.dropFirst(found.count)
            if let attributes, let row = tables?.row(id, of: entity, attributes) {
                if try save(row, isDivided: found.isEmpty && scan.dividedIDs.contains(id)) { continue }
                missing.insert(id)
            }
            let isLive = scan.isLive(id, of: entity)
            for candidate in found {
                // Without a known page of the table, the history decides about deleted objects.
                guard candidate.rank == 2 || candidate.rank == 1 && isLive != false || isLive == true else {
                    continue
                }
                if let row = scan.row(candidate, of: entity), try save(row) { break }
                missing.insert(id)
            }
        }
        missing.formUnion(scan.idsBeyondEnd(after: max(missing.max() ?? 0, lastSaved), of: entity))
        objects.missing = Self.ranges(missing.sorted())
        // No ID is used again.
        if let last = [scan.sequences[entity.name], scan.liveIDs(of: entity).max()].compactMap(\.self).max() {
            try new.run("UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1", entity.name, last)
        }
        return objects
    }

    /// Inserts a row, with new UUIDs if another object has the same. Returns false if the new store rejects
    /// it, for example a second object with a unique value.
    private func insert<Row: SalvagedRow & ~Copyable>(
        _ row: borrowing Row, of entity: EntityDescription, into new: borrowing Connection
    ) throws -> Bool {
        let attributes = row.attributes
        let names = ["id", "version"] + attributes.map { StoreSchema.quoted($0.name) }
        let insertion = try new.prepare(
            """
            INSERT INTO \(StoreSchema.quoted(entity.name)) (\(names.joined(separator: ", "))) \
            VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
            """)
        try insertion.bind(row.id, at: 1)
        // Versions begin at 1; a lower one is damage, but no reason to lose the other values.
        try insertion.bind(max(1, row.version), at: 2)
        for index in attributes.indices { try row.bind(index, to: insertion, at: index + 3) }
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
