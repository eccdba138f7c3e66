import SQLite
import Synchronization

/// The size beyond which a connection that reads cuts a text, and the objects with a larger one.
///
/// An external writer can store a text of a gigabyte. SQLite loads a whole value; each copy of it costs its size again.
package final class OversizedValues: Sendable {
    private let limit: Int
    private let prefix: Int
    private let objects = Mutex<Set<ObjectID>>([])
    private let hasFound = Atomic(false)

    /// - Parameters:
    ///   - limit: The maximum size of a text that is read as it is, in bytes.
    ///   - prefix: The size to which a larger one is cut.
    package init(over limit: Int, prefix: Int) { (self.limit, self.prefix) = (limit, prefix) }

    /// The objects of which a text was cut.
    package var found: Set<ObjectID> { objects.withLock { $0 } }

    /// Notes an object of which a text was cut, or which was read as it is.
    func note(_ id: ObjectID, isCut: Bool) {
        guard isCut || hasFound.load(ordering: .relaxed) else { return }
        objects.withLock { objects in
            if isCut { objects.insert(id) } else { objects.remove(id) }
            hasFound.store(!objects.isEmpty, ordering: .relaxed)
        }
    }

    /// Returns the size to which a text is read.
    fileprivate func bound(_ bytes: Int) -> Int { bytes > limit ? prefix : .max }
}

extension Statement {
    /// Returns the value of a column, with a text up to its bound.
    ///
    /// - Parameters:
    ///   - maxBytes: The size to which each text is read.
    ///   - isCut: Becomes true if the text is larger than the limit.
    func value(
        _ column: Int, within oversized: OversizedValues?, upTo maxBytes: Int = .max, isCut: inout Bool
    ) -> AttributeValue {
        guard type(column) == .text else { return value(column) }
        let bound = oversized?.bound(byteCount(column)) ?? .max
        if bound < .max { isCut = true }
        return .text(text(column, upTo: min(bound, maxBytes)))
    }
}

extension StoreSnapshot {
    /// Whether a text of an object was cut when it was last read.
    package func hasCut(_ id: ObjectID) -> Bool { query.oversized?.found.contains(id) ?? false }
}
