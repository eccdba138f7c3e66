/// Decides when a watcher looks at the store, and what it says; a value, without clocks or descriptors.
///
/// The trap: SQLite writes the frames of a commit into the `-wal`, which wakes the watcher, before the commit
/// can be read. A look taken in between finds nothing, and no second event comes. So a look that found the
/// write lock held is repeated, with growing pauses, until one finds it free: frames are written and published
/// under that lock, hence a free lock proves that whatever caused the event has been seen. The lock must be
/// asked for before the store is read, and the events drained before that.
struct WatcherMachine: Equatable {
    enum Event: Equatable {
        /// Something happened to the `-wal` or the doorbell.
        case fileEvent
        /// The store's file, or its folder, came, went or was replaced; or events were lost.
        case placeInDoubt
        case pauseOver
        case sweepDue
        /// The answer to `look`.
        case looked(writerAtWork: Bool, sawCommit: Bool)
        /// The answer to `checkPlace`.
        case place(isOurs: Bool)
        case eventsAvailable
        case eventsUnavailable
    }

    enum Action: Equatable {
        /// Drain the events, ask for the lock, then read the version, in this order.
        case look
        case checkPlace
        case lookAgain(after: Duration)
        case sweep(after: Duration)
        case announceCommit
        case announceReplaced
    }

    static let firstPause = Duration.microseconds(20)
    static let longestPause = Duration.milliseconds(5)
    /// With file events the sweep is a net that nothing should ever fall into.
    static let sweepWithEvents = Duration.milliseconds(1000)
    /// Without them it is all there is.
    static let sweepWithoutEvents = Duration.milliseconds(50)

    private var pause = firstPause
    private var hasEvents = true
    private(set) var isReplaced = false

    mutating func handle(_ event: Event) -> [Action] {
        guard !isReplaced else { return [] }
        switch event {
        case .fileEvent, .pauseOver: return [.look]
        case .placeInDoubt: return [.checkPlace, .look]
        case .sweepDue: return [.checkPlace, .look, .sweep(after: sweepInterval)]
        case .looked(let writerAtWork, let sawCommit):
            let news: [Action] = sawCommit ? [.announceCommit] : []
            guard writerAtWork else {
                pause = Self.firstPause
                return news
            }
            defer { pause = min(pause * 2, Self.longestPause) }
            return news + [.lookAgain(after: pause)]
        case .place(let isOurs):
            guard !isOurs else { return [] }
            isReplaced = true
            return [.announceReplaced]
        case .eventsAvailable, .eventsUnavailable:
            hasEvents = event == .eventsAvailable
            return [.sweep(after: sweepInterval)]
        }
    }

    private var sweepInterval: Duration { hasEvents ? Self.sweepWithEvents : Self.sweepWithoutEvents }
}
