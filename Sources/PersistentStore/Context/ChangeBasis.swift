/// What a change was made on.
struct ChangeBasis: Sendable {
    /// Nil takes whatever is there.
    var version: Int64?
    /// Nil when that version was not read through this context.
    var object: StoredObject?

    init(version: Int64?, object: StoredObject?) {
        self.version = version
        self.object = object
    }

    init(_ object: StoredObject?) { self.init(version: object?.version, object: object) }
}
