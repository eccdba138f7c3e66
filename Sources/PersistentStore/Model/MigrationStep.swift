/// A step of a migration in code: it computes the new values of each object from the old ones.
///
/// Opening a store for writing runs the steps to versions above the store's, up to the model's, in the same
/// commit as the change of the tables: a process that dies leaves the old store or the migrated one. Their
/// changes are one transaction of the history, under `migration`, so every consumer receives them.
///
/// ```swift
/// options.migrationSteps = [
///     MigrationStep(to: 2, of: "Note") { note in
///         note["slug"] = .text(slug(of: note["title"].textValue ?? ""))
///     }
/// ]
/// ```
public struct MigrationStep: Sendable {
    /// The author of a migration's transaction. Its context name is the two versions, such as `1 to 2`.
    package static let author = "migration"

    let version: Int
    let entity: String
    let change: @Sendable (inout MigratingObject) throws -> Void

    /// Creates a step.
    ///
    /// - Parameters:
    ///   - version: The first version of the model that requires the change.
    ///   - entity: The entity, by its name in the current model.
    ///   - change: A closure that changes one object. It runs with the write lock; if it throws, the store is
    ///     not opened and not changed.
    public init(
        to version: Int, of entity: String, change: @escaping @Sendable (inout MigratingObject) throws -> Void
    ) {
        self.version = version
        self.entity = entity
        self.change = change
    }
}

/// An object during a migration.
///
/// It has the values of the old store: those of renamed attributes under their new names, and those of dropped
/// attributes. A new attribute that no step sets gets its default.
public struct MigratingObject {
    package let id: ObjectID
    var values: [String: AttributeValue]
    /// The attributes that the last step set.
    var assigned: Set<String> = []
    private(set) var isDeleted = false

    init(id: ObjectID, values: [String: AttributeValue]) {
        self.id = id
        self.values = values
    }

    public subscript(_ attribute: String) -> AttributeValue {
        get { values[attribute] ?? .null }
        set {
            values[attribute] = newValue
            assigned.insert(attribute)
        }
    }

    /// Leaves the object out of the migrated store. Its deletion is recorded.
    public mutating func delete() { isDeleted = true }
}
