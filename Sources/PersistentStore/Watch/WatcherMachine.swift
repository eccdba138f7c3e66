/// Decides when a watcher checks the store, and which events it reports; a value without clocks or
/// descriptors.
///
/// SQLite writes the frames of a commit into the `-wal`, which wakes the watcher, before the commit can be
/// read. A check in between finds nothing, and no second event follows. So a check that found the write lock
/// held is repeated, with growing pauses, until one finds it free. Frames are written and published under
/// that lock; a free lock therefore proves that the check has seen the cause of the event. Drain the events
/// first, then query the lock, then read the store.
struct WatcherMachine: Equatable {
    enum Event: Equatable {
        /// The `-wal` or the doorbell changed.
        case fileEvent
        /// The store's file or its folder appeared, vanished, or was replaced, or events were lost.
        case pathInDoubt
        case pauseOver
        case pollDue
        /// The result of `look`.
        case looked(writerAtWork: Bool, sawCommit: Bool)
        /// The result of `checkPath`.
        case path(isOurs: Bool)
        case eventsAvailable
        case eventsUnavailable
    }

    enum Action: Equatable {
        /// Drain the events, query the lock, then read the version, in this order.
        case look
        case checkPath
        case lookAgain(after: Duration)
        case poll(after: Duration)
        case announceCommit
        case announceReplaced
    }

    static let firstPause = Duration.microseconds(20)
    static let longestPause = Duration.milliseconds(5)
    /// The interval of polling with file events, as a fallback that should never be needed.
    static let pollWithEvents = Duration.milliseconds(1000)
    /// The interval of polling without file events.
    static let pollWithoutEvents = Duration.milliseconds(50)

    /// Nil turns the fallback off, so that a test notices a commit that file events miss.
    private let fallbackInterval: Duration?
    private var pause = firstPause
    private var hasEvents = true
    private(set) var isReplaced = false

    init(fallbackInterval: Duration? = pollWithEvents) { self.fallbackInterval = fallbackInterval }

    mutating func handle(_ event: Event) -> [Action] {
        guard !isReplaced else { return [] }
        switch event {
        case .fileEvent, .pauseOver: return [.look]
        case .pathInDoubt: return [.checkPath, .look]
        case .pollDue: return [.checkPath, .look] + nextPoll
        case .looked(let writerAtWork, let sawCommit):
            let news: [Action] = sawCommit ? [.announceCommit] : []
            guard writerAtWork else {
                pause = Self.firstPause
                return news
            }
            defer { pause = min(pause * 2, Self.longestPause) }
            return news + [.lookAgain(after: pause)]
        case .path(let isOurs):
            guard !isOurs else { return [] }
            isReplaced = true
            return [.announceReplaced]
        case .eventsAvailable, .eventsUnavailable:
            hasEvents = event == .eventsAvailable
            return nextPoll
        }
    }

    private var nextPoll: [Action] {
        let interval = hasEvents ? fallbackInterval : Self.pollWithoutEvents
        return interval.map { [.poll(after: $0)] } ?? []
    }
}
