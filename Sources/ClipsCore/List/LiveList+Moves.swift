extension LiveList {
    package mutating func move(by rows: Int) {
        let index = sum(selectedIndex, rows)
        // How far the list goes is not known yet.
        if !isCounted, index >= count { moveTo(index: index) } else { choose(index) }
    }

    package mutating func moveToStart() {
        choose(0)
    }

    /// Goes to the last row; before the list is counted, as soon as the store has given the end.
    package mutating func moveToEnd() {
        letGo()
        wishedIndex = .max
        grantWish()
    }

    /// Goes to an index, or to the last row if there are fewer.
    package mutating func moveTo(index: Int) {
        letGo()
        wishedIndex = max(0, min(index, .max / 2))
        grantWish()
    }

    /// Moves viewport and cursor by screens, less two rows of overlap, or by half screens.
    package mutating func page(by pages: Int, half: Bool) {
        letGo()
        let step = half ? max(1, height / 2) : max(1, height - 2)
        let distance = max(-count, min(pages, count)) * step
        let index = selectedIndex + distance
        if !isCounted, index >= count { return moveTo(index: index) }
        top = scrolledTop(by: distance)
        selectedIndex = clamped(index)
        reveal()
        staysAtTop = selectedIndex == 0
    }

    /// Moves the viewport; the cursor stays on its item until it would leave the screen.
    package mutating func scroll(by rows: Int) {
        letGo()
        top = scrolledTop(by: rows)
        let first = top + (top > 0 ? context : 0)
        let last = top + height - 1 - (top + height < count ? context : 0)
        selectedIndex = clamped(max(first, min(selectedIndex, last)))
        staysAtTop = selectedIndex == 0
    }

    /// Changes the viewport's height; the cursor stays visible, as near to its screen row as possible.
    package mutating func resize(height newHeight: Int) {
        let screenRow = selectedIndex - top
        height = Self.bounded(height: newHeight)
        top = max(0, selectedIndex - min(screenRow, height - 1))
        trim()
    }

    /// Selects an item if it is loaded, and says whether it was.
    @discardableResult
    package mutating func select(id: Row.ID) -> Bool {
        guard let offset = rows.firstIndex(where: { $0.id == id }) else { return false }
        choose(lowerIndex + offset)
        return true
    }

    /// Goes where the person wanted to go as soon as that can be told.
    mutating func grantWish() {
        guard let wish = wishedIndex, isCounted || wish < count else { return }
        selectedIndex = clamped(wish)
        reveal()
        staysAtTop = selectedIndex == 0
        if wish != .max || reachesEnd { wishedIndex = nil }
    }

    private mutating func choose(_ index: Int) {
        letGo()
        selectedIndex = clamped(index)
        reveal()
        staysAtTop = selectedIndex == 0
    }

    /// A move by the person ends what the cursor was waiting for.
    private mutating func letGo() {
        sought = nil
        lostID = nil
        wishedIndex = nil
    }

    private var context: Int { max(0, min(scrollMargin, (height - 1) / 2)) }

    /// Scrolls no further than needed to show the cursor with its context.
    private mutating func reveal() {
        let above = min(context, selectedIndex)
        let below = min(context, max(0, count - 1 - selectedIndex))
        top = max(0, min(max(top, selectedIndex + below + 1 - height), selectedIndex - above))
    }

    /// Not past the last full screen, unless the viewport is there already.
    private func scrolledTop(by distance: Int) -> Int {
        max(0, min(sum(top, distance), max(top, count - height)))
    }

    /// A count typed before a key may be any number.
    private func sum(_ index: Int, _ distance: Int) -> Int {
        let (sum, overflows) = index.addingReportingOverflow(distance)
        return overflows ? (distance > 0 ? .max : 0) : sum
    }
}
