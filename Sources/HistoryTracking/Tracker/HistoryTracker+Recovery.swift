import PersistentStore

/// Recovery from an unusable cursor and from steps that throw.
extension HistoryTracker {
    /// Refreshes the consumer and the contexts, then sets the cursor to the current token. A crash between
    /// the two leaves the old cursor, which causes another recovery.
    func recover(_ reason: String) async throws(PassFailure) {
        guard let cursor else { return }
        log(.notice, .important, "\(reason); starting a full refresh")
        let token = try await refresh()
        await report(SkippedHistory(after: cursor.token, upTo: token, reason: .unusableCursor))
        do throws(StoreError) {
            try await resetStoredCursor(cursor.consumer, to: token)
        } catch {
            throw .store(error)
        }
        self.cursor = HistoryCursor(consumer: cursor.consumer, token: token)
        failureCount = FailureCount()
    }

    /// Refreshes the consumer and the contexts and returns the token of their state.
    func refresh() async throws(PassFailure) -> HistoryToken {
        let consumer = consumer
        let (token, errorType): (HistoryToken, String?)
        do throws(StoreError) {
            (token, errorType) = try await container.read { snapshot in
                (try snapshot.newestToken(), try thrownType { try consumer?.refresh(from: snapshot) })
            }
        } catch {
            throw .store(error)
        }
        if let errorType { throw .thrown(by: .consumer, transactions: [], errorType: errorType) }
        statistics.refreshes += 1
        await merger.refetch()
        return token
    }

    func succeed() {
        failuresInARow = 0
        isIsolating = false
        if case .failing = state { change(to: watching) }
    }

    /// Repeats the pass: immediately while it isolates the transaction at which a step throws and after
    /// parking it, otherwise after a growing pause.
    func fail(_ failure: PassFailure) {
        statistics.failures += 1
        switch failure {
        case .store(let error):
            change(to: .failing(.store(error)))
            log(.error, .important, "a pass failed: \(error)")
        case .thrown(let step, let transactions, let errorType):
            if !isIsolating && !transactions.isEmpty {
                isIsolating = true
                isSignalled = true
                return
            }
            if let number = transactions.first {
                if failureCount.add(step, at: number) >= max(1, parameters.failuresBeforeParking) {
                    park(ParkedTransaction(number: number, step: step, errorType: errorType))
                    isSignalled = true
                    return
                }
            }
            let error = TrackingError.thrown(by: step, transaction: transactions.first, errorType: errorType)
            change(to: .failing(error))
            log(.error, .important, error.description)
        }
        retry()
    }

    private func park(_ transaction: ParkedTransaction) {
        failureCount.park(transaction.step)
        statistics.parked += 1
        parkedTransactions.append(transaction)
        if parkedTransactions.count > 100 { parkedTransactions.removeFirst() }
        log(
            .fault, .important,
            "the \(transaction.step.rawValue) threw \(transaction.errorType) "
                + "\(parameters.failuresBeforeParking) times at transaction \(transaction.number), which is now parked"
        )
    }

    /// One retry at a time; otherwise each failure of a burst would start its own series of retries.
    private func retry() {
        guard retrying == nil, isRunning else { return }
        let pause = parameters.retryPause * (1 << min(failuresInARow, 6))
        failuresInARow += 1
        retrying = Task { [weak self] in
            guard (try? await Task.sleep(for: pause)) != nil else { return }
            await self?.passAgain()
        }
    }

    private func passAgain() async {
        retrying = nil
        await pass()
    }
}
