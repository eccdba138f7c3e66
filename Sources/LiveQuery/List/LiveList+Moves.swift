extension LiveList {
    package mutating func move(by rows: Int) {
        let index = sum(selectedIndex, rows)
        // The length of the list is unknown.
        if !isCounted, index >= count { moveTo(index: index) } else { choose(index) }
    }

    package mutating func moveToStart() {
        choose(0)
    }

    /// Moves to the first row, as before any move.
    package mutating func stayAtStart() {
        choose(0)
        isUntouched = true
    }

    /// Lets the cursor stay on its item from now on, as after a move.
    package mutating func holdSelection() {
        if count > 0 { isUntouched = false }
    }

    /// Moves to the last row; in an uncounted list, as soon as the end arrives.
    package mutating func moveToEnd() {
        cancelPendingMove()
        pendingIndex = .max
        applyPendingIndex()
    }

    /// Moves to an index, or to the last row if there are fewer rows.
    package mutating func moveTo(index: Int) {
        cancelPendingMove()
        pendingIndex = max(0, min(index, .max / 2))
        applyPendingIndex()
    }

    /// Moves viewport and cursor by screens with two rows of overlap, or by half screens.
    package mutating func page(by pages: Int, half: Bool) {
        cancelPendingMove()
        let step = half ? max(1, height / 2) : max(1, height - 2)
        let distance = max(-count, min(pages, count)) * step
        let index = selectedIndex + distance
        if !isCounted, index >= count { return moveTo(index: index) }
        top = scrolledTop(by: distance)
        selectedIndex = clamped(index)
        reveal()
        staysAtTop = selectedIndex == 0
    }

    /// Moves the viewport; the cursor remains on its item until it would leave the screen.
    package mutating func scroll(by rows: Int) {
        cancelPendingMove()
        top = scrolledTop(by: rows)
        let first = top + (top > 0 ? context : 0)
        let last = top + height - 1 - (top + height < count ? context : 0)
        selectedIndex = clamped(max(first, min(selectedIndex, last)))
        staysAtTop = selectedIndex == 0
    }

    /// Changes the viewport's height; the cursor remains visible, as near to its screen row as possible.
    package mutating func resize(height newHeight: Int) {
        let screenRow = selectedIndex - top
        height = max(1, min(newHeight, maximumHeight))
        top = max(0, selectedIndex - min(screenRow, height - 1))
        fillScreen()
        trim()
    }

    /// Leaves no blank rows below the last row while rows are hidden above.
    mutating func fillScreen() {
        if isCounted { top = min(top, max(0, count - height)) }
    }

    /// Selects an item if it is loaded. Returns whether it was.
    @discardableResult
    package mutating func select(id: Row.ID) -> Bool {
        guard let offset = rows.firstIndex(where: { $0.id == id }) else { return false }
        choose(lowerIndex + offset)
        return true
    }

    /// Completes a pending move once its target is known.
    mutating func applyPendingIndex() {
        guard let index = pendingIndex, isCounted || index < count else { return }
        selectedIndex = clamped(index)
        reveal()
        staysAtTop = selectedIndex == 0
        if index != .max || reachesEnd { pendingIndex = nil }
    }

    private mutating func choose(_ index: Int) {
        cancelPendingMove()
        selectedIndex = clamped(index)
        reveal()
        staysAtTop = selectedIndex == 0
    }

    /// Discards the targets of earlier moves, which a new move replaces.
    private mutating func cancelPendingMove() {
        sought = nil
        lostID = nil
        pendingIndex = nil
        // In an empty list there is nothing to move to.
        isUntouched = isLoaded && count == 0
    }

    private var context: Int { max(0, min(scrollMargin, (height - 1) / 2)) }

    /// Scrolls no further than needed to show the cursor with its context.
    private mutating func reveal() {
        let above = min(context, selectedIndex)
        let below = min(context, max(0, count - 1 - selectedIndex))
        top = max(0, min(max(top, selectedIndex + below + 1 - height), selectedIndex - above))
    }

    /// Returns the top of the viewport after scrolling, at most at the last full screen unless it was beyond.
    private func scrolledTop(by distance: Int) -> Int {
        max(0, min(sum(top, distance), max(top, count - height)))
    }

    /// A count typed before a key may be any number.
    private func sum(_ index: Int, _ distance: Int) -> Int {
        let (sum, overflows) = index.addingReportingOverflow(distance)
        return overflows ? (distance > 0 ? .max : 0) : sum
    }
}
