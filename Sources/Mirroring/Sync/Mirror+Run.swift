import PersistentStore

extension Mirror {
    /// Exchanges changes as they are committed, here and on other machines, until the task is cancelled. While
    /// nothing changes, it exchanges no messages. Many deletions wait until ``allowRemovals(_:)`` or
    /// ``keepRemovals(_:)``; ``MirrorStatus/removals`` has their number.
    ///
    /// - Throws: The first error; run again after a pause. ``MirrorError/cancelled`` at the end.
    public func run() async throws(MirrorError) {
        let events = try await store { () throws(StoreError) in try await container.events() }
        try await exchange { () throws(MirrorError) in
            try await exchangeAll()
            try await noteQuestion()
        }
        let (wakes, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let signals = Signals { continuation.yield() }
        self.signals = signals
        let commits = Task {
            var newest: StoreEvent?
            for await event in events {
                // A commit that recorded nothing, such as one of the mirror's state, has the same token.
                if event != newest {
                    signals.add(event == .replaced ? .failure(.store(.closed)) : .commit)
                } else if await hasWaitingRecords() {
                    signals.add(.commit)
                }
                newest = event
            }
            signals.add(.failure(.cancelled))
        }
        var revisions = waitForRevision(signals)
        defer {
            commits.cancel()
            revisions.cancel()
            self.signals = nil
        }
        for await _ in wakes {
            let due = signals.takeAll()
            try await exchange { () throws(MirrorError) in
                if let error = due.failure { throw error }
                try await connect()
                try await transfer(imports: due.hasRevisions)
                try await noteQuestion()
                if due.hasRevisions { revisions = waitForRevision(signals) }
            }
        }
        throw .cancelled
    }

    /// Whether records must be put, such as one of which a conflict was dismissed.
    private nonisolated(nonsending) func hasWaitingRecords() async -> Bool {
        let count = try? await read { snapshot throws(StoreError) in
            try snapshot.count(MapRow.request(.toPut, limit: 1))
                + snapshot.count(MapRow.request(.toSeal, limit: 1))
        }
        return count != 0
    }

    private func waitForRevision(_ signals: Signals) -> Task<Void, Never> {
        let (engine, cursor) = (engine, zone[.cursor])
        return Task {
            do throws(MirrorError) {
                try await engine.waitForChanges(after: cursor)
                signals.add(.revision)
            } catch {
                // An import of this mirror ends the wait, too.
                signals.add(error == .cancelled && !Task.isCancelled ? .revision : .failure(error))
            }
        }
    }
}
