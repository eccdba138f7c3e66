package import Platform

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The options for opening a store.
public struct StoreOptions: Sendable {
    /// The failure that a completed commit survives.
    @nonexhaustive
    public enum Durability: Sendable {
        /// Survives a power failure (`synchronous=FULL`).
        case full
        /// Survives the death of the process, not of the machine (`synchronous=NORMAL`).
        case normal

        package var sql: String {
            switch self {
            case .full: "FULL"
            case .normal: "NORMAL"
            }
        }
    }

    @nonexhaustive
    public enum Access: Sendable {
        case readWrite
        /// For another user's store: fetches, history, and events, without permission to write the file or
        /// its folder. Nothing is created, migrated, or written. A save, or registering a consumer, fails
        /// with ``StoreError/openedReadOnly(path:)``, so a program that follows the history must store its
        /// token elsewhere.
        ///
        /// A read may run twice: a `read(_:)` restarts if a process begins to write a
        /// store that no process had open.
        case readOnly
    }

    public var access = Access.readWrite
    /// Whether to create a missing store.
    package var createsMissingStore = true
    public var durability = Durability.full
    /// The time that a commit waits for other writers before it fails with
    /// ``StoreError/busy(path:holder:milliseconds:)``.
    public var busyTimeout = Duration.seconds(5)
    /// The name of the program, as the history shows it.
    package var program = StoreOptions.currentProgram

    /// The limits within which commits hold the history without any cleaning: from time to time, a commit
    /// purges a little of the excess. Nil leaves that to cleaning. Ignores the share of the store.
    public var historyBounds: HistoryBounds? = HistoryBounds(maximumChanges: 1_000_000)

    /// The steps in code that opening a store of an older version runs.
    public var migrationSteps: [MigrationStep] = []

    /// The clock behind timestamps, in milliseconds since 1970. Order never depends on it.
    package var clock: @Sendable () -> Int64 = StoreOptions.systemMilliseconds
    /// Whether to use inotify; false on a system that has no instances left.
    package var usesFileEvents = true
    /// Whether to poll slowly even with inotify; false in a test of file events.
    package var pollsAsFallback = true

    /// Whether opening restores the parts that a table rebuild by another program lost. Each write does so in
    /// any case.
    package var repairsWhenOpened = true

    /// Whether waits for another writer end now, with ``StoreError/busy(path:holder:milliseconds:)``: for a
    /// process that must exit but has work to finish first. Called from any thread, thousands of times per second.
    package var isInterrupted: (@Sendable () -> Bool)?

    /// The event loop of the store's connections; nil creates separate threads.
    package var loop: EventLoop?
    /// The event loop of the connection that reads, for a caller that runs on it.
    package var readerLoop: EventLoop?

    /// The texts that fetches cut; nil cuts none.
    package var oversized: OversizedValues?

    /// Whether a commit empties a long log; false measures the cost.
    package var limitsLog = true

    public init() {}

    static let currentProgram: String = {
        var name = CommandLine.arguments.first ?? ""
        if let slash = name.lastIndex(of: "/") { name = String(name[name.index(after: slash)...]) }
        return name
    }()

    package static let systemMilliseconds: @Sendable () -> Int64 = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

extension Duration {
    /// The duration in milliseconds, clamped to some million years, so that adding it to a time does not
    /// overflow.
    var wholeMilliseconds: Int64 {
        let seconds = max(-Self.maxSeconds, min(Self.maxSeconds, components.seconds))
        return seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }

    private static let maxSeconds: Int64 = 1_000_000_000_000_000
}

extension StoreOptions {
    /// Runs asynchronous work on the calling thread alone, with the stores opened with the options passed to
    /// it.
    ///
    /// For a program that runs one task and exits: starting threads would take longer than the task itself. A
    /// store that waits for another writer blocks all of that work.
    package static func runOnThisThread(
        _ work: @escaping @Sendable (StoreOptions) async -> Int32
    ) throws(StoreError) -> Int32 {
        let loop: EventLoop
        do {
            loop = try EventLoop(needsPipe: false)
        } catch {
            throw .cannotOpen(path: "", reason: error.description)
        }
        return loop.runOnThisThread {
            var options = StoreOptions()
            options.loop = loop
            return await work(options)
        }
    }
}
