public import HistoryTracking
public import PersistentStore

/// The rows of a live query in one state of the store.
public struct LiveSnapshot<Row: Sendable>: Sendable {
    /// The rows in the window.
    public let rows: [Row]
    /// The IDs of the rows.
    public let ids: [ObjectID]
    /// The index of the first row among all that the request admits.
    public let firstIndex: Int
    /// The number of objects that the request admits.
    public let count: Int
    /// The changes of the rows since the previous snapshot of the same iteration.
    public let difference: LiveDifference
    /// Whether the store was read again since the previous snapshot, instead of applying its changes: after
    /// too many of them, or after they were purged.
    package let isRefreshed: Bool
    /// The state of the tracking. If it is not `live` or `polling`, the rows may be out of date.
    public let state: TrackingState
}

/// The snapshots of a live query: the present one, then one after each change.
struct LiveSnapshots<Row: Sendable>: AsyncSequence, Sendable {
    let query: LiveFetch<Row>

    func makeAsyncIterator() -> Iterator { Iterator(query) }

    struct Iterator: AsyncIteratorProtocol {
        private let query: LiveFetch<Row>
        private var signals: AsyncStream<Void>.Iterator
        private var previous: LiveFeed.Reading?
        private var rows: [Row] = []

        init(_ query: LiveFetch<Row>) {
            self.query = query
            signals = query.feed.signals().makeAsyncIterator()
        }

        mutating func next() async throws -> LiveSnapshot<Row>? {
            while !Task.isCancelled {
                if let reading = query.feed.reading(after: previous?.revision),
                    let snapshot = try snapshot(reading)
                {
                    return snapshot
                }
                guard !query.feed.isFinished, await signals.next(isolation: #isolation) != nil else {
                    return nil
                }
            }
            return nil
        }

        /// Makes the rows that changed; the others are those of the previous snapshot. Returns nil if nothing
        /// did.
        private mutating func snapshot(_ reading: LiveFeed.Reading) throws -> LiveSnapshot<Row>? {
            let (difference, unchanged) = LiveDifference.between(previous?.rows ?? [], reading.rows)
            let made = rows
            rows = try zip(reading.rows, unchanged).map { row, index in
                if let index { made[index] } else { try query.makeRow(row.object) }
            }
            let isRefreshed = previous.map { $0.refreshes != reading.refreshes } ?? false
            let isSame = difference.isEmpty && !isRefreshed && previous?.hasSameFrame(as: reading) ?? false
            previous = reading
            guard !isSame else { return nil }
            return LiveSnapshot(
                rows: rows, ids: reading.rows.map(\.object.id), firstIndex: reading.firstIndex,
                count: reading.count, difference: difference, isRefreshed: isRefreshed, state: reading.state)
        }
    }
}
