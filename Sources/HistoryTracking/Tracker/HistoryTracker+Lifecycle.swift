public import PersistentStore

extension HistoryTracker {
    /// Registers the consumer, catches up with commits since the last run, and follows new ones.
    ///
    /// Does nothing if the tracker runs. Closing the container stops the tracker.
    ///
    /// - Throws: `StoreError.consumerFailed(name:errorType:)` if the consumer throws in its first refresh.
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
        guard !machine.isRunning else { return }
        let (signals, reader) = (try await container.signals(), container.reader)
        try await openCursor()
        await handle(.started)
        self.signals = signals
        // A task that captures the tracker weakly does not inherit its executor.
        listening = Task(executorPreference: reader.taskExecutor) { [weak self] in
            await self?.handle(.signalled)
            await Self.follow(signals, on: reader) { [weak self] in self }
            // The container was closed.
            if !Task.isCancelled { await self?.stop() }
        }
        log(.info, .important, "started")
    }

    private func stopNow() async {
        guard machine.isRunning else { return }
        listening?.cancel()
        signals?.finish()
        storingCursor?.cancel()
        storingCursor = nil
        await handle(.stopped)
        claim = nil
        log(.info, .important, "stopped")
    }

    /// Isolated to the reader, which has the tracker's executor: between a signal and the end of its pass, no
    /// call suspends to change the executor.
    private static func follow(
        _ signals: StoreSignals, on reader: isolated StoreReader, _ tracker: @Sendable () -> HistoryTracker?
    ) async {
        while let signal = await signals.next() {
            guard let tracker = tracker() else { return }
            await tracker.follow(signal)
        }
    }

    private func follow(_ event: StoreSignal) async {
        switch event {
        case .committed: await handle(.committed)
        case .watchingByPolling: await handle(.polling)
        case .replaced:
            await handle(.storeReplaced)
            log(.error, .important, "the store was replaced, moved, or deleted")
        }
    }
}
