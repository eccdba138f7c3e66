package import PersistentStore
import Platform
import SQLite

extension SearchIndex {
    /// The number of changes after which the cursor is recorded in the store again, so that a search seldom
    /// writes to the store.
    private static let unrecordedChanges: UInt64 = 256
    private static let maxAttempts = 500
    private static let pause = Duration.milliseconds(10)

    /// Catches up, or builds, until the index contains everything that is committed.
    ///
    /// Each step is one commit, so the process can end at any time and the next call continues.
    ///
    /// - Parameter progress: called after each step of a backfill.
    /// - Returns: the state of the index.
    @discardableResult
    package nonisolated(nonsending) func bringUpToDate(
        progress: (SearchIndexState) -> Void = { _ in }
    ) async throws(StoreError) -> SearchIndexState {
        var attempts = 0
        var hasBuilt = false
        while attempts < Self.maxAttempts {
            guard !Task.isCancelled else { throw .cancelled }
            // Ahead of two new snapshots: the index is ahead of the store, not of another process's commit.
            let isAheadOfAll = attempts > 1
            let step = try await container.read { snapshot throws(StoreError) in
                try self.advance(in: snapshot, mayBuild: true, isAheadOfAll: isAheadOfAll)
            }
            switch step {
            case .done:
                if hasBuilt { await emptyJournal() }
                // A complete search does not fail because of a cursor that only cleaning uses.
                try? await recordCursor()
                return .ready
            case .more(let state):
                attempts = 0
                if state != .ready { hasBuilt = true }
                progress(state)
            case .ahead: attempts += 1
            case .notNow:
                if let reason = await unavailabilityReason { return .unavailable(reason) }
                attempts += 1
                try await container.pause(for: Self.pause)
            }
        }
        return .unavailable("another process holds its lock")
    }

    /// Reads all history, if there is an index, and records that in the store, so that cleaning need not wait.
    package nonisolated(nonsending) func release() async throws(StoreError) {
        guard FileStatus(path: path) != nil, try await bringUpToDate() == .ready else { return }
        try await recordCursor(after: 1)
    }

    /// Rebuilds an index that contains words of deleted text, in a new file: SQLite and FTS5 leave them in unused
    /// parts of a file.
    package nonisolated(nonsending) func scrub() async throws {
        guard FileStatus(path: path) != nil else { return }
        try await rebuild()
    }

    /// Truncates the WAL, which is as large as the index after a backfill.
    private func emptyJournal() {
        _ = try? useOutsideTransaction { connection in
            try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    /// Records the index's cursor in the store, so that cleaning waits for it and `consumers` shows it.
    ///
    /// - Parameter changes: The number of changes from which on a cursor is recorded again.
    private nonisolated(nonsending) func recordCursor(
        after changes: UInt64 = SearchIndex.unrecordedChanges
    ) async throws(StoreError) {
        let own = try await record()?.cursor
        let stored = try await container.read { snapshot throws(StoreError) in
            try snapshot.consumers().first { $0.name == Self.consumerName }?.token
        }
        // It does not wait for another writer either: the next search can record the cursor.
        guard let own, !container.isBeingWritten else { return }
        guard let stored else {
            let name = try await container.registerConsumer(Self.consumerName, startingAt: own).name
            // Another process registered the consumer first.
            if name != Self.consumerName { try await container.removeConsumer(name) }
            return
        }
        if stored.storeID != own.storeID || stored.generation != own.generation
            || own.number > stored.number
                // Correct even if a malicious store contains the limits of Int64.
                && UInt64(bitPattern: own.number &- stored.number) >= changes
        {
            try await container.resetCursor(of: Self.consumerName, to: own)
        }
    }
}
