import Synchronization

/// The bounds of the history of one snapshot, cached because a pass reads them several times.
final class SnapshotFacts: Sendable {
    private struct Facts {
        var newest: Int64?
        var ends: (floor: Int64, expiry: Int64)?
    }

    private let facts = Mutex(Facts())

    var newest: Int64? { facts.withLock(\.newest) }
    var ends: (floor: Int64, expiry: Int64)? { facts.withLock(\.ends) }

    func setNewest(_ number: Int64) { facts.withLock { $0.newest = number } }

    func setEnds(_ ends: (floor: Int64, expiry: Int64)) { facts.withLock { $0.ends = ends } }
}
