import SQLite

/// Two models of one version.
extension StoreOpening {
    /// Rejects a model that would drop or convert a part of a store of the same version: another program with that
    /// version uses the part.
    func checkSameVersion(_ metadata: StoreMetadata, _ connection: borrowing Connection) throws {
        guard metadata.modelVersion == Int64(model.version),
            !StoreModelFingerprint(model).hasSameEntities(as: metadata.model)
        else { return }
        if let reason = try changedPart(metadata, connection) { throw differentModel(reason) }
    }

    func differentModel(_ reason: String) -> StoreError {
        .differentModel(path: path, version: model.version, reason: reason)
    }

    /// Returns the first part of the store that the model changes, as the end of a sentence; nil if the model
    /// only adds parts.
    private func changedPart(_ metadata: StoreMetadata, _ connection: borrowing Connection) throws -> String?
    {
        for name in try connection.texts("SELECT name FROM history_entity ORDER BY id") {
            guard let entity = model.entity(name) else {
                // The tables of an entity that an earlier version dropped remain.
                guard StoreModelFingerprint.describes(name, metadata.model) else { continue }
                return "this model has no \(name)"
            }
            let columns = try connection.prepare(
                """
                SELECT name, type, "notnull", EXISTS (SELECT 1 FROM pragma_index_list(?1) AS list
                WHERE list."unique" AND list.name = ?1 || '_by_' || made.name)
                FROM pragma_table_info(?1) AS made WHERE name NOT IN ('id', 'version')
                """)
            try columns.bind(name, at: 1)
            while try columns.step() {
                // Another program may have given its column any name.
                guard StoreModel.isIdentifier(columns.text(0)) else {
                    return "this model has not all columns of its \(name)"
                }
                let part = "\(name).\(columns.text(0))"
                guard let attribute = entity.attribute(columns.text(0)) else {
                    return "this model has no \(part)"
                }
                if columns.text(1) != attribute.kind.rawValue { return "its \(part) is of another kind" }
                if columns.integer(2) == 0 && !attribute.isOptional { return "its \(part) is optional" }
                // Later objects that share a value would get new ones.
                if columns.integer(3) == 0 && attribute.isUnique && attribute.defaultValue == .uuid {
                    return "its \(part) is not unique"
                }
            }
        }
        return nil
    }
}
