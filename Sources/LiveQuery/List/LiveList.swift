import Platform

/// A row of a live list: an item and its position in the order of the list.
package protocol LiveListRow: Identifiable, Equatable, Sendable where ID: Sendable {
    associatedtype Position: Comparable & Sendable

    /// The position in the order of the list, which is total: IDs break ties.
    var position: Position { get }
}

/// The user's view of a sorted, filtered query: a window of rows near the screen, the count, and a cursor
/// that remains on its item, and on its screen row, while other writers change the list.
///
/// Messages (`replace`, `extend`, `setCount`, `apply`) must arrive in the order of the store's snapshots.
/// After a message or a move, send the requests that `nextRequest()` returns, until it returns nil.
package struct LiveList<Row: LiveListRow>: Sendable {
    package typealias Position = Row.Position

    /// All rows of the list with positions in the covered interval, each once.
    package internal(set) var rows: [Row] = []
    /// Whether a first window has arrived; nothing is covered before.
    package internal(set) var isLoaded = false
    /// First covered position; nil once loaded means that the coverage reaches the list's start.
    package internal(set) var lowerBound: Position?
    /// Last covered position; nil once loaded means that the coverage reaches the list's end.
    package internal(set) var upperBound: Position?
    /// The number of rows before the coverage.
    package internal(set) var lowerIndex = 0

    /// Rows in the whole list; only a lower bound until `isCounted`.
    package internal(set) var count = 0
    package internal(set) var isCounted = false

    /// The index of the cursor; its row may not be loaded yet. 0 in an empty list.
    package internal(set) var selectedIndex = 0
    /// Index of the first visible row.
    package internal(set) var top = 0
    /// Visible rows, at least 1.
    package internal(set) var height: Int
    /// The deleted selected item. The cursor returns to it if it is restored before the user moves. A window
    /// of another query is best loaded around it; without it, around the selected item.
    package internal(set) var lostID: Row.ID?
    /// Whether new rows above become visible if the cursor is on the first row or the whole list is visible.
    package var follows = false
    /// Whether the user has moved to the first row, and not away from it.
    package internal(set) var staysAtTop = true
    /// Whether the user has not moved since the list was empty or unknown.
    package internal(set) var isUntouched = true
    /// Rows of context above and below the cursor after a move.
    package var scrollMargin = 0

    /// Whether the cursor moves with its item. Otherwise it remains at the position, now that of another item.
    package var followsSelection = true

    let minimumMargin: Int
    let maximumHeight: Int
    /// The selected item after its position moved beyond the coverage, until it is loaded there.
    var sought: Row?
    /// The index of a move beyond the known count; `Int.max` is the end.
    var pendingIndex: Int?
    var inFlight = RequestsInFlight()
    var lastRequestNumber = 0

    /// - Parameters:
    ///   - minimumMargin: The minimum number of rows loaded above and below the viewport.
    ///   - maximumHeight: A height that a terminal may have; larger ones would only load more rows.
    package init(height: Int, minimumMargin: Int = 50, maximumHeight: Int = 10_000) {
        self.height = max(1, min(height, maximumHeight))
        self.maximumHeight = maximumHeight
        self.minimumMargin = max(1, minimumMargin)
    }
}

extension LiveList {
    /// Whether the cursor stays at the top while others arrive. After a move, it stays on its item.
    package var staysAtStart: Bool { follows && isUntouched }

    /// Whether new rows above become visible now: the viewport then remains at the top.
    package var isFollowing: Bool { follows && top == 0 && (staysAtTop || count <= height) }

    /// Returns the row at an index of the list; nil while it is not loaded.
    package func row(at index: Int) -> Row? {
        index >= lowerIndex && index < upperIndex ? rows[index - lowerIndex] : nil
    }

    /// The loaded rows on the screen.
    package var visibleRows: ArraySlice<Row> {
        rows[(top - lowerIndex..<top - lowerIndex + height).clamped(to: 0..<rows.count)]
    }

    /// The selected item; nil in an empty list, and while its row is not loaded or is being sought.
    package var selectedRow: Row? { sought == nil ? row(at: selectedIndex) : nil }

    package var selectedID: Row.ID? { selectedRow?.id }

    /// Whether the row of the cursor is unknown until more rows arrive.
    package var isAwaitingCursor: Bool {
        !isLoaded || pendingIndex != nil || sought != nil || (count > 0 && row(at: selectedIndex) == nil)
    }

    package var reachesStart: Bool { isLoaded && lowerBound == nil }

    package var reachesEnd: Bool { isLoaded && upperBound == nil }

    /// Index after the last covered row.
    var upperIndex: Int { lowerIndex + rows.count }

    enum Side { case before, inside, after }

    /// Returns the side of the covered interval on which a position is.
    func side(of position: Position) -> Side {
        if let lowerBound, position < lowerBound { return .before }
        if let upperBound, position > upperBound { return .after }
        return .inside
    }

    /// Returns the offset in the window of the first row at or after a position.
    func offset(of position: Position) -> Int {
        rows.indices.partitionPoint { rows[$0].position >= position }
    }

    func clamped(_ index: Int) -> Int { max(0, min(index, count - 1)) }
}
