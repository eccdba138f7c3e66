extension PersistentContainer {
    /// Deletes the history that every registered consumer has read and that is old enough, and the history
    /// beyond the bounds even if a consumer still needs it. Such a consumer gets
    /// ``StoreError/tokenExpired(oldest:)``.
    ///
    /// Works in small batches with pauses between them, concurrently with other writers.
    ///
    /// - Parameters:
    ///   - bounds: The limits on age and size.
    ///   - authors: The authors whose consumers are ignored, such as those of batch imports that never read.
    ///     Consumers that retain history always are respected anyway.
    nonisolated(nonsending) public func purgeHistory(
        _ bounds: HistoryBounds, ignoring authors: Set<String> = []
    ) async throws(StoreError) -> PurgeResult {
        try await HistoryCleaning(writer: writer, now: options.clock()).purge(bounds, ignoring: authors)
    }

    /// Deletes history by age only.
    nonisolated(nonsending) public func purgeHistory(
        maximumAge: Duration, minimumAge: Duration = .zero, ignoring authors: Set<String> = []
    ) async throws(StoreError) -> PurgeResult {
        try await purgeHistory(
            HistoryBounds(maximumAge: maximumAge, minimumAge: minimumAge), ignoring: authors)
    }

    /// Deletes the history before a token, a transaction, or a date; the transaction at the end itself is
    /// retained.
    @discardableResult
    nonisolated(nonsending) public func deleteHistory(_ request: HistoryDeleteRequest)
        async throws(StoreError) -> PurgeResult
    {
        try await HistoryCleaning(writer: writer, now: options.clock()).delete(request)
    }

    /// Rewrites the file without the text of deleted objects, which SQLite leaves in unused parts, and empties the log.
    ///
    /// - Returns: Whether the log is empty, for which no process may read it.
    package nonisolated(nonsending) func scrub() async throws(StoreError) -> Bool {
        try await writer.vacuum()
        return try await writer.emptyLog()
    }

    /// Whether the last cleaning is at least `interval` old. If so, records that a cleaning starts now, so
    /// that only one of several processes cleans.
    nonisolated(nonsending) public func claimCleaning(every interval: Duration) async throws(StoreError)
        -> Bool
    {
        let now = options.clock()
        let last = try await reader.read { snapshot throws(StoreError) in try snapshot.lastCleaning() }
        guard now - last >= interval.wholeMilliseconds || last > now else { return false }
        return try await writer.write { connection in
            guard try StoreMetadata.integer(.lastCleaning, on: connection) ?? 0 == last else { return false }
            try StoreMetadata.set(.lastCleaning, .integer(now), on: connection)
            return true
        }
    }

    /// Returns the result that ``purgeHistory(_:ignoring:)`` would have now: the amount to delete, and the
    /// consumers that block the rest. Writes nothing.
    ///
    /// A bound on the share of the store is approached in several rounds; the result is that of the first.
    nonisolated(nonsending) public func previewPurge(
        _ bounds: HistoryBounds, ignoring authors: Set<String> = []
    ) async throws(StoreError) -> PurgeResult {
        try await HistoryCleaning(writer: writer, now: options.clock()).preview(bounds, ignoring: authors)
    }

    /// Returns the result that ``deleteHistory(_:)`` would have now. Writes nothing.
    nonisolated(nonsending) public func previewDeletion(_ request: HistoryDeleteRequest)
        async throws(StoreError) -> PurgeResult
    {
        try await HistoryCleaning(writer: writer, now: options.clock()).preview(request)
    }
}
