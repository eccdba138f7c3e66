extension PersistentContainer {
    /// Deletes the history that every registered consumer has passed and that is old enough, and what lies beyond
    /// the bounds whoever still wants it; those are told by ``StoreError/tokenExpired(oldest:)``.
    ///
    /// Works in small batches with pauses between them, beside other writers.
    ///
    /// - Parameters:
    ///   - bounds: how old, and how much, history may be.
    ///   - authors: whose consumers are not waited for, as those of batch imports that never read; consumers that
    ///     keep history always are waited for all the same.
    nonisolated(nonsending) public func purgeHistory(
        _ bounds: HistoryBounds, ignoring authors: Set<String> = []
    ) async throws(StoreError) -> PurgeResult {
        try await HistoryCleaning(writer: writer, now: options.clock()).purge(bounds, ignoring: authors)
    }

    /// The same by age alone.
    nonisolated(nonsending) public func purgeHistory(
        maximumAge: Duration, minimumAge: Duration = .zero, ignoring authors: Set<String> = []
    ) async throws(StoreError) -> PurgeResult {
        try await purgeHistory(
            HistoryBounds(maximumAge: maximumAge, minimumAge: minimumAge), ignoring: authors)
    }

    /// Deletes the history before a token, a transaction or a date; what that ends, is or is stamped with stays.
    @discardableResult
    nonisolated(nonsending) public func deleteHistory(_ request: HistoryDeleteRequest)
        async throws(StoreError) -> PurgeResult
    {
        try await HistoryCleaning(writer: writer, now: options.clock()).delete(request)
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
