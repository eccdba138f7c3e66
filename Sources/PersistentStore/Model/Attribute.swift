/// One attribute of an entity.
public struct Attribute: Hashable, Sendable {
    /// What the store accepts for the attribute; SQLite checks it for every writer (sqlite.org/stricttables.html).
    public enum Kind: String, Hashable, Sendable {
        case integer = "INTEGER"
        case real = "REAL"
        case text = "TEXT"
        case blob = "BLOB"
    }

    /// What a writer gets that does not name the attribute, also the `sqlite3` shell.
    public enum Default: Hashable, Sendable {
        case none
        case value(Value)
        /// Milliseconds since 1970-01-01 UTC.
        case now
        /// A random UUID as lower-case text.
        case uuid
    }

    /// What history keeps of the attribute besides "it changed".
    public struct History: OptionSet, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The value an object had stays in the tombstone when the object is deleted.
        public static let preservesValueOnDeletion = History(rawValue: 1)
        /// The value before an update stays with the change.
        public static let recordsOldValue = History(rawValue: 2)
    }

    public let name: String
    public let kind: Kind
    public let isOptional: Bool
    public let defaultValue: Default
    public let isUnique: Bool
    /// Sorting by the attribute then costs the rows read, not the rows there are.
    public let isIndexed: Bool
    /// Objects for which this attribute is not 0, by `.compare(name, .notEqual, 0)`, are found in the order of the
    /// attribute named here at the cost of those objects alone; all others cost nothing
    /// (sqlite.org/partialindex.html).
    public let indexWhenTrue: String?
    /// Sorted and compared without regard to ASCII case.
    public let ignoresCase: Bool
    public let history: History

    public init(
        _ name: String, _ kind: Kind, isOptional: Bool = false, defaultValue: Default = .none,
        isUnique: Bool = false, isIndexed: Bool = false, indexWhenTrue: String? = nil,
        ignoresCase: Bool = false, history: History = []
    ) {
        self.name = name
        self.kind = kind
        self.isOptional = isOptional
        self.defaultValue = defaultValue
        self.isUnique = isUnique
        self.isIndexed = isIndexed
        self.indexWhenTrue = indexWhenTrue
        self.ignoresCase = ignoresCase
        self.history = history
    }
}
