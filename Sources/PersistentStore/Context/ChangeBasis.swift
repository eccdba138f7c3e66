/// The state of an object on which a change was made.
struct ChangeBasis: Sendable {
    /// The version of the object; nil applies the change to any version.
    var version: Int64?
    /// The object; nil if that version was not read through this context.
    var object: StoredObject?

    init(version: Int64?, object: StoredObject?) {
        self.version = version
        self.object = object
    }

    init(_ object: StoredObject?) { self.init(version: object?.version, object: object) }
}
