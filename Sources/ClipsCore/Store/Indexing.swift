import PersistentStore
import SearchIndex
import Synchronization

/// Makes or renews the search index beside a window, on threads and connections of its own, so that the window's
/// reader is free.
final class Indexing: Sendable {
    private let path: String
    private let author: String
    private let options: StoreOptions
    private let tell: @Sendable (SearchIndexState) -> Void
    private let work = Mutex<Work>(Work())

    private struct Work {
        var task: Task<Void, Never>?
        var isRunning = false
        var last: ContinuousClock.Instant?
    }

    /// Between two looks whether there is much to do; a search does the little by itself.
    private static let pause = Duration.seconds(60)

    init(
        path: String, author: String, options: StoreOptions,
        tell: @escaping @Sendable (SearchIndexState) -> Void
    ) {
        self.path = path
        self.author = author
        var options = options
        options.loop = nil
        self.options = options
        self.tell = tell
    }

    /// Brings the index up to date, unless that is going on or was done a moment ago.
    func start() {
        work.withLock { work in
            guard !work.isRunning, work.last.map({ .now - $0 > Self.pause }) ?? true else { return }
            work.isRunning = true
            work.task = Task.detached {
                await self.run()
                self.work.withLock {
                    $0.isRunning = false
                    $0.last = .now
                }
            }
        }
    }

    /// Ends after the step that is going on.
    func stop() async {
        let task = work.withLock { $0.task }
        task?.cancel()
        await task?.value
    }

    private func run() async {
        // Without an index a search is slower, not wrong: there is nothing to report.
        guard let store = try? await ClipStore.openToRead(path: path, author: author, options: options)
        else { return }
        let index = SearchIndex(store.container, ClipModel.searched)
        if let state = try? await index.bringUpToDate(progress: tell) { tell(state) }
        await store.container.close()
    }
}
