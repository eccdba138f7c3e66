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

    /// The index of an attribute. Copies none, unlike a closure on each.
    func index(of name: String) -> Int? {
        var index = 0
        while index < attributes.count, attributes[index].name != name { index += 1 }
        return index < attributes.count ? index : nil
    }

    /// Returns the attribute of that name, if the entity has it.
    package func attribute(_ name: String) -> AttributeDescription? {
        index(of: name).map { attributes[$0] }
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

/// References to objects.
extension AttributeDescription {
    /// The effect of the deletion of an object on the objects that refer to it. SQLite applies it for every process
    /// of this library, as a part of the same commit.
    @nonexhaustive
    public enum DeletionRule: String, Hashable, Sendable, CaseIterable {
        /// Their references become null.
        case nullify
        /// They are deleted.
        case cascade
        /// They prevent the deletion, unless the same transaction deletes or changes them.
        case deny
    }

    /// The entity to which an attribute refers.
    package struct Reference: Hashable, Sendable {
        package let entity: String
        let rule: DeletionRule
    }

    /// Creates an attribute that contains the ID of an object, with an index.
    ///
    /// Its values are the keys of the objects, or null. A commit with a reference to a missing object fails
    /// with ``StoreError/missingReference(attribute:entity:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the attribute.
    ///   - entity: The entity of the objects to which it refers.
    ///   - rule: The effect of the deletion of such an object; to nullify a reference, it must be optional.
    ///   - isOptional: Whether the reference may be null.
    ///   - isUnique: Whether at most one object may refer to the same object.
    ///   - history: The values that the history retains.
    ///   - renamedFrom: The names that the attribute had in earlier versions of the model, newest first.
    public init(
        _ name: String, referencing entity: String, onDeletion rule: DeletionRule, isOptional: Bool = false,
        isUnique: Bool = false, history: Set<History> = [], renamedFrom: [String] = []
    ) {
        self.init(
            name, .integer, isOptional: isOptional, isUnique: isUnique, isIndexed: true, history: history,
            renamedFrom: renamedFrom)
        reference = Reference(entity: entity, rule: rule)
    }
}

extension AttributeDescription.Reference {
    /// The constraint of the column. It is deferred to the commit, since objects may refer to each other, and a denied
    /// deletion may be followed by that of the objects that refer to the deleted one.
    func write(to text: inout String) {
        text += " REFERENCES \""
        text += entity
        text += "\" (id)"
        switch rule {
        case .nullify: text += " ON DELETE SET NULL"
        case .cascade: text += " ON DELETE CASCADE"
        case .deny: break
        }
        text += " ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED"
    }
}

extension AttributeDescription {
    /// The condition in SQL that the attribute refers to a missing object; nil for an attribute that is no reference.
    var danglingCondition: String? {
        reference.map { "\"\(name)\" NOT NULL AND \"\(name)\" NOT IN (SELECT id FROM \"\($0.entity)\")" }
    }
}

extension AttributeValue {
    /// Returns the value of an attribute that refers to an object; see
    /// ``AttributeDescription/init(_:referencing:onDeletion:isOptional:isUnique:history:renamedFrom:)``.
    ///
    /// The ID may be that of an object that the same context has inserted and not saved.
    package static func reference(_ id: ObjectID) -> AttributeValue { .integer(id.key) }
}

extension ObjectID {
    /// Creates the ID of an object by the value of an attribute that refers to it.
    init(referring key: Int64, to entity: String, in store: StoreDigest) {
        self.init(entity: entity, key: key, store: store, isPermanent: !Self.isTemporary(key: key))
    }
}

extension AttributeDescription {
    /// Checks the default and the indexes, which would otherwise fail when the store is created, or at a save.
    func check(in entity: EntityDescription) throws(StoreError) {
        guard acceptsDefault else {
            throw .invalidModel("the default of \(entity.name).\(name) is not a value of its kind")
        }
        guard indexWhenTrue == nil && indexWhenFalse == nil || kind == .integer || kind == .real else {
            throw .invalidModel(
                "\(entity.name).\(name) is not a number, so it cannot select the objects of an index")
        }
        for order in [indexWhenTrue, indexWhenFalse].compactMap(\.self)
        where entity.attribute(order) == nil && order != "id" && order != "version" {
            throw .invalidModel("the index of \(entity.name).\(name) is by the unknown attribute '\(order)'")
        }
    }

    /// Whether a STRICT table stores the default unchanged, and SQL can express it.
    private var acceptsDefault: Bool {
        switch defaultValue {
        case .none: true
        case .now: kind == .integer || kind == .real
        case .uuid: kind == .text
        case .value(.null): isOptional
        case .value(.integer): kind == .integer || kind == .real
        case .value(.real(let value)):
            kind == .real && value.isFinite && !(value == 0 && value.sign == .minus)
        case .value(.text(let value)): kind == .text && !value.utf8.contains(0)
        case .value(.blob): kind == .blob
        }
    }
}
