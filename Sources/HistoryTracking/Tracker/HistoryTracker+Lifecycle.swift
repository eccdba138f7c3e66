public import PersistentStore

extension HistoryTracker {
    /// Registers the consumer, catches up with what happened while nobody watched, and goes on from there.
    /// Does nothing when running.
    public func start() async throws(StoreError) { try await takeTurn(starts: true).get() }

    /// Ends the tracking, and a cleaning that runs; a transient consumer is unregistered. May be started again.
    public func stop() async { _ = await takeTurn(starts: false) }

    /// Starts and stops come one after the other, as they were asked for: each lets go of the actor on its way.
    private func takeTurn(starts: Bool) async -> Result<Void, StoreError> {
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
        // A task that holds the tracker weakly is not on its executor by itself.
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
            // Own cursor moves, and commits to what is not tracked, bring nothing.
            if token != cursor?.token { await pass() }
        case .watchingByPolling:
            watching = .sweeping
            change(to: watching)
        case .replaced:
            watching = .storeReplaced
            change(to: watching)
            log(.error, .important, "the store was replaced, moved or deleted")
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
