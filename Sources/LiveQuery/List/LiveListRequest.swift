extension LiveList {
    /// Rows that the list needs from the store.
    package struct Request: Equatable, Sendable {
        package let number: Int
        package let kind: Kind

        /// `after` and `before` are answered by `extend`, all others by `replace`.
        package enum Kind: Equatable, Sendable {
            case start(limit: Int)
            case end(limit: Int)
            /// The nearest rows whose position is greater.
            case after(Position, limit: Int)
            /// The nearest rows whose position is less, in the order of the list.
            case before(Position, limit: Int)
            /// Rows before a position and rows from it on, whether or not there is a row at the position.
            case around(Position, before: Int, after: Int)
            /// Rows before an index, and rows from it on; past the end, the last rows.
            case at(index: Int, before: Int, after: Int)
        }
    }

    /// Adjacent rows in one snapshot of the store. Empty only if the whole list is empty.
    package struct Window: Sendable {
        package var rows: [Row]
        /// The number of rows of the list before these.
        package var lowerIndex: Int
        package var count: Int?
        package var reachesStart: Bool
        package var reachesEnd: Bool
        /// The number of the answered request; nil for a full refresh or another query.
        package var requestNumber: Int?
        /// The position of the cursor if a window without a request lacks the selected item.
        package var around: Position?

        package init(
            rows: [Row], lowerIndex: Int, count: Int?, reachesStart: Bool, reachesEnd: Bool,
            requestNumber: Int? = nil, around: Position? = nil
        ) {
            self.rows = rows
            self.lowerIndex = lowerIndex
            self.count = count
            self.reachesStart = reachesStart
            self.reachesEnd = reachesEnd
            self.requestNumber = requestNumber
            self.around = around
        }
    }

    struct RequestsInFlight: Sendable {
        var window: Request?
        var after: Int?
        var before: Int?
    }

    /// Returns the next request to the store; nil if the viewport and a margin are covered or requested.
    package mutating func nextRequest() -> Request? {
        if let kind = neededWindow {
            if let asked = inFlight.window?.kind, serves(asked, kind) { return nil }
            let request = numbered(kind)
            inFlight.window = request
            return request
        }
        inFlight.window = nil
        if let upperBound, inFlight.after == nil, upperIndex < top + height + margin {
            let request = numbered(.after(upperBound, limit: top + height + reach - upperIndex))
            inFlight.after = request.number
            return request
        }
        if let lowerBound, inFlight.before == nil, lowerIndex > top - margin {
            let request = numbered(.before(lowerBound, limit: lowerIndex - max(0, top - reach)))
            inFlight.before = request.number
            return request
        }
        return nil
    }

    /// Discards a failed request, so that it is repeated.
    package mutating func requestFailed(number: Int) {
        if inFlight.window?.number == number { inFlight.window = nil }
        if inFlight.after == number { inFlight.after = nil }
        if inFlight.before == number { inFlight.before = nil }
    }

    /// Rows beyond the viewport that must be covered.
    private var margin: Int { max(minimumMargin, min(2 * height, 200)) }

    /// Rows beyond the viewport that a request loads, so that few moves of the cursor cause one.
    private var reach: Int { margin + margin / 2 }

    /// The maximum number of rows, more than the viewport and `reach` on both sides.
    private var bound: Int { 8 * max(minimumMargin, height) }

    private mutating func numbered(_ kind: Request.Kind) -> Request {
        lastRequestNumber += 1
        return Request(number: lastRequestNumber, kind: kind)
    }

    /// The window that must replace the present one because extending that would not reach the target.
    private var neededWindow: Request.Kind? {
        if pendingIndex == .max { return .end(limit: height + reach) }
        if let pendingIndex { return .at(index: pendingIndex, before: height + reach, after: height + reach) }
        if let sought { return .around(sought.position, before: height + reach, after: height + reach) }
        if isLoaded, top <= upperIndex + margin, top + height + margin >= lowerIndex { return nil }
        if top <= reach { return .start(limit: top + height + reach) }
        if isCounted, top + height + reach >= count { return .end(limit: count - top + reach) }
        return .at(index: top, before: reach, after: height + reach)
    }

    private func serves(_ asked: Request.Kind, _ needed: Request.Kind) -> Bool {
        switch (asked, needed) {
        case (.start, .start), (.end, .end): true
        case (.around(let asked, _, _), .around(let needed, _, _)): asked == needed
        case (.at(let asked, _, _), .at(let needed, _, _)): abs(asked - needed) <= margin
        default: false
        }
    }

    /// Discards the rows farthest from the viewport. A request from a bound that moves is superseded.
    mutating func trim() {
        guard rows.count > bound else { return }
        let ideal = top + height / 2 - bound / 2 - lowerIndex
        let first = max(0, min(ideal, rows.count - bound))
        let end = first + bound
        if end < rows.count {
            upperBound = rows[end - 1].position
            inFlight.after = nil
        }
        if first > 0 {
            lowerBound = rows[first].position
            lowerIndex += first
            inFlight.before = nil
        }
        rows.removeLast(rows.count - end)
        rows.removeFirst(first)
    }
}
