import Platform

extension SharedDefaults {
    /// Returns a stream of the suite's contents: the current contents, then new contents after every change
    /// by any process.
    ///
    /// A slow reader gets only the newest contents. The stream ends with an error if the file cannot be read.
    public func updates() throws(AppGroupError) -> AsyncThrowingStream<
        SharedDefaultsContents, any Error
    > {
        try updates(pollingEvery: .seconds(1))
    }

    /// The same, with the time between polls where the folder's events are received.
    package func updates(pollingEvery interval: Duration) throws(AppGroupError) -> AsyncThrowingStream<
        SharedDefaultsContents, any Error
    > {
        let loop: EventLoop
        do {
            loop = try EventLoop()
        } catch {
            throw .cannotRead(path, reason: error.description)
        }
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: SharedDefaultsContents.self, bufferingPolicy: .bufferingNewest(1))
        let watcher = SharedDefaultsWatcher(
            file: file, loop: loop, interval: interval, continuation: continuation)
        continuation.onTermination = { _ in Task { await watcher.stop() } }
        Task { await watcher.start() }
        return stream
    }
}

/// A watcher that reads the file again after an event of its folder, and polls in case an event is missing.
private actor SharedDefaultsWatcher {
    private nonisolated let loop: EventLoop
    private let interval: Duration
    private let file: SharedDefaultsFile
    private let continuation: AsyncThrowingStream<SharedDefaultsContents, any Error>.Continuation
    private var folder: FolderWatch?
    private var isStopped = false
    private var status: FileStatus?
    private var last: SharedDefaultsContents?
    private let timer = TimerName()

    init(
        file: SharedDefaultsFile, loop: EventLoop, interval: Duration,
        continuation: AsyncThrowingStream<SharedDefaultsContents, any Error>.Continuation
    ) {
        self.file = file
        self.loop = loop
        self.interval = interval
        self.continuation = continuation
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Starts watching before it reads, so that a change between the two causes an event.
    func start() {
        guard !isStopped else { return }
        folder = try? FolderWatch(path: file.folder)
        if let folder {
            loop.watch(folder.descriptor) { [weak self] in self?.assumeIsolated { $0.drain() } }
        }
        look()
        poll()
    }

    func stop() {
        isStopped = true
        loop.cancel(timer)
        if let folder { loop.stopWatching(folder.descriptor) }
        folder = nil
    }

    private func drain() {
        guard let events = folder?.drain() else { return }
        if events.contains(where: { $0.name == file.name || $0.kind == .overflow }) { look() }
    }

    private func poll() {
        guard !isStopped else { return }
        loop.schedule(timer, after: folder == nil ? .milliseconds(100) : interval) { [weak self] in
            self?.assumeIsolated { watcher in
                if watcher.status != watcher.file.status() { watcher.look() }
                watcher.poll()
            }
        }
    }

    private func look() {
        guard !isStopped else { return }
        status = file.status()
        do {
            let contents = SharedDefaultsContents(values: try file.read())
            guard contents != last else { return }
            last = contents
            continuation.yield(contents)
        } catch {
            continuation.finish(throwing: error)
        }
    }
}
