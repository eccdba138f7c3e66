import Synchronization

/// What happened since the last exchange, in bounded memory.
final class Signals: Sendable {
    enum Signal: Sendable {
        case commit
        case revision
        case failure(MirrorError)
    }

    struct Due: Sendable {
        var hasRevisions = false
        var failure: MirrorError?
    }

    private let due = Mutex(Due())
    private let wake: @Sendable () -> Void

    init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

    func add(_ signal: Signal) {
        due.withLock { due in
            switch signal {
            case .commit: break
            case .revision: due.hasRevisions = true
            case .failure(let error): due.failure = due.failure ?? error
            }
        }
        wake()
    }

    func takeAll() -> Due {
        due.withLock { due in
            defer { due = Due() }
            return due
        }
    }
}
