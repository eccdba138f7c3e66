import HistoryTracking
import PersistentStore
import Synchronization

/// A row of a live query, before it is converted to the row that its user wants.
struct ObjectRow: StoredRow {
    let object: StoredObject
    let position: SortPosition

    init(_ object: StoredObject, position: SortPosition) {
        self.object = object
        self.position = position
    }

    var id: Int64 { object.id.key }
}

/// The list of a live query: applies the messages of its source, and lets iterations read the newest state.
///
/// Only that state is stored, so a slow iteration costs no memory. The source is referenced weakly, since it
/// references the feed.
final class LiveFeed: Sendable {
    typealias Source = LiveSource<FetchRequest, ObjectRow>

    /// One state, as an iteration sees it.
    struct Reading: Sendable {
        let revision: Int
        let rows: [ObjectRow]
        let firstIndex: Int
        let count: Int
        let state: TrackingState
        /// The number of full refreshes so far.
        let refreshes: Int

        /// Whether all except the rows is equal.
        func hasSameFrame(as other: Reading) -> Bool {
            (firstIndex, count, state) == (other.firstIndex, other.count, other.state)
        }
    }

    fileprivate struct State {
        var list: LiveList<ObjectRow>
        weak var source: Source?
        var generation = 0
        var revision = 0
        var refreshes = -1
        var tracking = TrackingState.stopped
        var failure: StoreError?
        /// The number of rows in the window; the list has one row at least.
        var maxRows: Int
        /// Whether the selected row must become the first of the window.
        var isAligning = false
        var isFinished = false
        var subscribers: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastSubscriber = 0
    }

    let request: FetchRequest
    private let state: Mutex<State>

    /// More rows than a store can have, for a window without a limit.
    private static let allRows = 1 << 40

    init(_ request: FetchRequest) {
        self.request = request
        var list = LiveList<ObjectRow>(
            height: request.limit ?? Self.allRows, minimumMargin: 20, maximumHeight: Self.allRows)
        list.follows = true
        list.followsSelection = false
        if request.offset > 0 { list.moveTo(index: request.offset) }
        let maxRows = max(0, request.limit ?? Self.allRows)
        state = Mutex(State(list: list, maxRows: maxRows, isAligning: request.offset > 0))
    }

    /// The number of rows to read first.
    var firstRows: Int { state.withLock { $0.list.height } }

    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// The position around which a full refresh must read; nil for the start.
    var anchor: SortPosition? {
        state.withLock { $0.list.isFollowing ? nil : $0.list.selectedRow?.position }
    }

    func setSource(_ source: Source) { state.withLock { $0.source = source } }
}

/// Messages of the source.
extension LiveFeed {
    /// Applies messages, on the reader's thread.
    func receive(_ messages: [LiveMessage<ObjectRow>]) {
        var isChanged = false
        for message in messages {
            switch message {
            case .transactions, .reached: continue
            case .failed(let error, _, let generation): recover(from: error, generation)
            default: break
            }
            isChanged = true
        }
        if isChanged { change { state in for message in messages { state.apply(message) } } }
        if messages.contains(where: \.isEnd) { finish() }
    }

    /// Reads the list again, a second after a failure.
    private func recover(from error: StoreError, _ generation: Int) {
        // The tracker reports the end.
        if case .closed = error { return }
        guard let container = state.withLock({ $0.source?.container }) else { return }
        Task { [weak self] in
            guard (try? await container.pause(for: .seconds(1))) != nil, let self else { return }
            if self.state.withLock({ $0.generation == generation }) { self.showAgain() }
        }
    }

    private func showAgain() {
        let (source, generation) = state.withLock { state in
            state.generation += 1
            return (state.source, state.generation)
        }
        let request = request
        Task { await source?.show(request, generation: generation) }
    }

    /// Changes the state, sends the requests that it needs, and wakes the iterations.
    private func change(_ body: (inout State) -> Void) {
        let (source, generation, requests, subscribers) = state.withLock { state in
            body(&state)
            state.layOut()
            state.revision += 1
            return (
                state.source, state.generation, state.nextRequests(), Array(state.subscribers.values)
            )
        }
        if let source {
            for request in requests { Task { await source.answer(request, generation: generation) } }
        }
        for subscriber in subscribers { subscriber.yield() }
    }
}

/// The user's side.
extension LiveFeed {
    func move(to position: WindowPosition) {
        change { state in
            switch position {
            case .start: state.list.stayAtStart()
            case .end: state.list.moveToEnd()
            case .index(let index):
                state.list.moveTo(index: index)
                state.isAligning = true
            }
        }
    }

    func resize(to count: Int) {
        change { state in
            state.maxRows = max(0, count)
            state.list.resize(height: count)
        }
    }

    /// Ends all iterations once they have delivered the present state.
    private func finish() {
        let subscribers = state.withLock { state in
            state.isFinished = true
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.finish() }
    }

    /// Returns a stream with an element whenever the state has changed.
    func signals() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.lastSubscriber += 1
            state.subscribers[state.lastSubscriber] = continuation
            return state.lastSubscriber
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.subscribers.removeValue(forKey: number) }
        }
        return stream
    }

    /// Returns the state if it is complete, and newer than a revision.
    func reading(after revision: Int?) -> Reading? {
        state.withLock { state in
            guard state.revision != revision, state.isComplete else { return nil }
            return Reading(
                revision: state.revision, rows: Array(state.list.visibleRows.prefix(state.maxRows)),
                firstIndex: state.list.top,
                count: state.list.count, state: state.failure.map { .failing(.store($0)) } ?? state.tracking,
                refreshes: state.refreshes)
        }
    }
}

extension LiveFeed.State {
    mutating func apply(_ message: LiveMessage<ObjectRow>) {
        switch message {
        case .window(let window, generation):
            if window.requestNumber == nil {
                refreshes += 1
                failure = nil
            }
            list.replace(window: window)
        case .more(let rows, let direction, let reachedEdge, let number, generation):
            list.extend(with: rows, direction, reachedEdge: reachedEdge, requestNumber: number)
        case .count(let count, generation): list.setCount(count)
        case .changes(let changes, generation): list.apply(changes: changes)
        case .failed(let error, _, generation): failure = error
        case .state(let state):
            tracking = state
            if state == .stopped { failure = nil }
        default: break
        }
    }

    /// Moves the window to the wanted row, and not beyond the last one; selects its first row, with which it
    /// moves.
    mutating func layOut() {
        guard list.isLoaded, list.isCounted, list.pendingIndex == nil else { return }
        if isAligning { list.scroll(by: list.selectedIndex - list.top) }
        isAligning = false
        let last = max(0, list.count - list.height)
        if list.top > last { list.scroll(by: last - list.top) }
        if list.isFollowing {
            list.stayAtStart()
        } else if list.selectedIndex != list.top {
            list.moveTo(index: list.top)
        }
    }

    mutating func nextRequests() -> [LiveList<ObjectRow>.Request] {
        var requests: [LiveList<ObjectRow>.Request] = []
        guard list.isLoaded, failure == nil else { return [] }
        while let request = list.nextRequest() { requests.append(request) }
        return requests
    }

    /// Whether all rows of the window are known, or will not be because of an error.
    var isComplete: Bool {
        guard failure == nil, !isFinished else { return list.isLoaded }
        return list.isLoaded && list.isCounted && !list.isAwaitingCursor
            && list.visibleRows.count == min(list.height, list.count - list.top)
    }
}
