import Platform
import Synchronization

/// The consumer name that one tracker of this process uses; released when the claim is deallocated.
///
/// The store distinguishes the consumers of two processes, but not those of two trackers in one process.
final class ConsumerClaim: Sendable {
    let name: String
    /// Whether the tracker has the requested name. False for `app#2`, when another tracker uses `app`.
    let isFirst: Bool
    private let key: Key

    private struct Key: Hashable {
        let store: String
        let name: String
    }

    private static let taken = Mutex<Set<Key>>([])

    init(_ requested: String, store path: String) {
        let store = FilePath.resolved(path)
        key = Self.taken.withLock { taken in
            var (key, count) = (Key(store: store, name: requested), 1)
            while !taken.insert(key).inserted {
                count += 1
                key = Key(store: store, name: "\(requested)#\(count)")
            }
            return key
        }
        name = key.name
        isFirst = name == requested
    }

    deinit {
        let key = key
        Self.taken.withLock { _ = $0.remove(key) }
    }
}
