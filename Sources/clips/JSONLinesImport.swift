import ClipsCore
import FoundationEssentials
import PersistentStore

/// Saves clips from JSON lines: a transaction for every thousand, or one for all with `--strict`.
///
/// Once the store refuses, nothing more is saved, and what came through a pipe is kept in a file: it may be nowhere
/// else.
struct JSONLinesImport {
    let invocation: Invocation
    let author: String
    /// As which it was called.
    let command: String

    private static let clipsPerTransaction = 1000

    func run() async throws -> ExitStatus {
        let isStrict = invocation.arguments.has("--strict")
        let progress = Progress()
        do {
            progress.store = try await invocation.openStore(author: author)
        } catch let error as StoreError where StandardInput.comesOnce {
            progress.failure = error
        }
        try await StandardInput.forEachLine(limit: ClipDraft.largestText) { number, line in
            guard let line else {
                progress.bad += 1
                return report(number, "the line is longer than \(ClipDraft.largestText >> 20) MB")
            }
            guard line.contains(where: { !Self.isSpace($0) }) else { return }
            do {
                let draft = try ClipDraft(jsonLine: line)
                if Tags.hasComma(draft.tags) {
                    progress.changed += 1
                    report(number, "a tag has a comma, which is saved as a space")
                }
                progress.drafts.append(draft)
            } catch {
                progress.bad += 1
                report(number, "\(error)")
            }
            if !isStrict && progress.drafts.count == Self.clipsPerTransaction { try await save(progress) }
        }
        if isStrict && progress.bad > 0 {
            invocation.fail("\(Self.lines(progress.bad)) cannot be read, so with --strict nothing was saved.")
            return .failed
        }
        try await save(progress)
        if let failure = progress.failure { return end(progress, failure) }
        let leftOut = progress.bad > 0 ? ", left out \(Self.lines(progress.bad))." : "."
        invocation.remark("clips: saved \(Self.clips(progress.saved))\(leftOut)")
        return progress.bad + progress.changed > 0 ? .failed : .done
    }

    private func save(_ progress: Progress) async throws {
        guard !progress.drafts.isEmpty else { return }
        defer { progress.drafts.removeAll(keepingCapacity: true) }
        guard progress.failure == nil, let store = progress.store else { return try keep(progress) }
        do {
            let ids: [Int64]
            if let policy = try invocation.duplicates() {
                let (found, outcome) = try await store.add(progress.drafts, duplicates: policy)
                ids = found
                progress.saved += outcome.saved
            } else {
                ids = try await store.add(progress.drafts)
                progress.saved += ids.count
            }
            if !invocation.output.isTerminal { for id in ids { invocation.output.line("\(id)") } }
        } catch let error as StoreError where StandardInput.comesOnce {
            progress.failure = error
            try keep(progress)
        } catch {
            tellSaved(progress)
            throw PartialSave(error, saved: progress.saved)
        }
    }

    private func keep(_ progress: Progress) throws {
        let drafts = progress.drafts
        if progress.lost == 0 {
            let file: UnsavedClips?
            if let kept = progress.kept {
                file = kept.add(drafts) ? kept : nil
            } else {
                file = UnsavedClips.keep(drafts, storePath: try invocation.storePath())
                progress.kept = file
            }
            if file != nil {
                progress.keptCount += drafts.count
                return
            }
        }
        progress.lost += drafts.count
    }

    private func end(_ progress: Progress, _ failure: StoreError) -> ExitStatus {
        tellSaved(progress)
        invocation.fail("\(PartialSave(failure, saved: progress.saved))")
        if let kept = progress.kept {
            kept.close()
            let (are, them) = progress.keptCount == 1 ? ("is", "it") : ("are", "them")
            invocation.fail(
                "\(Self.clips(progress.keptCount)) \(are) kept in \(kept.path); "
                    + "'clips \(command) --jsonl' takes \(them) from there.")
        }
        if progress.lost > 0 {
            invocation.fail("\(Self.clips(progress.lost)) could be kept nowhere; give them again.")
        }
        return .failed
    }

    private func tellSaved(_ progress: Progress) {
        guard progress.saved > 0 else { return }
        invocation.remark(
            "clips: \(Self.clips(progress.saved)) \(progress.saved == 1 ? "was" : "were") saved before this:")
    }

    private func report(_ number: Int, _ reason: String) {
        invocation.fail("line \(number): \(reason).")
    }

    private static func clips(_ count: Int) -> String { count == 1 ? "1 clip" : "\(count) clips" }
    private static func lines(_ count: Int) -> String { count == 1 ? "1 line" : "\(count) lines" }
    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }

    private final class Progress {
        var store: ClipStore?
        /// Why nothing more is saved.
        var failure: StoreError?
        var drafts: [ClipDraft] = []
        var saved = 0
        var bad = 0
        /// Lines that were not saved exactly as they are.
        var changed = 0
        var kept: UnsavedClips?
        var keptCount = 0
        /// Neither saved nor kept.
        var lost = 0
    }
}
