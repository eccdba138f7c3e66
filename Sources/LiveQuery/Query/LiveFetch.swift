import HistoryTracking
public import PersistentStore

/// A fetch request whose rows are kept current with every commit to the store, regardless of the writer.
///
/// ```swift
/// let live = try await LiveFetch(request, in: container)
/// for try await snapshot in live.snapshots {
///     show(snapshot.rows)
/// }
/// ```
///
/// A query has a window: the request's `limit` rows from its `offset`, or all rows without a limit. With a limit of
/// zero, its snapshots have the count and no rows. With a
/// window, a list of a million objects costs as much as its visible rows. At the start of the list, new rows
/// appear in the window; elsewhere, the same rows remain while other rows are inserted and deleted before them,
/// and only ``LiveSnapshot/firstIndex`` changes.
///
/// The query writes nothing, so it also works on a store that is open read-only. It does not prevent cleaning
/// from purging the history that it needs; it then reads the store again.
///
/// - Complexity: A change costs O(*w*) in the window if the sort keys are one attribute with an index or none,
///   there is no predicate, and the history retains the attribute's values
///   (`AttributeDescription.History`). Otherwise the query stores eight bytes for each object that it admits,
///   and each change reads them once in memory.
public final class LiveFetch<Row: Sendable>: Sendable {
    let feed: LiveFeed
    let makeRow: @Sendable (StoredObject) throws -> Row
    private let source: LiveSource<FetchRequest, ObjectRow>
    private let tracker: HistoryTracker

    /// Creates a query with rows of your own type.
    ///
    /// - Parameters:
    ///   - request: The objects and their order.
    ///   - container: The store.
    ///   - row: Returns the row of an object. It is called once for each version of an object that an iteration
    ///     delivers, on the executor of the iteration; its errors end the iteration.
    /// - Throws: `StoreError.unknownEntity(_:)`, `StoreError.unknownAttribute(_:entity:)`,
    ///   `StoreError.untracked(entity:)` if the history does not record the entity, or another error of the
    ///   first read.
    public init(
        _ request: FetchRequest, in container: PersistentContainer,
        row: @escaping @Sendable (StoredObject) throws -> Row
    ) async throws(StoreError) {
        var empty = request
        empty.limit = 0
        let check = empty
        _ = try await container.read { snapshot throws(StoreError) in try snapshot.fetch(check) }
        if let entity = container.model.entity(request.entity), !entity.tracksHistory {
            throw .untracked(entity: entity.name)
        }
        let feed = LiveFeed(request)
        source = LiveSource(
            request, in: container, rowsAround: feed.firstRows, anchor: { feed.anchor }, commit: { $0 },
            deliver: { feed.receive($0) })
        feed.setSource(source)
        self.feed = feed
        makeRow = row
        tracker = HistoryTracker(
            container: container, parameters: .live(name: "live query"), consumer: source)
        try await tracker.start()
    }

    /// The present rows, then those after each change. Several iterations may run at the same time.
    ///
    /// Each iteration sees every state or, if it is slow, the newest; ``LiveSnapshot/difference`` always begins at
    /// the previous snapshot of the iteration. The sequence ends when the query stops, its container is closed, or
    /// the task is canceled, and throws the errors of the closure that makes the rows.
    public var snapshots: some AsyncSequence<LiveSnapshot<Row>, any Error> & Sendable {
        LiveSnapshots(query: self)
    }

    /// Ends the tracking, as closing the container does. Each iteration delivers one more snapshot, whose state
    /// is `stopped`, and ends.
    public func stop() async { await tracker.stop() }
}

/// The window.
extension LiveFetch {
    /// Moves the window. Its rows follow in a snapshot.
    ///
    /// - Parameters:
    ///   - position: The position of the window.
    ///   - count: The number of rows from now on; nil for the same as before, zero or less for none.
    public func moveWindow(to position: WindowPosition, count: Int? = nil) {
        if let count { feed.resize(to: count) }
        feed.move(to: position)
    }
}

/// A position of the window among the rows that the request admits.
public enum WindowPosition: Hashable, Sendable {
    /// The first rows; new ones appear in the window.
    case start
    /// The last rows.
    case end
    /// The rows from an index, or the last rows if fewer follow.
    case index(Int)
}

extension LiveFetch {
    /// Creates a query whose rows are those of the request: objects, or records.
    public convenience init(_ request: StoreRequest<Row>, in container: PersistentContainer)
        async throws(StoreError)
    {
        try await self.init(request.objects, in: container) { try request.row(of: $0) }
    }
}

extension TrackingParameters {
    /// Those of a consumer whose results end with it: it begins at the present, and neither logs nor cleans.
    static func live(name: String) -> TrackingParameters {
        var parameters = TrackingParameters(name: name)
        parameters.cursor = .external(VolatileCursor())
        parameters.cleaning = .none
        parameters.logLevel = .off
        return parameters
    }
}

/// A cursor that begins at the present each time.
package struct VolatileCursor: CursorStorage {
    package init() {}
    package func cursor(forKey key: String) -> String? { nil }
    package func setCursor(_ text: String, forKey key: String) {}
}
