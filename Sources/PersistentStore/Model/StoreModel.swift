import Platform

/// The entities of a store.
///
/// Raise `version` with every change of the entities: a program with an older model then rejects the store
/// instead of misreading it. Opening a store migrates it to the model in one commit; see ``MigrationStep``.
///
/// At the same version, opening only adds parts. If the model would drop, rename, or convert a part of the store,
/// opening throws ``StoreError/differentModel(path:version:reason:)`` and changes nothing.
public struct StoreModel: Hashable, Sendable {
    package let version: Int
    package let entities: [EntityDescription]

    /// Creates a model.
    ///
    /// - Parameters:
    ///   - version: The version, to be raised with every change of the entities.
    ///   - records: The types of the records that the store has.
    ///   - entities: Further entities, such as those that programs without record types read.
    /// - Throws: ``StoreError/invalidModel(_:)`` for names that cannot be tables or columns, for an entity without
    ///   attributes or with more than 62, since a change stores the updated ones as bits of one integer, for a
    ///   default of another kind than its attribute, and for an index by an unknown attribute.
    public init(
        version: Int, records: any Record.Type..., entities: [EntityDescription] = []
    ) throws(StoreError) {
        self.version = version
        self.entities = records.map { $0.entityDescription } + entities
        try check()
    }

    /// Creates the model of another program's tables.
    init(attached entities: [EntityDescription]) { (version, self.entities) = (0, entities) }

    /// Returns the entity of that name, if the model has it.
    package func entity(_ name: String) -> EntityDescription? {
        entities.first { $0.name == name }
    }

    static let maxAttributes = 62
    private static let maxNameLength = 64

    private func check() throws(StoreError) {
        if let name = Self.repeated(entities.map(\.name)) {
            throw .invalidModel("two entities have the name '\(name)', in which case does not matter")
        }
        try Self.checkFormer(entities.map { ($0.name, $0.renamedFrom) })
        for entity in entities {
            let names = entity.attributes.map { $0.name.lowercased() }
            if let name = Self.repeated(["id", "version"] + entity.attributes.map(\.name)) {
                throw .invalidModel(
                    "in the entity \(entity.name) the name '\(name)' occurs twice ('id' and 'version' are reserved)"
                )
            }
            guard names.count <= Self.maxAttributes else {
                throw .invalidModel(
                    "the entity \(entity.name) has more than \(Self.maxAttributes) attributes")
            }
            try Self.checkFormer(entity.attributes.map { ($0.name, $0.renamedFrom) })
            for name in [entity.name] + names where !Self.isIdentifier(name) {
                throw .invalidModel(
                    "'\(name)' is not a valid name: use at most \(Self.maxNameLength) letters, digits, and '_', "
                        + "beginning with a letter")
            }
            let reserved = ["history", "store_", "sqlite_"]
            guard !reserved.contains(where: { entity.name.lowercased().hasPrefix($0) }) else {
                throw .invalidModel("names beginning like '\(entity.name)' are reserved for the store")
            }
            // The names of rows in triggers and upserts, which would hide the table.
            guard !["new", "old", "gone", "excluded"].contains(entity.name.lowercased()) else {
                throw .invalidModel("the name '\(entity.name)' is reserved for the store")
            }
            guard !names.isEmpty else { throw .invalidModel("the entity \(entity.name) has no attributes") }
            for attribute in entity.attributes {
                try attribute.check(in: entity)
                if let reason = attribute.reference.flatMap({ invalidity($0, of: attribute) }) {
                    throw .invalidModel("\(entity.name).\(attribute.name) \(reason)")
                }
            }
        }
    }

    private func invalidity(
        _ reference: AttributeDescription.Reference, of attribute: AttributeDescription
    ) -> String? {
        if self.entity(reference.entity) == nil {
            return "refers to the unknown entity '\(reference.entity)'"
        }
        guard reference.rule == .nullify, !attribute.isOptional else { return nil }
        return "cannot be null, so that its rule of deletion cannot be to nullify it"
    }

    /// The references whose rule changes or deletes the objects that refer to a deleted one.
    var hasDeletionActions: Bool {
        entities.contains { $0.attributes.contains { $0.reference.map { $0.rule != .deny } ?? false } }
    }

    /// Returns the first name that another one before it equals, except for case.
    private static func repeated(_ names: [String]) -> String? {
        var known: Set<String> = []
        return names.first { !known.insert($0.lowercased()).inserted }
    }

    /// Checks that each former name leads to one current name.
    private static func checkFormer(_ names: [(current: String, former: [String])]) throws(StoreError) {
        var all: Set<String> = []
        for (current, former) in names {
            for name in former {
                guard name.lowercased() != current.lowercased(), all.insert(name.lowercased()).inserted else {
                    throw .invalidModel("'\(current)' cannot be renamed from '\(name)', its own or another's")
                }
            }
        }
    }

    static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= maxNameLength else { return false }
        return first.isASCIILetter
            && name.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") }
    }
}

/// A model as text, equal if the tables and triggers created from it are equal.
struct StoreModelFingerprint {
    let text: String

    init(_ model: StoreModel) {
        var text = "\(model.version), tables \(StoreSchema.edition), triggers \(HistoryTriggers.edition)"
        for entity in model.entities {
            text += "\n\(entity.name)\(entity.tracksHistory ? "" : " untracked")"
            for attribute in entity.attributes {
                text += "\n"
                StoreSchema.write(attribute, to: &text)
                text += attribute.isIndexed ? " true " : " false "
                // The stored models of all earlier versions have this number.
                let retained = attribute.history.map { $0 == .preservesValueOnDeletion ? 1 : 2 }
                text += String(retained.reduce(0, +))
                if attribute.isUnique { text += " unique" }
                if let order = attribute.indexWhenTrue { text += " where true by \(order)" }
                if let order = attribute.indexWhenFalse { text += " where false by \(order)" }
            }
        }
        self.text = text
    }

    /// Whether the stored text of a model describes the same entities, even with tables and triggers of another
    /// version of this library.
    func hasSameEntities(as stored: String) -> Bool {
        stored.drop { $0 != "\n" } == text.drop { $0 != "\n" }
    }

    /// Whether the stored text of a model describes an entity.
    static func describes(_ entity: String, _ stored: String) -> Bool {
        stored.split(separator: "\n").contains { $0 == entity || $0 == "\(entity) untracked" }
    }

    /// Whether a newer version of this library created the tables or triggers of a fingerprint. A migration
    /// would replace the newer triggers by older ones.
    static func isOfNewerLibrary(_ text: String) -> Bool {
        let line = text.prefix { $0 != "\n" }
        return [("tables", StoreSchema.edition), ("triggers", HistoryTriggers.edition)].contains {
            name, edition in
            line.split(separator: ", ").contains { part in
                part.hasPrefix(name + " ") && Int(part.dropFirst(name.count + 1)) ?? 0 > edition
            }
        }
    }
}
