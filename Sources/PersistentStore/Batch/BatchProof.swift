import SQLite

/// The proof that a batch stored the rows that it counts, for a store with triggers of other programs.
struct BatchProof {
    let entity: Entity
    let external: ExternalTriggers

    var isNeeded: Bool { !external.isEmpty }

    /// Checks an insert.
    ///
    /// - Parameter key: The new row; nil if the statement stored none.
    /// - Throws: ``StoreError/notStored(table:cause:)`` if the row is missing and is not a skipped duplicate.
    func checkInsert(
        _ key: Int64?, _ values: [String: Value], _ duplicates: BatchInsertRequest.DuplicatePolicy,
        on connection: borrowing Connection
    ) throws {
        if let key {
            guard isNeeded else { return }
            guard try count([key], on: connection) == 1 else { throw notStored }
        } else if duplicates != .skip {
            throw notStored
        } else if isNeeded {
            guard try isDuplicate(values, on: connection) else { throw notStored }
        }
    }

    /// Checks an update or a deletion.
    ///
    /// - Parameters:
    ///   - keys: The rows that a statement had to change; empty if no proof is needed.
    ///   - changed: The rows that it changed.
    func checkChange(
        _ keys: [Int64], _ changed: Int, isDeletion: Bool, on connection: borrowing Connection
    ) throws {
        guard isNeeded else { return }
        let present = try count(keys, on: connection)
        guard changed == keys.count, present == (isDeletion ? 0 : keys.count) else { throw notStored }
    }

    private var notStored: StoreError { external.notStored(entity.name) }

    private func count(_ keys: [Int64], on connection: borrowing Connection) throws -> Int {
        let list = "[\(keys.map(String.init).joined(separator: ","))]"
        let sql = "SELECT count(*) FROM \"\(entity.name)\" WHERE id IN (SELECT value FROM json_each(?1))"
        return Int(try connection.integer(sql, list) ?? 0)
    }

    private func isDuplicate(_ values: [String: Value], on connection: borrowing Connection) throws -> Bool {
        for attribute in entity.attributes where attribute.isUnique {
            guard let value = values[attribute.name] else { continue }
            let sql = "SELECT 1 FROM \"\(entity.name)\" WHERE \"\(attribute.name)\" = ?1"
            if try connection.integer(sql, value) != nil { return true }
        }
        return false
    }
}
