/// A row of a live list: an item and its place in the order of the list.
package protocol LiveListRow: Identifiable, Equatable, Sendable where ID: Sendable {
    associatedtype Position: Comparable & Sendable

    /// The place in the sort order; total, so ties are broken by the id.
    var position: Position { get }
}

/// What a person sees of a sorted, filtered query: a window of rows near the screen, the count, and a cursor
/// that stays on its item, on its screen row, while others change the list.
///
/// Messages (`replace`, `extend`, `setCount`, `apply`) must come in the order of the store's snapshots.
/// After a message or a move, send what `nextRequest()` asks for until it gives nil.
package struct LiveList<Row: LiveListRow>: Sendable {
    package typealias Position = Row.Position

    /// All rows of the list whose position lies in the covered interval.
    package internal(set) var rows: [Row] = []
    /// Whether a first window has come; nothing is covered before.
    package internal(set) var isLoaded = false
    /// First covered position; nil once loaded means that the coverage reaches the list's start.
    package internal(set) var lowerBound: Position?
    /// Last covered position; nil once loaded means that the coverage reaches the list's end.
    package internal(set) var upperBound: Position?
    /// How many rows of the list lie before the coverage.
    package internal(set) var lowerIndex = 0

    /// Rows in the whole list; only a lower bound until `isCounted`.
    package internal(set) var count = 0
    package internal(set) var isCounted = false

    /// The cursor; it may stand on a row that is not loaded yet. 0 in an empty list.
    package internal(set) var selectedIndex = 0
    /// Index of the first visible row.
    package internal(set) var top = 0
    /// Visible rows, at least 1.
    package internal(set) var height: Int
    /// The selected item that went; the cursor goes back to it when it returns, unless the person moves first.
    /// A window of another query is best loaded around it, or else around the selected item.
    package internal(set) var lostID: Row.ID?
    /// Whether a person who is at the first row, or who sees the whole list, is shown what arrives above.
    package var follows = false
    /// The person is at the first row and has not gone from there since.
    package internal(set) var staysAtTop = true
    /// Rows of context that the person's moves keep above and below the cursor.
    package var scrollMargin = 0

    let minimumMargin: Int
    /// The selected item after it was re-sorted to outside the coverage, until it is loaded there.
    var sought: Row?
    /// Where the person wants to be when that cannot be told yet; `Int.max` is the end.
    var wishedIndex: Int?
    var inFlight = RequestsInFlight()
    var lastRequestNumber = 0

    /// - Parameter minimumMargin: the fewest rows kept loaded above and below the viewport.
    package init(height: Int, minimumMargin: Int = 50) {
        self.height = Self.bounded(height: height)
        self.minimumMargin = max(1, minimumMargin)
    }
}

extension LiveList {
    /// Whether arrivals above are shown now: the viewport then stays at the top.
    package var isFollowing: Bool { follows && top == 0 && (staysAtTop || count <= height) }

    /// The row at an index of the list, nil while it is not loaded.
    package func row(at index: Int) -> Row? {
        index >= lowerIndex && index < upperIndex ? rows[index - lowerIndex] : nil
    }

    /// Those of the rows on the screen that are loaded.
    package var visibleRows: ArraySlice<Row> {
        rows[(top - lowerIndex..<top - lowerIndex + height).clamped(to: 0..<rows.count)]
    }

    /// The selected item; nil in an empty list, and while its row is not loaded or is being sought.
    package var selectedRow: Row? { sought == nil ? row(at: selectedIndex) : nil }

    package var selectedID: Row.ID? { selectedRow?.id }

    /// The selected item while the list waits for the rows around its new place.
    package var soughtID: Row.ID? { sought?.id }

    /// Whether the rows are still to come that tell on which one the cursor is.
    package var isAwaitingCursor: Bool {
        !isLoaded || wishedIndex != nil || sought != nil || (count > 0 && row(at: selectedIndex) == nil)
    }

    package var reachesStart: Bool { isLoaded && lowerBound == nil }

    package var reachesEnd: Bool { isLoaded && upperBound == nil }

    /// Index after the last covered row.
    var upperIndex: Int { lowerIndex + rows.count }

    enum Side { case before, inside, after }

    /// Where a position lies, seen from the covered interval.
    func side(of position: Position) -> Side {
        if let lowerBound, position < lowerBound { return .before }
        if let upperBound, position > upperBound { return .after }
        return .inside
    }

    /// Offset in the window of the first row at or after a position.
    func offset(of position: Position) -> Int {
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].position < position { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func clamped(_ index: Int) -> Int { max(0, min(index, count - 1)) }

    /// A terminal has no more rows; larger heights would only load more.
    static func bounded(height: Int) -> Int { max(1, min(height, 10_000)) }
}
