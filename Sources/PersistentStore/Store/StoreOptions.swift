package import FileWatch
import Glibc

/// How a store is opened.
public struct StoreOptions: Sendable {
    /// What a commit that returned survives.
    public enum Durability: String, Sendable {
        /// A power cut (`synchronous=FULL`).
        case full = "FULL"
        /// The death of the process, not of the machine (`synchronous=NORMAL`).
        case normal = "NORMAL"
    }

    public enum Access: Sendable {
        case readWrite
        /// For a store of somebody else's: fetches, history and events, without permission to write the file or
        /// its folder. Nothing is made, migrated or written; a save, or registering a consumer, fails with
        /// ``StoreError/openedReadOnly(path:)``, so whoever follows the history keeps its token elsewhere.
        ///
        /// What reads meanwhile may be asked twice: a ``PersistentContainer/read(_:)`` begins anew when a
        /// writer comes to a store that nobody had open.
        case readOnly
    }

    public var access = Access.readWrite
    /// Makes the store when there is none.
    public var createsMissingStore = true
    public var durability = Durability.full
    /// How long a commit waits for other writers before it fails with ``StoreError/busy(path:holder:milliseconds:)``.
    public var busyTimeout = Duration.seconds(5)
    /// The program's name, as history shows it.
    public var program = StoreOptions.currentProgram

    /// How much history commits leave behind, without any cleaning: now and then a commit removes a little of what
    /// lies beyond. Nil to leave that to cleaning. Its share of the store is not looked at.
    public var historyBounds: HistoryBounds? = HistoryBounds(maximumChanges: 1_000_000)

    /// The clock behind timestamps, in milliseconds since 1970. Order never depends on it.
    package var clock: @Sendable () -> Int64 = StoreOptions.systemMilliseconds
    /// False to do without inotify, as on a system that has none left.
    package var usesFileEvents = true

    /// Whether opening restores what a table rebuild by another program lost; each write does in any case.
    package var repairsWhenOpened = true

    /// Whether waits for another writer end now, with ``StoreError/busy(path:holder:milliseconds:)``: for a process that
    /// must exit and first has something to do. Called from any thread, thousands of times a second.
    package var isInterrupted: (@Sendable () -> Bool)?

    /// Where the store's connections live; threads of their own when nil.
    package var loop: EventLoop?

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
    /// Held within some million years, so that adding it to a time does not overflow.
    var wholeMilliseconds: Int64 {
        let seconds = max(-Self.mostSeconds, min(Self.mostSeconds, components.seconds))
        return seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }

    private static let mostSeconds: Int64 = 1_000_000_000_000_000
}
