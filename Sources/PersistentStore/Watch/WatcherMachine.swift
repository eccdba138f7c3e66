/// Decides when a watcher checks the store, and which events it reports; a value without clocks or
/// descriptors.
///
/// SQLite writes the frames of a commit into the `-wal`, which wakes the watcher, before the commit can be
/// read. A check in between finds nothing, and no second event follows. So a check that found the write lock
/// held is repeated, with growing pauses, until one finds it free. Frames are written and published under
/// that lock; a free lock therefore proves that the check has seen the cause of the event. Drain the events
/// first, then query the lock, then read the store.
///
/// A writer that has the doorbell open rings it after its commit. While such a writer has the lock, its writes
/// into the `-wal` require no check; the pause is only for one that is killed before it rings, or that writes
/// with a second connection of another library.
///
/// After a ring that soon follows another one, the next commit probably rings, too, so the log is ignored for a
/// moment: the commits of a busy writer cost one wake-up each. The end of that pause checks the log again, for
/// writers that do not ring.
struct WatcherMachine: Equatable {
    enum Event: Equatable {
        /// The `-wal` changed.
        case logChanged
        /// The doorbell was rung: a commit can be read.
        ///
        /// - Parameter isRepeated: Whether the last ring was less than `ringingPause` ago.
        case rung(isRepeated: Bool)
        /// The store's file or its folder appeared, vanished, or was replaced, or events were lost.
        case pathInDoubt
        case pauseOver
        case pollDue
        /// The result of `look`.
        case looked(Writer, sawCommit: Bool)
        /// The result of `checkPath`.
        case path(isOurs: Bool)
        case eventsAvailable
        case eventsUnavailable
    }

    /// The holder of the write lock.
    enum Writer: Equatable {
        case none
        /// A process that rings the doorbell.
        case ringing
        case unknown
    }

    enum Action: Equatable {
        /// Query the lock, then read the version, in this order, after the events were drained.
        ///
        /// - Parameter trustsRinger: Whether to leave the version unread if the writer will ring.
        case look(trustsRinger: Bool)
        case checkPath
        /// - Parameter isDeaf: Whether writes into the `-wal` do not end the pause: it is short, or the doorbell
        ///   will be rung, and each page that a writer writes would otherwise cost a check.
        case lookAgain(after: Duration, isDeaf: Bool)
        /// End the pause before the next look: no writer is at work.
        case endPause
        case poll(after: Duration)
        case announceCommit
        case announceReplaced
    }

    static let firstPause = Duration.microseconds(20)
    static let longestPause = Duration.milliseconds(5)
    private static let longestDeafPause = Duration.milliseconds(1)
    /// The time for which the log is ignored after a repeated ring. A commit by a writer that does not ring is
    /// noticed this much later, if it falls between rings.
    static let ringingPause = Duration.milliseconds(10)
    /// The interval of polling with file events, as a fallback that should never be needed.
    static let pollWithEvents = Duration.milliseconds(1000)
    /// The interval of polling without file events.
    static let pollWithoutEvents = Duration.milliseconds(50)

    /// Nil turns the fallback off, so that a test notices a commit that file events miss.
    private let fallbackInterval: Duration?
    private var pause = firstPause
    private var isPausing = false
    private var isRingingOften = false
    private var hasEvents = true
    private(set) var isReplaced = false

    init(fallbackInterval: Duration? = pollWithEvents) { self.fallbackInterval = fallbackInterval }

    mutating func handle(_ event: Event) -> [Action] {
        guard !isReplaced else { return [] }
        switch event {
        case .logChanged: return [.look(trustsRinger: true)]
        case .rung(let isRepeated):
            isRingingOften = isRepeated
            return [.look(trustsRinger: false)]
        case .pauseOver:
            isRingingOften = false
            return [.look(trustsRinger: false)]
        case .pathInDoubt: return [.checkPath, .look(trustsRinger: false)]
        case .pollDue: return [.checkPath, .look(trustsRinger: false)] + nextPoll
        case .looked(let writer, let sawCommit):
            return (sawCommit ? [.announceCommit] : []) + next(after: writer)
        case .path(let isOurs):
            guard !isOurs else { return [] }
            isReplaced = true
            return [.announceReplaced]
        case .eventsAvailable, .eventsUnavailable:
            hasEvents = event == .eventsAvailable
            return nextPoll
        }
    }

    private mutating func next(after writer: Writer) -> [Action] {
        let wasPausing = isPausing
        isPausing = writer != .none || isRingingOften
        switch writer {
        case .none:
            pause = Self.firstPause
            guard !isRingingOften else { return [.lookAgain(after: Self.ringingPause, isDeaf: true)] }
            return wasPausing ? [.endPause] : []
        case .ringing: return [.lookAgain(after: Self.longestPause, isDeaf: true)]
        case .unknown:
            defer { pause = min(pause * 2, Self.longestPause) }
            return [.lookAgain(after: pause, isDeaf: pause < Self.longestDeafPause)]
        }
    }

    private var nextPoll: [Action] {
        let interval = hasEvents ? fallbackInterval : Self.pollWithoutEvents
        return interval.map { [.poll(after: $0)] } ?? []
    }
}
