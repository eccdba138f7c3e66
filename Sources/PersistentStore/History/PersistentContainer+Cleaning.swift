extension PersistentContainer {
    /// Deletes the history that every registered consumer has passed and that is older than `minimumAge`, and
    /// what is older than `maximumAge` whoever still wants it; those are told by
    /// ``StoreError/tokenExpired(oldest:)``.
    ///
    /// Works in small batches with pauses between them, beside other writers.
    nonisolated(nonsending) public func purgeHistory(
        maximumAge: Duration, minimumAge: Duration = .zero
    ) async throws(StoreError) -> PurgeResult {
        let now = options.clock()
        let oldest = now - maximumAge.wholeMilliseconds
        // A millisecond may hold more than one transaction: what is of now is old enough when none has to be kept.
        let youngest = minimumAge == .zero ? Int64.max : now - minimumAge.wholeMilliseconds
        try await writer.write { try ConsumerTable.removeGone(on: $0) }
        let plan = try await writer.read { try HistoryPurge.Plan(oldest: oldest, youngest: youngest, on: $0) }
        let result = try await writer.write { try HistoryPurge.raiseFloor(plan, on: $0) }
        while try await writer.write({ try HistoryPurge.removeBatch(on: $0) }) {
            do { try await Task.sleep(for: .milliseconds(1)) } catch { throw .cancelled }
        }
        return result
    }

    /// Whether the last cleaning is at least `interval` old; if so, says that there is one now, so that of
    /// several processes only one cleans.
    nonisolated(nonsending) public func claimCleaning(every interval: Duration) async throws(StoreError)
        -> Bool
    {
        let now = options.clock()
        let last = try await reader.read { try $0.lastCleaning() }
        guard now - last >= interval.wholeMilliseconds || last > now else { return false }
        return try await writer.write { connection in
            guard try StoreMetadata.integer(.lastCleaning, on: connection) ?? 0 == last else { return false }
            try StoreMetadata.set(.lastCleaning, .integer(now), on: connection)
            return true
        }
    }
}
