import SQLite

extension StoreTransaction {
    /// Undoes changes of recorded tables, the newest first. The values are copied inside SQLite, byte by byte.
    mutating func revert(_ changes: Set<Int64>, path: String) throws(StoreError) {
        func fail(_ reason: String) -> StoreError { .cannotRestore(path: path, reason: reason) }
        let first = try beginRecordingRows()
        for number in changes.sorted(by: >) {
            let log = try snapshot.log
            let isDone = try perform { connection in
                let row = try connection.prepare(
                    "SELECT \(HistoryHeaders.columns) FROM history WHERE number = ?1 AND kind < 3")
                try row.bind(number, at: 1)
                guard try row.step(), let names = log.entities[row.integer(2)], let rows = names.attached,
                    rows.entity.isTracked, let change = try log.change(row, on: connection)
                else { throw fail("there is no change \(number) of a recorded table") }
                let revert = AttachedRevert(change, row.integer(4), rows.entity, names.attributes)
                if let reason = revert.refusal(changes) { throw fail(reason) }
                return try !revert.wasChangedLater(changes, before: first, on: connection)
                    && revert.run(on: connection)
            }
            guard isDone else {
                throw fail("the row of change \(number) was changed later, or exists again")
            }
        }
    }
}

/// The statement that undoes a change.
private struct AttachedRevert {
    private let change: HistoryChange
    private let changed: UInt64
    private let entity: AttachedStore.Entity
    private let names: [Int: String]

    init(_ change: HistoryChange, _ changed: Int64, _ entity: AttachedStore.Entity, _ names: [Int: String]) {
        (self.change, self.changed) = (change, UInt64(bitPattern: changed))
        (self.entity, self.names) = (entity, names)
    }

    private var table: String { StoreSchema.quoted(entity.name) }

    /// Returns the reason for which the change cannot be undone.
    func refusal(_ changes: Set<Int64>) -> String? {
        if let counterpart = change.counterpart, !changes.contains(counterpart) {
            return "the changes \(change.number) and \(counterpart) changed a key together; name both"
        }
        let isRetained =
            switch change.kind {
            case .insert: true
            case .update: !change.oldValues.isEmpty
            case .delete: !(change.tombstone ?? [:]).isEmpty
            }
        return isRetained ? nil : "the history retains no values of change \(change.number)"
    }

    /// Runs the statement. Returns whether it changed the row.
    func run(on connection: borrowing Connection) throws -> Bool {
        let stored = "(SELECT * FROM history WHERE number = \(change.number)) AS change"
        let row = "\(table).\(StoreSchema.quoted(entity.rowName ?? "rowid"))"
        var isRow: String {
            guard !entity.keys.isEmpty else { return "\(row) = \(change.objectID.key)" }
            let keys = entity.keys.compactMap { bit in
                names[bit].map { "\(table).\(StoreSchema.quoted($0)) IS change.v\(bit)" }
            }
            return keys.joined(separator: " AND ")
        }
        switch change.kind {
        case .insert:
            let found =
                entity.keys.isEmpty ? isRow : "EXISTS (SELECT 1 FROM \(stored) WHERE \(isRow))"
            try connection.run("DELETE FROM \(table) WHERE \(found)")
        case .update:
            let bits = names.keys.sorted().filter { changed & 1 << UInt64($0) != 0 }
            let set = bits.compactMap { bit in names[bit].map { "\(StoreSchema.quoted($0)) = change.o\(bit)" }
            }
            try connection.run(
                "UPDATE \(table) SET \(set.joined(separator: ", ")) FROM \(stored) WHERE \(isRow)"
            )
        case .delete:
            let bits = entity.columns.filter { names[$0] != nil && change.tombstone?[names[$0] ?? ""] != nil }
            var (into, from) = (
                bits.compactMap { names[$0].map(StoreSchema.quoted) }, bits.map { "change.v\($0)" }
            )
            if entity.keys.isEmpty, let row = entity.rowName {
                into.append(StoreSchema.quoted(row))
                from.append("\(change.objectID.key)")
            }
            let source = bits.isEmpty ? "" : " FROM \(stored)"
            try connection.run(
                """
                INSERT OR ABORT INTO \(table) (\(into.joined(separator: ", ")))
                SELECT \(from.joined(separator: ", "))\(source)
                """)
        }
        return connection.changedRows == 1
    }

    /// Whether a later change, other than those to undo, is of the row.
    func wasChangedLater(_ changes: Set<Int64>, before first: Int64, on connection: borrowing Connection)
        throws
        -> Bool
    {
        var isSame = "later.object = \(change.objectID.key)"
        var source = "history AS later"
        if !entity.keys.isEmpty {
            source += " JOIN history AS change ON change.number = \(change.number)"
            let keys = entity.keys.map { "later.v\($0) IS change.v\($0)" }
            isSame = keys.joined(separator: " AND ")
        }
        let others = changes.sorted().map(String.init).joined(separator: ", ")
        return try connection.integer(
            """
            SELECT 1 FROM \(source) WHERE later.number > ?1 AND later.number < ?2 AND later.kind < 3
            AND later.entity = ?3 AND later.number NOT IN (\(others)) AND \(isSame) LIMIT 1
            """, change.number, first, entity.id) != nil
    }
}
