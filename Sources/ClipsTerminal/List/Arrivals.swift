import ClipsCore
import FoundationEssentials
import PersistentStore

/// Clips that others saved while the person watches: marked for some seconds, and counted while they are
/// above the screen.
///
/// What arrives costs the same however many came before it.
struct Arrivals: Sendable {
    private struct Mark: Sendable {
        let id: Int64
        let end: Date
    }

    private struct Place: Comparable, Sendable {
        let position: SortPosition
        let id: Int64

        static func < (one: Place, other: Place) -> Bool { one.position < other.position }
        static func == (one: Place, other: Place) -> Bool { one.position == other.position }
    }

    private var marked: [Int64: Date] = [:]
    /// In the order of their ends; some may be of clips that are marked anew, or gone.
    private var marks: ArraySlice<Mark> = []
    private var above: [Int64: SortPosition] = [:]
    /// The lowest on top; some may have moved or gone since.
    private var places = Heap<Place>()
    /// Rows that came with the last changes, until the transactions say whose they are.
    private var arriving: [Int64: SortPosition] = [:]

    private static let duration = 8.0
    private static let most = 10_000
    private static let mostAbove = 100_000

    func isMarked(_ id: Int64) -> Bool { marked[id] != nil }

    var nextExpiry: Date? { marks.first?.end }

    var aboveCount: Int { above.count }

    /// More came than are counted.
    var isAboveCut: Bool { above.count >= Self.mostAbove }

    mutating func take(_ changes: [LiveList<ClipRow>.Change]) {
        for change in changes {
            if let new = change.new {
                if change.old == nil, arriving.count < Self.most { arriving[change.id] = new.position }
                if above[change.id] != nil { put(change.id, above: new.position) }
            } else {
                arriving[change.id] = nil
                above[change.id] = nil
                marked[change.id] = nil
            }
        }
    }

    mutating func take(_ transactions: [TransactionSummary], at now: Date) {
        // On a full second, so that what came one after the other is drawn once when it is no longer new.
        let end = Date(
            timeIntervalSinceReferenceDate: (now.timeIntervalSinceReferenceDate + Self.duration).rounded(.up))
        for transaction in transactions where !transaction.isOwn {
            for id in transaction.insertedClips.suffix(Self.most) {
                guard let position = arriving[id], marked.count < Self.most else { continue }
                marked[id] = end
                marks.append(Mark(id: id, end: end))
                if !isAboveCut { put(id, above: position) }
            }
        }
        arriving.removeAll()
    }

    private mutating func put(_ id: Int64, above position: SortPosition) {
        above[id] = position
        places.insert(Place(position: position, id: id))
        guard places.elements.count > 2 * above.count + 100 else { return }
        places = Heap(above.map { Place(position: $0.value, id: $0.key) })
    }

    /// Rows on the screen, or once passed, are no longer above it.
    mutating func settle(top: SortPosition?, reachesTop: Bool) {
        guard !above.isEmpty else { return }
        if reachesTop { return forgetAbove() }
        guard let top else { return }
        while let lowest = places.max, !(lowest.position < top) {
            places.removeMax()
            if above[lowest.id] == lowest.position { above[lowest.id] = nil }
        }
    }

    mutating func expire(at now: Date) {
        while let first = marks.first, first.end <= now {
            marks.removeFirst()
            if marked[first.id] == first.end { marked[first.id] = nil }
        }
    }

    mutating func forget() {
        forgetAbove()
        arriving.removeAll()
    }

    private mutating func forgetAbove() {
        above.removeAll()
        places = Heap()
    }
}
