import Platform

/// Commits that were made and that the store does not have.
package struct LostCommits: Hashable, Sendable {
    /// The number with which the history ends; nil if it has other commits with the numbers of the lost ones.
    package let end: Int64?
    /// The number of the newest commit that is known.
    package let made: Int64

    package init(end: Int64?, made: Int64) { (self.end, self.made) = (end, made) }
}

extension LostCommits {
    /// A sentence about the store, whose cause can be one of two.
    package var sentence: String {
        if let end {
            "The history ends at \(end), but commits up to \(made) were made: the log (-wal) was deleted, "
                + "or the store was replaced by an older file."
        } else {
            "Commits up to \(made) were made that the history does not contain: "
                + "the store was replaced by an older file."
        }
    }
}

extension PersistentContainer {
    /// Returns the commits that the doorbell names and that the store does not have; nil if none are known.
    ///
    /// A log that was deleted, or a replacement of the store by an older file, loses commits that were reported.
    package nonisolated(nonsending) func lostCommits() async throws(StoreError) -> LostCommits? {
        let store = FilePath.resolved(path)
        guard let made = Doorbell.position(store: store), made.storeID == storeID else { return nil }
        // Read after the doorbell, so that it contains all commits that rang.
        let newest = try await currentToken()
        guard made.generation == newest.generation, made.number > newest.number,
            // Not of two lines that were written at the same time.
            Doorbell.position(store: store) == made
        else { return nil }
        return LostCommits(end: newest.number, made: made.number)
    }

    /// Writes the present position into the doorbell, after lost commits were reported.
    package nonisolated(nonsending) func discardLostCommits() async throws(StoreError) {
        guard try await lostCommits() != nil else { return }
        await writer.ring(try await currentToken())
    }
}
