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
    /// Whether the file is of a kind that is not read.
    package var isRefused = false
    /// The form of the file, once it is known.
    package var form: String?
    /// Names of the file's fields that hold something and were not read.
    package var unreadFields: [String] = []

    package static let mostProblems = 20

    package init() {}

    package static func += (left: inout ImportReport, right: ImportReport) {
        left.read += right.read
        left.outcome += right.outcome
        left.problems += right.problems.prefix(Self.mostProblems - left.problems.count)
        left.problemCount += right.problemCount
        left.isInterrupted = left.isInterrupted || right.isInterrupted
        left.failure = left.failure ?? right.failure
        left.isRefused = left.isRefused || right.isRefused
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
                let batch = try nextBatch(&clips)
                // What is not saved is not counted, and the last record may have been cut off.
                if isInterrupted() || Task.isCancelled { break }
                if let store, !batch.drafts.isEmpty {
                    report.outcome += try await store.add(batch.drafts, duplicates: duplicates).outcome
                }
                report.read += batch.drafts.count
                for problem in batch.problems { report.note(problem) }
                (report.form, report.unreadFields) = (clips.form, clips.unreadFields)
                progress(report)
                if batch.isLast { return report }
            }
            report.isInterrupted = true
        } catch {
            // An interrupted document looks like one that is cut off.
            if isInterrupted() || Task.isCancelled {
                report.isInterrupted = true
                return report
            }
            report.failure = PartialSave(error, saved: report.outcome.total).description
            report.isRefused = (error as? ImportError)?.isRefusal ?? false
        }
        return report
    }

    private func nextBatch(
        _ clips: inout ClipImport
    ) throws(ImportError) -> (drafts: [ClipDraft], problems: [ImportProblem], isLast: Bool) {
        var drafts: [ClipDraft] = []
        var problems: [ImportProblem] = []
        var bytes = 0
        while drafts.count + problems.count < Self.clipsPerBatch && bytes < Self.bytesPerBatch {
            let item: ImportItem?
            do {
                item = try clips.next()
            } catch {
                // What was read before is saved before the error is told.
                guard !drafts.isEmpty || !problems.isEmpty else { throw error }
                return (drafts, problems, false)
            }
            switch item {
            case nil: return (drafts, problems, true)
            case .success(var draft)?:
                draft.tags += tags
                bytes += draft.text.utf8.count + draft.note.utf8.count
                drafts.append(draft)
            case .failure(let problem)?: problems.append(problem)
            }
        }
        return (drafts, problems, false)
    }
}
