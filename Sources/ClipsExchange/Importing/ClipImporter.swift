package import ClipsCore

/// What an import has done.
package struct ImportReport: Hashable, Sendable {
    /// The clips that were read.
    package var read = 0
    package var outcome = DuplicateOutcome()
    /// The first of them; ``problemCount`` has them all.
    package var problems: [ImportProblem] = []
    package var problemCount = 0
    /// Ended before the file did: on request, or by ``failure``.
    package var isInterrupted = false
    /// Why there is no more; what came before is saved.
    package var failure: String?

    package static let mostProblems = 20

    package init() {}

    package static func += (left: inout ImportReport, right: ImportReport) {
        left.read += right.read
        left.outcome += right.outcome
        left.problems += right.problems.prefix(Self.mostProblems - left.problems.count)
        left.problemCount += right.problemCount
        left.isInterrupted = left.isInterrupted || right.isInterrupted
        left.failure = left.failure ?? right.failure
    }

    fileprivate mutating func note(_ problem: ImportProblem) {
        problemCount += 1
        if problems.count < Self.mostProblems { problems.append(problem) }
    }
}

/// Saves the clips of files, a transaction for every batch.
package struct ClipImporter {
    package var duplicates = DuplicatePolicy.keepBoth
    /// Tags that every clip gets.
    package var tags: [String] = []
    /// Asked before each batch, as is the task's cancellation; true ends the import with what has been saved.
    package var isInterrupted: () -> Bool = { false }
    /// Told after each batch.
    package var progress: (ImportReport) -> Void = { _ in }

    package static let clipsPerBatch = 500
    /// A batch of large clips ends earlier.
    private static let bytesPerBatch = 16 << 20

    package init() {}

    /// Reads to the end and saves; without a store it only reads.
    package func run(_ clips: ClipImport, into store: ClipStore?) async -> ImportReport {
        var clips = clips
        var report = ImportReport()
        do {
            while !isInterrupted() && !Task.isCancelled {
                let batch = try nextBatch(&clips, &report)
                // What is not saved is not counted as read.
                if isInterrupted() || Task.isCancelled { break }
                if let store, !batch.drafts.isEmpty {
                    report.outcome += try await store.add(batch.drafts, duplicates: duplicates).outcome
                }
                report.read += batch.drafts.count
                progress(report)
                if batch.isLast { return report }
            }
            report.isInterrupted = true
        } catch {
            report.failure = "\(error)"
        }
        return report
    }

    private func nextBatch(
        _ clips: inout ClipImport, _ report: inout ImportReport
    ) throws(ImportError) -> (drafts: [ClipDraft], isLast: Bool) {
        var drafts: [ClipDraft] = []
        var bytes = 0
        while drafts.count < Self.clipsPerBatch && bytes < Self.bytesPerBatch {
            let item: ImportItem?
            do {
                item = try clips.next()
            } catch {
                // What was read before is saved before the error is told.
                guard !drafts.isEmpty else { throw error }
                return (drafts, false)
            }
            switch item {
            case nil: return (drafts, true)
            case .success(var draft)?:
                draft.tags += tags
                bytes += draft.text.utf8.count + draft.note.utf8.count
                drafts.append(draft)
            case .failure(let problem)?: report.note(problem)
            }
        }
        return (drafts, false)
    }
}
