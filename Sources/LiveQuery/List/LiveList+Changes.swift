extension LiveList {
    /// The change of one item of the list.
    package struct Change: Sendable {
        package var id: Row.ID
        /// Its old position; nil if it was not in the list.
        package var old: Position?
        /// Its new row; nil if it is no longer in the list.
        package var new: Row?

        package init(id: Row.ID, old: Position?, new: Row?) {
            self.id = id
            self.old = old
            self.new = new
        }
    }

    package enum Direction: Sendable { case before, after }

    /// Applies changes of the store.
    ///
    /// - Complexity: Proportional to the changes and the window, regardless of the count.
    package mutating func apply(changes: [Change]) {
        let net = Self.net(of: changes)
        guard isLoaded else {
            if isCounted {
                count = net.values.reduce(count) { $0 + ($1.new == nil ? 0 : 1) - ($1.old == nil ? 0 : 1) }
            }
            return layOut(at: selectedIndex, screenRow: selectedIndex - top)
        }
        let anchor = row(at: selectedIndex)
        let oldUpperIndex = upperIndex
        let wasEmpty = count == 0
        merge(net)

        if let lostID, net[lostID]?.new != nil { isUntouched = false }
        guard !staysAtStart else { return layOut(at: 0, screenRow: 0) }
        let index =
            if let position = retarget(net, anchor: anchor) {
                lowerIndex + offset(of: position)
            } else if wasEmpty {
                0
            } else if selectedIndex >= oldUpperIndex {
                selectedIndex + upperIndex - oldUpperIndex
            } else {
                selectedIndex
            }
        layOut(at: index, screenRow: selectedIndex - top)
        // In an empty list there is nothing to stay at, except an item that returns.
        if count == 0 { isUntouched = true }
    }

    /// Replaces the rows by a window. Its count replaces the known one, unless it answers a request: then the
    /// list is the same, and a known count remains.
    ///
    /// - Parameter isRefresh: Whether the list has the same query and order, and was read again. The window may be around an
    ///   earlier place of the cursor, which remains where it is.
    package mutating func replace(window: Window, isRefresh: Bool = false) {
        let isAnswer = window.requestNumber != nil
        guard !isAnswer || window.requestNumber == inFlight.window?.number else { return }
        let held = sought ?? selectedRow
        // A list that was emptied begins at its start again, which ends the search for its item.
        if staysAtStart { sought = nil }
        inFlight = RequestsInFlight()
        isLoaded = true
        rows = Self.unique(window.rows, besides: [])
        lowerIndex = rows.isEmpty ? 0 : window.lowerIndex
        lowerBound = window.reachesStart ? nil : rows.first?.position
        upperBound = window.reachesEnd ? nil : rows.last?.position
        if let counted = window.count {
            count = max(counted, upperIndex)
            isCounted = true
        } else if isAnswer {
            count = max(count, upperIndex)
        } else {
            count = upperIndex
            isCounted = false
        }
        if let lostID, rows.contains(where: { $0.id == lostID }) { isUntouched = false }
        let index =
            if staysAtStart {
                0
            } else if isRefresh, !isAnswer, let place = refreshedIndex(of: held) {
                place
            } else {
                index(of: held?.id, in: window, isAnswer: isAnswer)
            }
        if !isAnswer, count == 0 { isUntouched = true }
        layOut(at: index, screenRow: selectedIndex - top)
    }

    /// Adds the answer to `after` or `before`, unless it was superseded. No rows means the edge.
    package mutating func extend(
        with more: [Row], _ direction: Direction, reachedEdge: Bool, requestNumber: Int
    ) {
        switch direction {
        case .after:
            guard inFlight.after == requestNumber else { return }
            inFlight.after = nil
            rows += Self.unique(more, besides: rows)
            upperBound = reachedEdge ? nil : more.last?.position
        case .before:
            guard inFlight.before == requestNumber else { return }
            inFlight.before = nil
            let new = Self.unique(more, besides: rows)
            rows.insert(contentsOf: new, at: 0)
            lowerIndex = max(0, lowerIndex - new.count)
            lowerBound = reachedEdge ? nil : more.first?.position
        }
        count = max(count, upperIndex)
        layOut(at: locatedIndex() ?? selectedIndex, screenRow: selectedIndex - top)
    }

    /// Sets the store's count of the whole list.
    package mutating func setCount(_ counted: Int) {
        count = max(counted, upperIndex)
        isCounted = true
        layOut(at: selectedIndex, screenRow: selectedIndex - top)
    }

    /// Returns the rows of items that occur once and not among others.
    private static func unique(_ rows: [Row], besides others: [Row]) -> [Row] {
        var known = Set(others.map(\.id))
        return rows.filter { known.insert($0.id).inserted }
    }

    /// Returns one change for each item, from its first old position to its last new row.
    private static func net(of changes: [Change]) -> [Row.ID: Change] {
        var net: [Row.ID: Change] = [:]
        for change in changes {
            net[change.id] = Change(id: change.id, old: (net[change.id] ?? change).old, new: change.new)
        }
        return net
    }

    /// Updates the rows, `lowerIndex`, and the count.
    private mutating func merge(_ changes: [Row.ID: Change]) {
        var before = 0
        var after = 0
        var leaving: Set<Int> = []
        var arriving: [Row] = []
        for (offset, row) in rows.enumerated() where changes[row.id] != nil { leaving.insert(offset) }
        for change in changes.values {
            if let old = change.old {
                switch side(of: old) {
                case .before: before -= 1
                case .after: after -= 1
                case .inside: break
                }
            }
            if let new = change.new {
                switch side(of: new.position) {
                case .before: before += 1
                case .after: after += 1
                case .inside: arriving.append(new)
                }
            }
        }
        let oldRows = rows.count
        replaceRows(leaving: leaving, arriving: arriving)
        lowerIndex = max(0, lowerIndex + before)
        count = max(upperIndex, count + before + after + rows.count - oldRows)
    }

    /// Inserts few rows one by one, which moves the others without copying them; many in one pass over the
    /// window.
    private mutating func replaceRows(leaving: Set<Int>, arriving: [Row]) {
        guard leaving.count + arriving.count > 8 else {
            for offset in leaving.sorted(by: >) { rows.remove(at: offset) }
            for row in arriving { insert(row) }
            return
        }
        var merged: [Row] = []
        merged.reserveCapacity(rows.count + arriving.count)
        var next = 0
        for row in arriving.sorted(by: { $0.position < $1.position }) {
            let end = offset(of: row.position)
            if next < end {
                for offset in next..<end where !leaving.contains(offset) { merged.append(rows[offset]) }
                next = end
            }
            if next < rows.count, rows[next].position == row.position { next += 1 }
            merged.append(row)
        }
        for offset in next..<rows.count where !leaving.contains(offset) { merged.append(rows[offset]) }
        rows = merged
    }

    private mutating func insert(_ row: Row) {
        let offset = offset(of: row.position)
        if offset < rows.count, rows[offset].position == row.position {
            rows[offset] = row
        } else {
            rows.insert(row, at: offset)
        }
    }

    /// Returns the position of the cursor. After a deletion, the cursor remains at the position, now that of the
    /// next item.
    private mutating func retarget(_ net: [Row.ID: Change], anchor: Row?) -> Position? {
        let held = sought?.id ?? anchor?.id
        let returned = lostID.flatMap { net[$0] }.flatMap { $0.old == nil ? $0.new : nil }
        guard let wanted = returned?.id ?? held, let change = net[wanted] else {
            return anchor?.position
        }
        guard let new = change.new, followsSelection || change.old == new.position else {
            sought = nil
            if followsSelection { lostID = lostID ?? wanted }
            return anchor?.position
        }
        if returned != nil { lostID = nil }
        if side(of: new.position) == .inside {
            sought = nil
            return new.position
        }
        sought = new
        return anchor?.position
    }

    /// Returns the index of the cursor if its item is not in the rows that were read again; nil if it is.
    private mutating func refreshedIndex(of held: Row?) -> Int? {
        guard followsSelection else { return nil }
        guard let held else {
            // The list may be as long as before.
            if !isCounted, selectedIndex >= count { pendingIndex = pendingIndex ?? selectedIndex }
            return selectedIndex
        }
        let isThere = rows.contains { $0.id == held.id || $0.id == lostID }
        guard !isThere else { return nil }
        guard side(of: held.position) != .inside else { return index(without: held) }
        sought = held
        return selectedIndex
    }

    /// Returns the index of the item after one that was deleted.
    private mutating func index(without held: Row) -> Int {
        sought = nil
        lostID = lostID ?? held.id
        return lowerIndex + offset(of: held.position)
    }

    /// Returns the index of the cursor in a window that has replaced the rows.
    private mutating func index(of held: Row.ID?, in window: Window, isAnswer: Bool) -> Int {
        guard followsSelection || isAnswer else {
            return window.around.map { lowerIndex + offset(of: $0) } ?? (isFollowing ? 0 : selectedIndex)
        }
        for id in isAnswer ? [held] : [lostID, held] {
            guard let id, let offset = rows.firstIndex(where: { $0.id == id }) else { continue }
            if id == lostID { lostID = nil }
            sought = nil
            return lowerIndex + offset
        }
        if isAnswer { return locatedIndex() ?? selectedIndex }
        sought = nil
        lostID = lostID ?? held
        if let position = window.around { return lowerIndex + offset(of: position) }
        return held == nil ? selectedIndex : max(lowerIndex, min(selectedIndex, upperIndex - 1))
    }

    /// Returns the index of the sought item once its position is covered, and ends the search.
    private mutating func locatedIndex() -> Int? {
        guard let position = sought?.position, side(of: position) == .inside else { return nil }
        sought = nil
        return lowerIndex + offset(of: position)
    }

    /// Sets the cursor to an index and, if the rows above allow it, to its screen row. A viewport that
    /// follows at the top remains there while the cursor is on the screen.
    private mutating func layOut(at index: Int, screenRow: Int) {
        closeCoverage()
        selectedIndex = clamped(index)
        // A list that does not follow has moved the cursor.
        if selectedIndex > 0 { isUntouched = false }
        if !isFollowing || selectedIndex >= height { top = max(0, selectedIndex - screenRow) }
        fillScreen()
        applyPendingIndex()
        trim()
    }

    /// Extends the coverage to an edge without rows beyond; at the end, the count is known.
    private mutating func closeCoverage() {
        guard isLoaded else { return }
        if lowerIndex == 0 {
            lowerBound = nil
            inFlight.before = nil
        }
        if isCounted, count == upperIndex {
            upperBound = nil
            inFlight.after = nil
        }
        if upperBound == nil {
            count = upperIndex
            isCounted = true
        }
    }
}
