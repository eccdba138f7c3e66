package import PersistentStore
package import SearchIndex
import Platform
import Synchronization

/// Updates the search index during a session, on its own thread and connections, so that the session's
/// reader is free.
package final class BackgroundIndexing: Sendable {
    private let path: String
    private let author: String
    private let options: StoreOptions
    private let report: @Sendable (_ state: SearchIndexState, _ wasBehind: Bool) -> Void
    private let work = Mutex<Work>(Work())

    private struct Work {
        var task: Task<Void, Never>?
        var isNeeded = false
        var isRunning = false
        /// Whether clips may have changed since the last update began.
        var isRequested = false
        /// The earliest start of the next update.
        var next = ContinuousClock.now
    }

    /// Updates take a twentieth of the time, up to the longest pause, after which matches are ranked again. A search indexes
    /// a few new changes itself.
    private static let pauseFactor = 20
    private static let longestPause = Duration.seconds(10)
    private static let firstRetryPause = Duration.seconds(2)
    /// An index that takes longer was too far behind to rank the matches of a search.
    private static let longUpdate = Duration.milliseconds(100)

    package init(
        path: String, author: String, options: StoreOptions,
        report: @escaping @Sendable (_ state: SearchIndexState, _ wasBehind: Bool) -> Void = { _, _ in }
    ) {
        self.path = path
        self.author = author
        var options = options
        (options.loop, options.readerLoop) = (nil, nil)
        self.options = options
        self.report = report
    }

    /// Whether a filter uses the index, so that it follows the store.
    func use(_ isNeeded: Bool) {
        let isNew = work.withLock { work in
            defer { work.isNeeded = isNeeded }
            return !work.isNeeded
        }
        // A list that is read again after an update does not cause another one.
        if isNew { follow() }
    }

    /// Starts an update after a commit, if a filter uses the index.
    func follow() {
        if work.withLock({ $0.isNeeded }) { start() }
    }

    /// Starts an update, after the present one and its pause.
    package func start() {
        work.withLock { work in
            work.isRequested = true
            // Not libdispatch's pool, which ends the process if no descriptor is left for it.
            guard !work.isRunning, let loop = try? EventLoop() else { return }
            work.isRunning = true
            work.task = Task.detached(executorPreference: loop) { await self.run(on: loop) }
        }
    }

    /// Returns the pause before the next update; nil, and no longer runs, if none is requested.
    private func pauseBeforeNext() -> Duration? {
        work.withLock { work in
            guard work.isRequested else {
                work.isRunning = false
                return nil
            }
            return max(.zero, work.next - .now)
        }
    }

    /// Stops after the current step.
    func stop() async {
        let task = work.withLock { $0.task }
        task?.cancel()
        await task?.value
    }

    private func run(on loop: EventLoop) async {
        var options = options
        options.loop = loop
        // Without an index a search is slower, not wrong, so no error is reported.
        guard let store = try? await ClipStore.openToRead(path: path, author: author, options: options)
        else { return work.withLock { $0.isRunning = false } }
        // After a long update, the matches were ranked while the next commits were not indexed.
        var wasBehind = false
        while let pause = pauseBeforeNext(), (try? await store.container.pause(for: pause)) != nil {
            work.withLock { $0.isRequested = false }
            let start = ContinuousClock.now
            wasBehind = await update(store, wasBehind)
            work.withLock {
                $0.next = .now + min(Self.longestPause, (.now - start) * Self.pauseFactor)
            }
        }
        await store.close()
    }

    /// Returns whether the index was behind.
    private func update(_ store: ClipStore, _ wasBehind: Bool) async -> Bool {
        let start = ContinuousClock.now
        var pause = Self.firstRetryPause
        while let state = try? await store.updateIndex(progress: { report($0, false) }) {
            report(state, wasBehind || .now - start > Self.longUpdate)
            // Another process holds its lock, or the disk is full: neither lasts. A read-only folder may.
            guard case .unavailable = state, (try? await store.container.pause(for: pause)) != nil else {
                break
            }
            pause = min(Self.longestPause, pause * 2)
        }
        return .now - start > Self.longUpdate
    }
}
