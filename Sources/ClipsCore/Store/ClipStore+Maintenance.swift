package import PersistentStore
package import SearchIndex

extension Error {
    /// The error's message, followed by the commands that help.
    package var sentence: String {
        switch self as? StoreError {
        case .damaged: "\(self) \(StoreError.repairCommands)"
        case .noIDLeft: "\(self) Run 'clips doctor --repair'."
        case .emptyFile: "\(self) 'clips backup restore FILE' restores one."
        default: "\(self)"
        }
    }
}

extension StoreError {
    package static let repairCommands = "Run 'clips backup restore FILE' or 'clips doctor --salvage NEW'."
}

/// Checks, repairs, cleans, and copies the store.
extension ClipStore {
    /// Checks the store and its search index. Writes nothing.
    package func check() async throws(StoreError) -> (findings: [StoreFinding], index: SearchIndexProblem?) {
        // A link check without a clip is no problem; see `orphanCount`.
        let findings = try await container.check().filter {
            if case .danglingReferences(LinkCheck.entity, _) = $0 { false } else { true }
        }
        return (findings, await index.problem())
    }

    /// Returns the commits that the search index has read, or that the doorbell names, and that the store does not
    /// have; nil if none are known.
    package func lostCommits() async throws(StoreError) -> LostCommits? {
        if let lost = try await index.lostCommits() { return lost }
        return try await newlyLostCommits()
    }

    /// Returns the commits that the doorbell names, which does not open the index.
    package func newlyLostCommits() async throws(StoreError) -> LostCommits? {
        try await container.lostCommits()
    }

    /// Returns a sentence about commits that the store lost, or texts that are not read; nil if none are known.
    package func lossReport() async throws(StoreError) -> String? {
        try await lostCommits()?.sentence ?? Self.sentence(oversized)
    }

    private static let prefix = 1 << 16

    /// Returns the limit of texts for a store's options.
    package static func oversizedTexts() -> OversizedValues {
        OversizedValues(over: ClipDraft.largestText, prefix: prefix)
    }

    /// Returns a sentence about clips of which a text was cut; nil if there are none.
    package static func sentence(_ oversized: OversizedValues?) -> String? {
        let ids = oversized?.found.map(\.key).sorted() ?? []
        guard let first = ids.first else { return nil }
        let clips = ids.count > 1 ? "Clips \(first) and \(ids.count - 1) more have" : "Clip \(first) has"
        return "\(clips) a field of more than \(ClipDraft.largestText >> 20) MB, of which "
            + "\(prefix >> 10) KB was read. Copy the store with 'clips backup', and shorten or delete the clip."
    }

    /// Checks again, and applies the repairs that lose no data.
    package func repair() async throws {
        try await container.repair(try await container.check())
        try await deleteOrphans()
        if await index.problem()?.isRepairable == true { try await index.rebuild() }
    }

    /// Returns the sizes of the store's parts.
    package func space() async throws(StoreError) -> StoreSpace { try await container.space() }

    /// Returns the registered consumers of the history.
    package func consumers() async throws(StoreError) -> [ConsumerStatus] {
        try await container.read { snapshot throws(StoreError) in try snapshot.consumers() }
    }

    /// Returns the result that the deletion of the history before a token, a transaction, or a date would have.
    package func previewDeletion(_ request: HistoryDeleteRequest) async throws(StoreError) -> PurgeResult {
        try await container.previewDeletion(request)
    }

    /// Deletes the history before a token, a transaction, or a date, and overwrites the text of deleted clips in all
    /// files of the store.
    ///
    /// - Returns: The result, and the reason that deleted text may remain; nil if none does.
    package func deleteHistory(
        _ request: HistoryDeleteRequest
    ) async throws(StoreError) -> (result: PurgeResult, remains: String?) {
        try await index.release()
        try await deleteOrphans()
        let result = try await container.deleteHistory(request)
        do {
            try await index.scrub()
            let isScrubbed = try await container.scrub()
            return (result, isScrubbed ? nil : "another process reads its log")
        } catch {
            return (result, error.sentence)
        }
    }

    /// Brings the search index up to date. Afterward, no lost commits are known.
    ///
    /// - Parameter progress: A closure called after each step of a backfill.
    /// - Returns: the state of the index; without a usable index a search is slower, not wrong.
    @discardableResult
    package func updateIndex(progress: (SearchIndexState) -> Void = { _ in }) async throws(StoreError)
        -> SearchIndexState
    {
        let state = try await index.bringUpToDate(progress: progress)
        try await container.discardLostCommits()
        return state
    }

    /// Copies one state of the store into a new file, while other processes continue to write.
    ///
    /// - Parameters:
    ///   - replaces: Whether to replace an existing file.
    ///   - progress: A closure called with the completed and the total number of pages.
    package func backUp(
        to path: String, replaces: Bool, progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void
    ) async throws(StoreError) {
        try await container.backUp(to: path, replaces: replaces, progress: progress)
    }

    /// Replaces a store by a backup, even while other processes have it open.
    ///
    /// - Returns: the name under which the old store is retained; nil if there was none.
    package static func restoreBackup(
        _ backup: String, to path: String, options: StoreOptions,
        progress: @Sendable (_ done: Int, _ of: Int) -> Void
    ) throws(StoreError) -> String? {
        try PersistentContainer.restore(
            backup, to: path, model: try ClipModel.make(), options: options, progress: progress)
    }

    /// Saves the readable clips of a damaged store into a new one, and indexes it.
    ///
    /// - Throws: the errors of `PersistentContainer.salvage`.
    package static func salvage(
        _ path: String, to newPath: String, author: String, options: StoreOptions,
        progress: (_ done: Int, _ of: Int) -> Void
    ) async throws(StoreError) -> SalvageReport {
        let report = try PersistentContainer.salvage(
            path, to: newPath, author: author, model: try ClipModel.make(), options: options,
            progress: progress)
        let store = try await ClipStore(path: newPath, author: author, options: options)
        _ = try? await store.updateIndex()
        await store.close()
        return report
    }
}
