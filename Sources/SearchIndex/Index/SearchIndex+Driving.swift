package import PersistentStore
import SQLite

extension SearchIndex {
    /// The store's own record of the cursor follows after so many changes, so that a search seldom writes into the
    /// store.
    private static let unrecordedChanges: UInt64 = 256
    private static let mostAttempts = 500
    private static let pause = Duration.milliseconds(10)

    /// Catches up, or builds, until the index has everything that is committed; one step is one commit, so it may be
    /// ended at any moment and goes on from there.
    ///
    /// - Parameter progress: called after each step of a building.
    /// - Returns: how the index is now.
    @discardableResult
    package nonisolated(nonsending) func bringUpToDate(
        progress: (SearchIndexState) -> Void = { _ in }
    ) async throws(StoreError) -> SearchIndexState {
        var attempts = 0
        var hasBuilt = false
        while attempts < Self.mostAttempts {
            guard !Task.isCancelled else { throw .cancelled }
            // Twice ahead of a new snapshot: not of another process's commit, but of the store.
            let isAheadOfAll = attempts > 1
            let step = try await container.read { snapshot in
                try self.advance(in: snapshot, mayBuild: true, isAheadOfAll: isAheadOfAll)
            }
            switch step {
            case .done:
                if hasBuilt { await emptyJournal() }
                // A search that has found everything does not fail for what only cleaning wants to know.
                try? await recordCursor()
                return .ready
            case .more(let state):
                attempts = 0
                if state != .ready { hasBuilt = true }
                progress(state)
            case .ahead: attempts += 1
            case .notNow:
                if let obstacle = await obstacleDescription { return .unavailable(obstacle) }
                attempts += 1
                try await container.pause(for: Self.pause)
            }
        }
        return .unavailable("another process keeps it locked")
    }

    /// A building leaves a journal as large as the index.
    private func emptyJournal() {
        _ = try? useOutsideTransaction { connection in
            try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    /// Says in the store how far the index is, so that cleaning waits for it and `consumers` can tell.
    private nonisolated(nonsending) func recordCursor() async throws(StoreError) {
        let (own, stored) = try await container.read { snapshot in
            let cursor = try self.assumeIsolated { index in
                try index.use(.reading) { connection, _ in try IndexRecord(connection)?.cursor } ?? nil
            }
            let record = try snapshot.consumers(named: Self.consumerName)
            return (cursor, record)
        }
        // Nor does it wait for whoever is writing: the next search is as good.
        guard let own, !container.isBeingWritten else { return }
        guard let stored else {
            let name = try await container.registerConsumer(Self.consumerName, startingAt: own).name
            // Another process was quicker.
            if name != Self.consumerName { try await container.removeConsumer(name) }
            return
        }
        if stored.storeID != own.storeID || stored.generation != own.generation
            || own.number > stored.number
                // As it stands even when a store of somebody's making has the ends of what a number holds.
                && UInt64(bitPattern: own.number &- stored.number) >= Self.unrecordedChanges
        {
            try await container.resetCursor(of: Self.consumerName, to: own)
        }
    }
}

extension StoreSnapshot {
    fileprivate func consumers(named name: String) throws -> HistoryToken? {
        guard try hasConsumer(name) else { return nil }
        return try consumers().first { $0.name == name }?.token
    }
}
