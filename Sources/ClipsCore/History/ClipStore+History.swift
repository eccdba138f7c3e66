package import PersistentStore

/// Reads and cleans the history.
extension ClipStore {
    /// Returns the registered consumers of the history.
    package func consumers() async throws(StoreError) -> [ConsumerRecord] {
        try await container.read { try $0.consumers() }
    }

    /// Deletes the history before a token, a transaction, or a date.
    ///
    /// - Parameter isDryRun: Whether only to return the result that the deletion would have.
    package func deleteHistory(
        _ request: HistoryDeleteRequest, isDryRun: Bool = false
    ) async throws(StoreError) -> PurgeResult {
        isDryRun
            ? try await container.previewDeletion(request) : try await container.deleteHistory(request)
    }

    /// Calls `handler` once when no process can read data written to a descriptor any more.
    package func watchForHangUp(_ descriptor: CInt, handler: @escaping @Sendable () -> Void) {
        container.watchForHangUp(descriptor, handler: handler)
    }
}
