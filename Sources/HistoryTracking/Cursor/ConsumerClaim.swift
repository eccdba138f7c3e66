import Glibc
import Synchronization

/// A consumer's name as one tracker of this process has it; given back when the claim is let go of.
///
/// The store tells consumers of two processes apart, but not those of two trackers in one.
final class ConsumerClaim: Sendable {
    let name: String
    /// False for `app#2`, when `app` was taken.
    let isFirst: Bool
    private let key: Key

    private struct Key: Hashable {
        let store: String
        let name: String
    }

    private static let taken = Mutex<Set<Key>>([])

    init(_ wanted: String, store path: String) {
        let store = Self.resolved(path)
        key = Self.taken.withLock { taken in
            var (key, count) = (Key(store: store, name: wanted), 1)
            while !taken.insert(key).inserted {
                count += 1
                key = Key(store: store, name: "\(wanted)#\(count)")
            }
            return key
        }
        name = key.name
        isFirst = name == wanted
    }

    /// The same for every spelling of a path.
    private static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    deinit {
        let key = key
        Self.taken.withLock { _ = $0.remove(key) }
    }
}
