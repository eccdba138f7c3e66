import ClipsCore
import FoundationEssentials
import LiveQuery
import PersistentStore
import Platform

/// New clips of other processes: marked for a few seconds, and counted while above the screen.
///
/// The cost of an arrival does not depend on the number of earlier ones.
struct Arrivals: Sendable {
    private struct Mark: Sendable {
        let id: Int64
        let end: Date
    }

    private struct Entry: Comparable, Sendable {
        let position: SortPosition
        let id: Int64

        static func < (one: Entry, other: Entry) -> Bool { one.position < other.position }
        static func == (one: Entry, other: Entry) -> Bool { one.position == other.position }
    }

    private var marked: [Int64: Date] = [:]
    /// In the order of their ends. Some may belong to clips that were marked again or deleted.
    private var marks: ArraySlice<Mark> = []
    private var above: [Int64: SortPosition] = [:]
    /// The clips above the screen, the lowest first. Some may have moved or been deleted.
    private var entries = Heap<Entry>()
    /// New rows whose transactions, and so whose authors, are still to arrive.
    private var arriving: [Int64: SortPosition] = [:]

    /// Whether some of the counted clips may have been deleted, or others saved, since the list was read again.
    private(set) var isApproximate = false

    private static let duration = 8.0
    private static let maxMarked = maxAbove
    private static let maxAbove = 100_000

    func isMarked(_ id: Int64) -> Bool { marked[id] != nil }

    var nextExpiry: Date? { marks.first?.end }

    var aboveCount: Int { min(counted, rowsAbove) }
    private var counted: Int { above.count + unreported }
    /// The rows above the screen: some of the counted clips may have been deleted.
    private var rowsAbove = Int.max

    /// The rows that changes put above the screen which were too many to be reported.
    private var unreported = 0
    /// Those that may be of this window's own changes, and whether they are, if that is known.
    private var moved = 0
    private var areOwn: Bool?

    /// Whether there are more than the counted clips.
    var isAboveCut: Bool { above.count >= Self.maxAbove }

    mutating func apply(_ changes: [LiveList<ClipRow>.Change]) {
        for change in changes {
            if let new = change.new {
                if change.old == nil, arriving.count < Self.maxAbove { arriving[change.id] = new.position }
                if above[change.id] != nil { put(change.id, above: new.position) }
            } else {
                arriving[change.id] = nil
                above[change.id] = nil
                marked[change.id] = nil
            }
        }
    }

    /// Marks the new clips of other processes.
    mutating func mark(_ transactions: [TransactionSummary], at now: Date) {
        // Rounded to the second, so that clips that arrived one by one expire in one drawing.
        let end = Date(
            timeIntervalSinceReferenceDate: (now.timeIntervalSinceReferenceDate + Self.duration).rounded(.up))
        for transaction in transactions where !transaction.isOwn {
            for id in transaction.insertedClips.suffix(Self.maxAbove) {
                guard let position = arriving[id] else { continue }
                if !isAboveCut { put(id, above: position) }
                // The newest ones are nearest to the start of the list.
                while marks.count >= Self.maxMarked, let first = marks.popFirst() { unmark(first) }
                marked[id] = end
                marks.append(Mark(id: id, end: end))
            }
        }
        arriving.removeAll()
    }

    private mutating func put(_ id: Int64, above position: SortPosition) {
        above[id] = position
        entries.insert(Entry(position: position, id: id))
        guard entries.elements.count > 2 * above.count + 100 else { return }
        entries = Heap(above.map { Entry(position: $0.value, id: $0.key) })
    }

    /// Removes the clips that are on the screen or below it.
    ///
    /// - Parameter index: The number of rows above the screen.
    mutating func scrolled(toTop top: SortPosition?, index: Int, isStart: Bool) {
        guard counted > 0 else { return }
        if isStart { return resetAbove() }
        rowsAbove = index
        unreported = min(unreported, max(0, index - above.count))
        guard let top else { return }
        while let lowest = entries.max, !(lowest.position < top) {
            entries.removeMax()
            if above[lowest.id] == lowest.position { above[lowest.id] = nil }
        }
        if counted == 0 { isApproximate = false }
    }

    mutating func expire(at now: Date) {
        while let first = marks.first, first.end <= now {
            marks.removeFirst()
            unmark(first)
        }
    }

    private mutating func unmark(_ mark: Mark) {
        if marked[mark.id] == mark.end { marked[mark.id] = nil }
    }

    mutating func reset() {
        resetAbove()
        arriving.removeAll()
    }

    /// Continues after changes that are too many to be reported.
    ///
    /// - Parameter top: The position of the first row on the screen.
    mutating func refresh(top: SortPosition?) {
        // Their transactions may be among those that are not reported.
        moved += arriving.values.count { position in top.map { position < $0 } ?? false }
        arriving.removeAll()
        isApproximate = counted > 0
        (areOwn, rowsAbove) = (nil, .max)
    }

    /// The counted clips of which some may have been deleted since.
    var uncertain: Set<Int64> { isApproximate ? Set(above.keys) : [] }

    /// Removes those of them that the list no longer has.
    mutating func remove(_ ids: Set<Int64>) {
        for id in ids { above[id] = nil }
        if unreported == 0, moved == 0 { isApproximate = false }
    }

    /// Counts the rows by which such changes moved the cursor, once it is known that they are not this window's.
    mutating func addUnreported(_ rows: Int) {
        guard rows > 0, areOwn != true else { return }
        moved += rows
        if areOwn == false { countMoved() }
    }

    /// Notes who made the changes that were too many to be reported.
    mutating func noteUnreported(areOwn: Bool) {
        self.areOwn = areOwn
        if areOwn { moved = 0 } else { countMoved() }
    }

    private mutating func countMoved() {
        guard moved > 0 else { return }
        (unreported, moved, isApproximate) = (unreported + moved, 0, true)
    }

    private mutating func resetAbove() {
        above.removeAll()
        (unreported, moved) = (0, 0)
        entries = Heap()
        isApproximate = false
    }
}
