import ClipsCore
import FoundationEssentials
import PersistentStore

/// Clips that others saved while the person watches: marked for some seconds, and counted while they are
/// above the screen.
struct Arrivals: Sendable {
    private var marked: [Int64: Date] = [:]
    private var above: [Int64: SortPosition] = [:]
    /// Rows that came with the last changes, until the transactions say whose they are.
    private var arriving: [Int64: SortPosition] = [:]
    private(set) var nextExpiry: Date?

    private static let duration = 8.0
    private static let most = 10_000

    func isMarked(_ id: Int64) -> Bool { marked[id] != nil }

    var aboveCount: Int { above.count }

    mutating func take(_ changes: [LiveList<ClipRow>.Change]) {
        for change in changes {
            if let new = change.new {
                if change.old == nil, arriving.count < Self.most { arriving[change.id] = new.position }
                if above[change.id] != nil { above[change.id] = new.position }
            } else {
                arriving[change.id] = nil
                above[change.id] = nil
                marked[change.id] = nil
            }
        }
    }

    mutating func take(_ transactions: [TransactionSummary], at now: Date) {
        for transaction in transactions where !transaction.isOwn {
            for id in transaction.insertedClips.suffix(Self.most) {
                guard let position = arriving[id], marked.count < Self.most else { continue }
                marked[id] = now + Self.duration
                above[id] = position
            }
        }
        arriving.removeAll()
        nextExpiry = marked.values.min()
    }

    /// Rows on the screen, or once passed, are no longer above it.
    mutating func settle(top: SortPosition?, reachesTop: Bool) {
        guard !above.isEmpty else { return }
        if reachesTop { return above.removeAll() }
        if let top { above = above.filter { $0.value < top } }
    }

    mutating func expire(at now: Date) {
        guard let nextExpiry, nextExpiry <= now else { return }
        marked = marked.filter { $0.value > now }
        self.nextExpiry = marked.values.min()
    }

    mutating func forget() {
        above.removeAll()
        arriving.removeAll()
    }
}
