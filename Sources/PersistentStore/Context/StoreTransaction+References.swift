import SQLite

/// The objects that a transaction has changed, including those that the rules of deletion changed, as its history
/// records them.
struct TransactionChanges {
    private var position: Int64
    private let store: StoreDigest
    /// The number of updates of each object.
    private(set) var updates: [ObjectID: Int64] = [:]
    private(set) var inserted: Set<ObjectID> = []
    private(set) var deleted: Set<ObjectID> = []

    init(since position: Int64, _ store: StoreDigest) { (self.position, self.store) = (position, store) }

    var ids: Set<ObjectID> { inserted.union(deleted).union(updates.keys) }

    /// Reads the changes since the last call.
    mutating func read(on connection: borrowing Connection) throws(SQLiteError) {
        let rows = try connection.prepare(
            """
            SELECT number, kind, object, name FROM history JOIN history_entity ON id = entity
            WHERE number > ?1 AND kind < 3 AND object NOT NULL ORDER BY number
            """)
        try rows.bind(position, at: 1)
        while try rows.step() {
            position = rows.integer(0)
            let id = ObjectID(entity: rows.text(3), key: rows.integer(2), store: store)
            switch HistoryChange.Kind(rawValue: Int(rows.integer(1))) {
            case .insert:
                inserted.insert(id)
                deleted.remove(id)
            case .update: updates[id, default: 0] += 1
            case .delete:
                inserted.remove(id)
                deleted.insert(id)
            case nil: break
            }
        }
    }
}

/// References, whose constraints are deferred to the commit.
extension StoreTransaction {
    /// The changes so far; nil if there are none.
    private var changes: TransactionChanges? {
        first.map { TransactionChanges(since: $0, tables.query.store) }
    }

    /// The changes so far, if rules of deletion may have made some of them.
    func changesOfRules() -> TransactionChanges? { tables.query.model.hasDeletionActions ? changes : nil }

    /// Whether a rule may have deleted an object that the transaction also inserted or changed: it is deleted, and so is
    /// one to which it could refer.
    func mayHaveCascaded(to id: ObjectID) throws -> Bool {
        let references = tables.query.model.entity(id.entity)?.attributes.compactMap(\.reference) ?? []
        let parents = references.filter { $0.rule == .cascade }.map(\.entity)
        guard !parents.isEmpty, var changes else { return false }
        try changes.read(on: store.connection)
        return changes.deleted.contains(id)
            && changes.deleted.contains { $0 != id && parents.contains($0.entity) }
    }

    /// Adds the objects that the rules of deletion changed to the outcomes of a save, and their new states.
    mutating func addDeletionActions(
        to outcomes: inout [SaveOutcome], _ changes: inout TransactionChanges
    ) throws(StoreError) {
        try perform { try changes.read(on: $0) }
        let known = Dictionary(outcomes.indices.map { (outcomes[$0].id, $0) }) { $1 }
        for (entity, ids) in Dictionary(grouping: changes.ids, by: \.entity) {
            guard tables.query.model.entity(entity) != nil else { continue }
            let request = FetchRequest(entity, where: .keys(ids.map(\.key)))
            let objects = Dictionary(try snapshot.fetch(request).map { ($0.id, $0) }) { $1 }
            for id in ids {
                let object = objects[id]
                if let index = known[id] {
                    if outcomes[index].object?.version != object?.version { outcomes[index].object = object }
                } else {
                    let version = object.map { $0.version - (changes.updates[id] ?? 0) }
                    outcomes.append(
                        SaveOutcome(
                            requestedID: id, id: id, basis: ChangeBasis(version: version, object: nil),
                            object: object, isWritten: true, isAction: true))
                }
                try noteChange(of: id, exists: object != nil, isCertain: false)
            }
        }
    }

    /// Checks the references of the changed objects.
    ///
    /// - Throws: ``StoreError/deletionDenied(entity:attribute:of:)``, or
    ///   ``StoreError/missingReference(attribute:entity:)``.
    func checkReferences() throws {
        guard store.connection.hasOpenReferences else { return }
        var changes = changes ?? TransactionChanges(since: .max, tables.query.store)
        try changes.read(on: store.connection)
        try Self.nameViolation(changes, tables.query.store, on: store.connection)
    }

    private static func nameViolation(
        _ changes: TransactionChanges, _ store: StoreDigest, on connection: borrowing Connection
    ) throws {
        var found: StoreError?
        let rows = try connection.prepare(
            """
            SELECT made."table", made.rowid, made.parent, key."from", key.on_delete
            FROM pragma_foreign_key_check AS made, pragma_foreign_key_list(made."table") AS key
            WHERE key.id = made.fkid
            """)
        while try rows.step() {
            let (table, parent, attribute) = (rows.text(0), rows.text(2), rows.text(3))
            let missing = StoreError.missingReference(attribute: attribute, entity: table)
            let key = try connection.integer(
                "SELECT \(StoreSchema.quoted(attribute)) FROM \(StoreSchema.quoted(table)) WHERE rowid = ?1",
                rows.integer(1))
            let child = ObjectID(entity: table, key: rows.integer(1), store: store)
            let other = ObjectID(entity: parent, key: key ?? 0, store: store)
            if changes.deleted.contains(other), rows.text(4) == "NO ACTION" {
                throw StoreError.deletionDenied(entity: parent, attribute: attribute, of: table)
            }
            // Others dangled before, such as those of a program that does not check references.
            if changes.ids.contains(child) { throw missing }
            found = found ?? missing
        }
        if let found { throw found }
    }
}
