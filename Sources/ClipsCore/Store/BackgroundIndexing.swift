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
    private let report: @Sendable (SearchIndexState) -> Void
    private let work = Mutex<Work>(Work())

    private struct Work {
        var task: Task<Void, Never>?
        var isRunning = false
        var last: ContinuousClock.Instant?
    }

    /// The time between two updates. A search indexes a few new changes itself.
    private static let pause = Duration.seconds(60)

    package init(
        path: String, author: String, options: StoreOptions,
        report: @escaping @Sendable (SearchIndexState) -> Void = { _ in }
    ) {
        self.path = path
        self.author = author
        var options = options
        (options.loop, options.readerLoop) = (nil, nil)
        self.options = options
        self.report = report
    }

    /// Starts an update, unless one is running or has just finished.
    package func start() {
        work.withLock { work in
            guard !work.isRunning, work.last.map({ .now - $0 > Self.pause }) ?? true,
                // Not libdispatch's pool, which ends the process if no descriptor is left for it.
                let loop = try? EventLoop()
            else { return }
            work.isRunning = true
            work.task = Task.detached(executorPreference: loop) {
                await self.run(on: loop)
                self.work.withLock {
                    $0.isRunning = false
                    $0.last = .now
                }
            }
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
        else { return }
        if let state = try? await store.updateIndex(progress: report) { report(state) }
        await store.close()
    }
}
