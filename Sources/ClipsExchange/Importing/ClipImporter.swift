package import ClipsCore

/// The result of an import.
package struct ImportReport: Hashable, Sendable {
    /// The number of clips that were read.
    package var read = 0
    package var outcome = DuplicateOutcome()
    /// The first problems; ``problemCount`` counts all.
    package var problems: [ImportProblem] = []
    package var problemCount = 0
    /// The number of parts of the file that were not read, and of clips that were read with a changed value.
    package var unreadableCount = 0
    package var changedCount = 0
    /// Whether the import ended early on request.
    package var isInterrupted = false
    /// The error that ended the import; earlier batches are saved.
    package var failure: String?
    /// Whether the file has a format that is not read.
    package var isRefused = false
    /// The name of the file's format, once it is known.
    package var form: String?
    /// The encoding of a text that does not declare it.
    package var guessedEncoding: String?
    /// The names of the non-empty fields that were not read.
    package var unreadFields: [String] = []

    package static let maxProblems = 20

    package init() {}

    package static func += (left: inout ImportReport, right: ImportReport) {
        left.read += right.read
        left.outcome += right.outcome
        left.problems += right.problems.prefix(Self.maxProblems - left.problems.count)
        left.problemCount += right.problemCount
        left.unreadableCount += right.unreadableCount
        left.changedCount += right.changedCount
        left.isInterrupted = left.isInterrupted || right.isInterrupted
        left.failure = left.failure ?? right.failure
        left.isRefused = left.isRefused || right.isRefused
    }

    fileprivate mutating func note(_ problem: ImportProblem) {
        problemCount += 1
        if let changed = problem.changed { changedCount += changed } else { unreadableCount += 1 }
        if problems.count < Self.maxProblems { problems.append(problem) }
    }
}

/// Saves the clips of files, one transaction per batch.
package struct ClipImporter {
    package var duplicates = DuplicatePolicy.keepBoth
    /// The tags to add to each clip.
    package var tags: [String] = []
    /// A closure called before each batch; true ends the import, as does the cancellation of the task.
    package var isInterrupted: () -> Bool = { false }
    /// A closure called after each batch.
    package var progress: (ImportReport) -> Void = { _ in }

    /// A closure called with clips that were read, but not saved because the store rejects them. The import then
    /// reads to the end, for input that cannot be read again; without a closure it ends.
    package var retain: (([ClipDraft]) -> Void)?

    package static let clipsPerBatch = 500
    /// A batch of large clips ends earlier.
    private static let bytesPerBatch = 16 << 20

    package init() {}

    /// Reads a file to its end and saves its clips; without a store, only reads.
    ///
    /// - Parameter rejection: Why nothing can be saved: all clips are retained.
    package func run(_ clips: ClipImport, into store: ClipStore?, rejection: String? = nil) async
        -> ImportReport
    {
        var clips = clips
        var report = ImportReport()
        report.failure = rejection
        do {
            let store = try await store?.asOneStep()
            while retain != nil || !(isInterrupted() || Task.isCancelled) {
                let batch = try nextBatch(&clips)
                // Only saved clips are counted, and the last record may be truncated.
                if isInterrupted() || Task.isCancelled {
                    // Input that cannot be read again exists nowhere else.
                    retain?(batch.drafts)
                    if retain == nil || batch.isLast { break }
                    continue
                }
                try await save(batch.drafts, into: store, &report)
                report.read += batch.drafts.count
                for problem in batch.problems { report.note(problem) }
                (report.form, report.unreadFields) = (clips.form, clips.unreadFields)
                report.guessedEncoding = clips.guessedEncoding
                progress(report)
                if batch.isLast { return report }
            }
            report.isInterrupted = true
        } catch {
            // An interrupted document looks like a truncated one.
            if isInterrupted() || Task.isCancelled {
                report.isInterrupted = true
                return report
            }
            if let failure = report.failure {
                // Not saved, and not readable either.
                report.failure = "\(failure) \(error)"
            } else {
                report.failure = PartialSave(error, saved: report.outcome.total).description
                report.isRefused = (error as? ImportError)?.isRefusal ?? false
            }
        }
        return report
    }

    private func save(_ drafts: [ClipDraft], into store: ClipStore?, _ report: inout ImportReport)
        async throws
    {
        guard !drafts.isEmpty else { return }
        if report.failure == nil {
            guard let store else { return }
            do {
                report.outcome += try await store.add(drafts, duplicates: duplicates).outcome
                return
            } catch {
                guard retain != nil else { throw error }
                report.failure = PartialSave(error, saved: report.outcome.total).description
            }
        }
        retain?(drafts)
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
                // The clips before the error are saved before it is reported.
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
