import ClipsCore
import ClipsExchange
import Platform

/// Saves clips from JSON lines on standard input: one transaction per thousand, or one for all with
/// `--strict`.
///
/// Not an import of a file: it prints IDs, and retains the lines from a pipe that are not saved, which may
/// exist nowhere else. After an error of the store, nothing more is saved.
struct JSONLinesImport {
    let invocation: Invocation
    let author: String
    /// The name of the command.
    let command: String

    private static let clipsPerTransaction = 1000
    /// A text of which every byte is escaped as `\u00XX`, with room for the other fields.
    private static let longestLine = 6 * ClipDraft.largestText + (1 << 20)

    func run() async throws -> ExitStatus {
        let isStrict = invocation.arguments.has("--strict")
        PendingInterrupt.hold()
        // Saving continues after the reader of the IDs has exited.
        invocation.output.surviveReader()
        let progress = Progress(
            retention: StandardInput.comesOnce
                ? Retention(invocation, command: command, author: author) : nil)
        do {
            progress.store = try await invocation.openStore(author: author).asOneStep()
        } catch {
            progress.failure = error
            if progress.retention == nil { throw error }
        }
        do {
            let isWhole = try await StandardInput.forEachLine(
                limit: Self.longestLine, overlong: { progress.retention?.retain(rejected: $0) }
            ) { number, line in
                await read(number, line, progress)
                if !isStrict && progress.drafts.count == Self.clipsPerTransaction { await save(progress) }
            }
            progress.isInterrupted = !isWhole
        } catch {
            progress.failure = progress.failure ?? error
        }
        let isRefused = isStrict && (progress.bad + progress.changed > 0 || progress.isInterrupted)
        if isRefused { progress.retention?.retain(progress.drafts) } else { await save(progress) }
        return end(progress, isRefused: isRefused)
    }

    private func read(_ number: Int, _ line: ArraySlice<UInt8>?, _ progress: Progress) async {
        guard let line else {
            progress.bad += 1
            let limit = "the line is longer than \(Self.longestLine >> 20) MB"
            invocation.fail("\(ImportProblem(line: number, limit))")
            return
        }
        guard line.contains(where: { !Self.isSpace($0) }) else { return }
        do {
            let clip = try ClipLine(Array(line), number: number, &progress.unread)
            for problem in clip.problems { invocation.fail("\(problem)") }
            if !clip.problems.isEmpty { progress.changed += 1 }
            progress.drafts.append(clip.draft)
        } catch {
            progress.bad += 1
            invocation.fail("\(error)")
            progress.retention?.retain(rejected: line + [UInt8(ascii: "\n")])
        }
    }

    private func save(_ progress: Progress) async {
        guard !progress.drafts.isEmpty else { return }
        defer { progress.drafts.removeAll(keepingCapacity: true) }
        guard progress.failure == nil, let store = progress.store else {
            progress.retention?.retain(progress.drafts)
            return
        }
        do {
            let ids: [Int64]
            if let policy = try invocation.duplicates(author: author), policy != .keepBoth {
                let (found, outcome) = try await store.add(progress.drafts, duplicates: policy)
                ids = found
                progress.outcome += outcome
            } else {
                let known = try await store.existing(progress.drafts)
                let clips = try await store.addOnce(progress.drafts)
                ids = clips.map(\.id)
                var outcome = DuplicateOutcome()
                outcome.saved = clips.count { $0.isNew }
                outcome.unchanged = clips.count { !$0.isNew }
                // A line with the UUID of a clip may also have its URL.
                outcome.addedAsDuplicate = max(0, known.count - outcome.unchanged)
                (outcome.firstExisting, outcome.formerTitle) = (known.first?.id, known.first?.title)
                progress.outcome += outcome
            }
            if invocation.isJSON || !invocation.output.isTerminal || invocation.arguments.has("--ids") {
                await invocation.printSaved(ids, of: store)
            }
        } catch {
            progress.failure = error
            progress.retention?.retain(progress.drafts)
        }
    }

    private func end(_ progress: Progress, isRefused: Bool) -> ExitStatus {
        let outcome = progress.outcome
        let remark = invocation.remark(on: outcome, "one page", author: author)
        if let remark { invocation.remark(remark) }
        let counts = [
            (remark == nil ? outcome.addedAsDuplicate : 0, "of them of an existing page"),
            (outcome.merged, "merged"), (outcome.replaced, "replaced"),
            (remark == nil ? outcome.unchanged + outcome.skipped : 0, "already existed"),
        ].filter { $0.0 > 0 }
        let saved =
            outcome.saved.counted("clip") + counts.map { ", \($0.grouped) \($1)" }.joined()
        let leftOut =
            (progress.bad > 0 ? ", left out \(progress.bad.counted("line"))" : "")
        if let failure = progress.failure {
            if progress.saved > 0 {
                let verb = progress.saved == 1 ? "was" : "were"
                let form = outcome.saved == outcome.total ? "saved" : "saved or changed"
                invocation.remark(
                    "\(progress.saved.counted("clip")) \(verb) \(form) before this:")
            }
            invocation.fail("\(PartialSave(failure, saved: progress.saved))")
        } else if isRefused && progress.bad + progress.changed > 0 {
            let lines = (progress.bad + progress.changed).counted("line")
            invocation.fail("\(lines) cannot be read, so with --strict nothing was saved.")
        } else if isRefused {
            invocation.fail("Interrupted, so with --strict nothing was saved.")
        } else if progress.isInterrupted {
            invocation.remark("interrupted; until then saved \(saved)\(leftOut).")
        } else {
            invocation.remark("saved \(saved)\(leftOut).")
        }
        if !progress.unread.list.isEmpty { invocation.remark("not read: \(progress.unread.list).") }
        progress.retention?.report()
        do {
            try invocation.output.flush()
        } catch {
            return invocation.fail(
                "Saved \(saved), but standard output could not be written: \(error.reason).")
        }
        if progress.isInterrupted || (progress.failure != nil && PendingInterrupt.isThere) {
            return .interrupted
        }
        return progress.failure != nil || progress.bad + progress.changed > 0 ? .failed : .done
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }

    private final class Progress {
        /// Nil if the input is a file, which still has everything.
        let retention: Retention?
        var store: ClipStore?
        /// The error after which nothing more is saved.
        var failure: (any Error)?
        var drafts: [ClipDraft] = []
        var outcome = DuplicateOutcome()
        /// The number of inserted and changed clips.
        var saved: Int { outcome.total }
        var bad = 0
        /// The number of lines with values that were not read exactly.
        var changed = 0
        var unread = UnreadFields()
        var isInterrupted = false

        init(retention: Retention?) { self.retention = retention }
    }
}
