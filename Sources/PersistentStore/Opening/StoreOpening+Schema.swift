import SQLite

extension StoreOpening {
    /// Rejects a schema that does not fit this program's model, on one snapshot.
    ///
    /// A store opened for reading only may have another model, if it includes all parts of this one.
    func checkSchema(_ connection: borrowing Connection) throws {
        if options.access == .readWrite { try checkModel(connection) }
        for entity in model.entities {
            guard let reason = try missingPart(of: entity, on: connection) else { continue }
            throw options.access == .readWrite
                ? StoreError.schemaChanged(path: path, reason: reason)
                : StoreError.unreadableModel(path: path, reason: reason)
        }
    }

    /// Rejects a store that another process has migrated since this one opened it.
    func checkModel(_ connection: borrowing Connection) throws {
        let format = try connection.integer("PRAGMA user_version") ?? 0
        guard format <= StoreSchema.format,
            try StoreMetadata.text(.model, on: connection) == StoreModelFingerprint(model).text
        else { throw StoreError.newerStore(path: path) }
    }

    /// Returns the first part of an entity that its table lacks, as the end of a sentence.
    func missingPart(of entity: Entity, on connection: borrowing Connection) throws -> String? {
        var kinds: [String: String] = [:]
        var key = ""
        let columns = try connection.prepare("SELECT name, type, pk FROM pragma_table_info(?1)")
        try columns.bind(entity.name, at: 1)
        while try columns.step() {
            kinds[columns.text(0)] = columns.text(1)
            if columns.integer(2) > 0 { key += columns.text(0) }
        }
        guard !kinds.isEmpty else { return "it has no \(entity.name)" }
        guard key == "id", kinds["id"] == "INTEGER" else {
            return "the ID of its \(entity.name) is not the primary key"
        }
        let names = [("version", "INTEGER")] + entity.attributes.map { ($0.name, $0.kind.rawValue) }
        for (name, kind) in names where kinds[name] != kind {
            return kinds[name] == nil
                ? "its \(entity.name) has no \(name)" : "its \(entity.name).\(name) is of another kind"
        }
        return nil
    }
}
