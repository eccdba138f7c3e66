/// A kind of object: a table with the columns `id` and `version` and one column per attribute.
public struct EntityDescription: Hashable, Sendable {
    package let name: String
    package let attributes: [AttributeDescription]
    /// Whether commits to this entity are recorded in the history.
    package let tracksHistory: Bool
    /// The names that the entity had in earlier versions of the model, newest first.
    package let renamedFrom: [String]
    /// The table of another program that contains the objects; nil in a store.
    var attached: AttachedSource?

    /// Creates a description. A store that has one of the names in `renamedFrom`, of earlier versions of the
    /// model, and not the current one is migrated with all objects, and its history then shows the current name.
    ///
    /// - Parameters:
    ///   - name: The name, which is that of the table.
    ///   - attributes: The attributes.
    ///   - tracksHistory: Whether the history records the changes of the objects.
    ///   - renamedFrom: The names that the entity had in earlier versions of the model, newest first.
    public init(
        _ name: String, attributes: [AttributeDescription], tracksHistory: Bool = true,
        renamedFrom: [String] = []
    ) {
        self.name = name
        self.attributes = attributes
        self.tracksHistory = tracksHistory
        self.renamedFrom = renamedFrom
    }

    /// Returns the attribute of that name, if the entity has it.
    package func attribute(_ name: String) -> AttributeDescription? {
        attributes.first { $0.name == name }
    }

    /// The table of the objects in a FROM clause.
    var source: String { attached?.sql ?? "\"\(name)\"" }

    /// The attributes whose values the history retains, in deletions or in updates.
    var retainedAttributes: [AttributeDescription] { attributes.filter { !$0.history.isEmpty } }
}

/// One attribute of an entity.
public struct AttributeDescription: Hashable, Sendable {
    /// The values that the store accepts for the attribute; SQLite checks them for every writer
    /// (sqlite.org/stricttables.html).
    public enum Kind: Hashable, Sendable {
        case integer
        case real
        case text
        case blob

        /// The type of the column.
        package var sql: String {
            switch self {
            case .integer: "INTEGER"
            case .real: "REAL"
            case .text: "TEXT"
            case .blob: "BLOB"
            }
        }
    }

    /// The value for a writer that does not specify the attribute, including the `sqlite3` shell.
    @nonexhaustive
    public enum Default: Hashable, Sendable {
        case none
        case value(AttributeValue)
        /// The current time in milliseconds since 1970-01-01 UTC.
        case now
        /// A random UUID as lowercase text.
        case uuid
    }

    /// A value of the attribute that the history retains.
    @nonexhaustive
    public enum History: Hashable, Sendable, CaseIterable {
        /// The value of a deleted object is retained in its tombstone.
        case preservesValueOnDeletion
        /// The value before an update is retained with the change.
        case recordsOldValue
    }

    package let name: String
    package let kind: Kind
    package let isOptional: Bool
    package let defaultValue: Default
    package let isUnique: Bool
    package let isIndexed: Bool
    package let indexWhenTrue: String?
    package let indexWhenFalse: String?
    package let ignoresCase: Bool
    package let history: Set<History>
    package let renamedFrom: [String]
    /// The entity to which the attribute refers; nil for an attribute that is no reference.
    package internal(set) var reference: Reference?
    /// Whether the column is another program's, which may store values of any kind in it.
    var isAttached = false

    /// Creates a description.
    ///
    /// A store that has one of the names in `renamedFrom`, of earlier versions of the model, and not the current
    /// one is migrated with all values, and its history then shows the current name. Without it, an attribute
    /// with a new name is another attribute, and the values of the missing one are deleted.
    ///
    /// - Parameters:
    ///   - name: The name, which is that of the column.
    ///   - kind: The values that the store accepts.
    ///   - isOptional: Whether the value can be null.
    ///   - defaultValue: The value for a writer that does not specify the attribute.
    ///   - isUnique: Whether no two objects may have the same value; null equals no value. Two writers cannot both save
    ///     one. When an attribute with the default ``Default/uuid`` becomes unique, the later objects that share a value
    ///     get a new one.
    ///   - isIndexed: Whether the attribute has an index. Sorting by it then costs only the returned rows.
    ///   - indexWhenTrue: The attribute by which to index the objects for which this one is not 0. With `.compare(name,
    ///     .notEqual, 0)`, they are found in that order at the cost of those objects alone; other objects cost nothing
    ///     (sqlite.org/partialindex.html).
    ///   - indexWhenFalse: The attribute by which to index the objects for which this one is 0, found with
    ///     `.compare(name, .equal, 0)`.
    ///   - ignoresCase: Whether sorting and comparing ignore ASCII case.
    ///   - history: The values that the history retains.
    ///   - renamedFrom: The names that the attribute had in earlier versions of the model, newest first.
    public init(
        _ name: String, _ kind: Kind, isOptional: Bool = false, defaultValue: Default = .none,
        isUnique: Bool = false, isIndexed: Bool = false, indexWhenTrue: String? = nil,
        indexWhenFalse: String? = nil, ignoresCase: Bool = false, history: Set<History> = [],
        renamedFrom: [String] = []
    ) {
        self.name = name
        self.kind = kind
        self.isOptional = isOptional
        self.defaultValue = defaultValue
        self.isUnique = isUnique
        self.isIndexed = isIndexed
        self.indexWhenTrue = indexWhenTrue
        self.indexWhenFalse = indexWhenFalse
        self.ignoresCase = ignoresCase
        self.history = history
        self.renamedFrom = renamedFrom
    }
}
