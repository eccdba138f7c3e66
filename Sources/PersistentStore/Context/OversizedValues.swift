import Synchronization

/// The size beyond which a connection that reads cuts a text, and the objects with a larger one.
///
/// An external writer can store a text of a gigabyte. SQLite loads a whole value; each copy of it costs its size again.
package final class OversizedValues: Sendable {
    private let limit: Int
    private let prefix: Int
    private let objects = Mutex<Set<ObjectID>>([])

    /// - Parameters:
    ///   - limit: The maximum size of a text that is read as it is, in bytes.
    ///   - prefix: The size to which a larger one is cut.
    package init(over limit: Int, prefix: Int) { (self.limit, self.prefix) = (limit, prefix) }

    /// The objects of which a text was cut.
    package var found: Set<ObjectID> { objects.withLock { $0 } }

    /// Returns the size to which a text of an object is read.
    func bound(_ bytes: Int, of id: ObjectID) -> Int {
        guard bytes > limit else { return .max }
        objects.withLock { _ = $0.insert(id) }
        return prefix
    }
}
