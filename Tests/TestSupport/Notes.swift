package import PersistentStore

/// An entity that is not a clip, for the library's tests.
package enum Notes {
    package static func model(version: Int = 1, tracksHistory: Bool = true, more: [AttributeDescription] = [])
        throws
        -> StoreModel
    {
        try StoreModel(
            version: version,
            entities: [
                EntityDescription(
                    "Note",
                    attributes: [
                        AttributeDescription(
                            "title", .text, defaultValue: .value(""),
                            history: [.preservesValueOnDeletion, .recordsOldValue]),
                        AttributeDescription(
                            "body", .text, isOptional: true, history: [.preservesValueOnDeletion]),
                        AttributeDescription("rank", .integer, defaultValue: .value(0), isIndexed: true),
                        AttributeDescription("created", .integer, defaultValue: .now),
                    ] + more, tracksHistory: tracksHistory)
            ])
    }

    /// The second version of the model, with a renamed attribute and one that ``migrationSteps`` computes.
    package static func migratedModel() throws -> StoreModel {
        try StoreModel(
            version: 2,
            entities: [
                EntityDescription(
                    "Note",
                    attributes: [
                        AttributeDescription(
                            "headline", .text, defaultValue: .value(""),
                            history: [.preservesValueOnDeletion, .recordsOldValue], renamedFrom: ["title"]),
                        AttributeDescription(
                            "body", .text, isOptional: true, history: [.preservesValueOnDeletion]),
                        AttributeDescription("rank", .text, history: [.recordsOldValue]),
                        AttributeDescription("slug", .text, isUnique: true),
                    ])
            ])
    }

    package static let migrationSteps = [
        MigrationStep(to: 2, of: "Note") { note in
            note["rank"] = .text("rank \(note["rank"].integerValue ?? 0)")
            note["slug"] = .text("\(note.id.key)-\(note["headline"].textValue ?? "")")
        }
    ]

    package static func open(
        _ folder: TemporaryFolder, model: StoreModel? = nil, options: StoreOptions = StoreOptions()
    ) async throws -> PersistentContainer {
        try await PersistentContainer(
            path: folder.path(of: "notes.db"), model: try model ?? Notes.model(), options: options)
    }
}

extension PersistentContainer {
    package func objects(_ request: FetchRequest = FetchRequest("Note")) async throws -> [StoredObject] {
        try await read { try $0.fetch(request) }
    }
}

extension StoreContext {
    /// Saves one new note and returns its permanent ID.
    package func save(inserting values: [String: AttributeValue]) async throws -> ObjectID {
        let temporary = try insert("Note", values)
        return try await save().permanentID(temporary)
    }
}
