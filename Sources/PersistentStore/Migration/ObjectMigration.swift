import FoundationEssentials
import SQLite

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

/// The steps in code of one migration, which the history records as one transaction.
struct MigrationRun {
    private let steps: [MigrationStep]
    private let path: String
    private let metadata: StoreMetadata
    private let transaction: RecordedTransaction
    private let first: Int64?

    /// Begins the transaction if there are steps to run.
    ///
    /// - Parameter stored: The entities of the store, by their new names.
    init(_ opening: StoreOpening, stored: Set<String>, on connection: borrowing Connection) throws {
        let (metadata, model) = (try StoreMetadata(connection), opening.model)
        let due = opening.options.migrationSteps
            .filter { metadata.modelVersion < $0.version && $0.version <= model.version }
        for step in due where model.entity(step.entity) == nil {
            throw StoreError.cannotMigrate(
                path: opening.path,
                reason: "the step to version \(step.version) names the unknown entity '\(step.entity)'")
        }
        steps =
            due
            .filter { stored.contains($0.entity) }
            .sorted { $0.version < $1.version }
        let origin = TransactionOrigin(
            author: MigrationStep.author, contextName: "\(metadata.modelVersion) to \(model.version)",
            session: Int64.random(in: 1...Int64.max))
        transaction = RecordedTransaction(origin: origin, options: opening.options, storeID: metadata.storeID)
        first = steps.isEmpty ? nil : try transaction.begin(on: connection, ExternalTriggers())
        self.metadata = metadata
        path = opening.path
    }

    /// Returns the migration of an entity's objects; nil if no step changes them.
    func migration(of triggers: HistoryTriggers) -> ObjectMigration? {
        let own = steps.filter { $0.entity == triggers.entity.name }
        guard !own.isEmpty else { return nil }
        return ObjectMigration(steps: own, triggers: triggers, storeID: metadata.storeID, path: path)
    }

    func end(on connection: borrowing Connection) throws {
        guard let first else { return }
        let facts = StoreConnection.Facts(generation: metadata.generation)
        _ = try transaction.end(first, on: connection, facts)
    }
}

/// The steps that change the objects of one entity while they move to another table.
struct ObjectMigration {
    let steps: [MigrationStep]
    let triggers: HistoryTriggers
    let storeID: UUID
    let path: String

    private var entity: EntityDescription { triggers.entity }

    /// Inserts each changed object of the entity's table into the table `draft`, and records the changes.
    func run(from columns: Set<String>, to draft: String, on connection: borrowing Connection) throws {
        let columns = columns.sorted()
        let list = columns.map { ", " + StoreSchema.quoted($0) }.joined()
        let rows = try connection.prepare("SELECT id, version\(list) FROM \"\(entity.name)\" ORDER BY id")
        while try rows.step() {
            var old: [String: AttributeValue] = [:]
            for (index, column) in columns.enumerated() { old[column] = rows.value(index + 2) }
            let id = ObjectID(entity: entity.name, key: rows.integer(0), storeID: storeID)
            var object = MigratingObject(id: id, values: old)
            for step in steps where !object.isDeleted { try run(step, on: &object) }
            if object.isDeleted {
                let preserved = entity.attributes.filter { $0.history.contains(.preservesValueOnDeletion) }
                try record(.delete, preserved, retaining: preserved, of: old, id, on: connection)
                continue
            }
            let changed = entity.attributes.filter {
                !object[$0.name].isSame(as: old[$0.name] ?? .null)
            }
            let version = min(rows.integer(1), .max - 1) + (changed.isEmpty ? 0 : 1)
            try insert(object, version: version, into: draft, on: connection)
            guard !changed.isEmpty else { continue }
            let recorded = changed.filter { $0.history.contains(.recordsOldValue) }
            try record(.update, changed, retaining: recorded, of: old, id, on: connection)
        }
        // A note of a deleted object would be recorded as a second deletion.
        try connection.run("DELETE FROM \(StoreSchema.replacedTable(entity.name))")
    }

    private func run(_ step: MigrationStep, on object: inout MigratingObject) throws(StoreError) {
        object.assigned = []
        do {
            try step.change(&object)
        } catch {
            throw .cannotMigrate(
                path: path, reason: "the step of \(entity.name) to version \(step.version) failed: \(error)")
        }
        // Earlier steps may set attributes that a later version dropped.
        guard step.version == steps.last?.version else { return }
        try entity.check(object.values.filter { object.assigned.contains($0.key) })
    }

    /// Inserts an object. A missing value, and null where a value is required, become the default.
    private func insert(
        _ object: MigratingObject, version: Int64, into draft: String, on connection: borrowing Connection
    ) throws(SQLiteError) {
        let given = entity.attributes.filter { attribute in
            object.values[attribute.name].map { attribute.isOptional || !$0.isNull } ?? false
        }
        let names = given.map { ", \"\($0.name)\"" }.joined()
        let marks = given.map { _ in ", ?" }.joined()
        let statement = try connection.prepare(
            "INSERT INTO \"\(draft)\" (id, version\(names)) VALUES (?, ?\(marks))")
        try statement.bind(object.id.key, at: 1)
        try statement.bind(version, at: 2)
        for (index, attribute) in given.enumerated() {
            try object[attribute.name].bind(to: statement, at: index + 3)
        }
        while try statement.step() {}
    }

    /// Records a change as the triggers do.
    private func record(
        _ kind: HistoryChange.Kind, _ attributes: [AttributeDescription],
        retaining retained: [AttributeDescription], of old: [String: AttributeValue], _ id: ObjectID,
        on connection: borrowing Connection
    ) throws(SQLiteError) {
        guard entity.tracksHistory else { return }
        try connection.run(
            "INSERT INTO history (kind, entity, object, columns) VALUES (?1, ?2, ?3, ?4)", kind.rawValue,
            triggers.entityID, id.key, HistoryTriggers.mask(of: attributes, triggers.bits))
        guard !retained.isEmpty else { return }
        let number = connection.lastInsertedRow
        let names = retained.map { ", " + StoreSchema.retainedColumn($0) }.joined()
        let marks = retained.map { _ in ", ?" }.joined()
        let statement = try connection.prepare(
            "INSERT INTO \(StoreSchema.valuesTable(entity.name)) (number\(names)) VALUES (?\(marks))")
        try statement.bind(number, at: 1)
        for (index, attribute) in retained.enumerated() {
            try (old[attribute.name] ?? .null).bind(to: statement, at: index + 2)
        }
        while try statement.step() {}
    }
}
