public import PersistentStore

extension HistoryTracker {
    /// Registers the consumer, catches up with commits since the last run, and follows new ones.
    ///
    /// Does nothing if the tracker runs.
    public func start() async throws(StoreError) { try await enqueueTurn(starts: true).get() }

    /// Stops the tracker and a running cleaning; unregisters a transient consumer. The tracker can be started
    /// again.
    public func stop() async { _ = await enqueueTurn(starts: false) }

    /// Serializes starts and stops in the order of the calls; each suspends, so another call could otherwise
    /// interleave.
    private func enqueueTurn(starts: Bool) async -> Result<Void, StoreError> {
        let earlier = lastTurn
        let turn = Task<Result<Void, StoreError>, Never> {
            _ = await earlier?.value
            do throws(StoreError) {
                if starts { try await startNow() } else { await stopNow() }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        lastTurn = turn
        return await turn.value
    }

    private func startNow() async throws(StoreError) {
        guard !isRunning else { return }
        let events = try await container.events()
        try await openCursor()
        // A task that captures the tracker weakly does not inherit its executor.
        listening = Task(executorPreference: container.reader.taskExecutor) { [weak self] in
            await self?.pass()
            for await event in events {
                guard let self else { return }
                await self.handle(event)
            }
        }
        log(.info, .important, "started")
    }

    private func stopNow() async {
        guard let task = listening else { return }
        listening = nil
        task.cancel()
        retrying?.cancel()
        retrying = nil
        storingCursor?.cancel()
        storingCursor = nil
        await stopCleaning()
        await closeCursor()
        claim = nil
        failureCount = FailureCount()
        isIsolating = false
        change(to: .stopped)
        log(.info, .important, "stopped")
    }

    private func handle(_ event: StoreEvent) async {
        switch event {
        case .committed(let token):
            // The tracker's own cursor moves and commits to untracked tables add no history.
            if token != cursor?.token { await pass() }
        case .watchingByPolling:
            watching = .polling
            change(to: watching)
        case .replaced:
            watching = .storeReplaced
            change(to: watching)
            log(.error, .important, "the store was replaced, moved, or deleted")
        }
    }

    func change(to newState: TrackingState) {
        guard newState != state else { return }
        state = newState
        consumer?.trackingDidChange(newState)
    }

    func log(_ type: LogType, _ level: LogLevel, _ message: @autoclosure () -> String) {
        guard level <= parameters.logLevel else { return }
        parameters.logger.log(type, "history tracking '\(parameters.name)': \(message())")
    }
}
