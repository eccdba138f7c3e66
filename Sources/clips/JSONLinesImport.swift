import ClipsCore
import FoundationEssentials
import PersistentStore

/// Saves clips from JSON lines: a transaction for every thousand, or one for all with `--strict`.
struct JSONLinesImport {
    let invocation: Invocation
    let store: ClipStore

    private static let clipsPerTransaction = 1000

    func run() async throws -> ExitStatus {
        let isStrict = invocation.arguments.has("--strict")
        let progress = Progress()
        try await StandardInput.forEachLine(limit: ClipDraft.largestText) { number, line in
            guard let line else {
                progress.bad += 1
                return report(number, "the line is longer than \(ClipDraft.largestText >> 20) MB")
            }
            guard line.contains(where: { !Self.isSpace($0) }) else { return }
            do {
                progress.drafts.append(try ClipDraft(jsonLine: line))
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
        let clips = progress.saved == 1 ? "1 clip" : "\(progress.saved) clips"
        invocation.remark(
            "clips: saved \(clips)" + (progress.bad > 0 ? ", left out \(Self.lines(progress.bad))." : "."))
        return progress.bad > 0 ? .failed : .done
    }

    private func save(_ progress: Progress) async throws {
        guard !progress.drafts.isEmpty else { return }
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
        } catch {
            if progress.saved > 0 {
                invocation.remark("clips: \(progress.saved) clips were saved before this:")
            }
            throw error
        }
        progress.drafts.removeAll(keepingCapacity: true)
    }

    private func report(_ number: Int, _ reason: String) {
        invocation.fail("line \(number): \(reason).")
    }

    private static func lines(_ count: Int) -> String { count == 1 ? "1 line" : "\(count) lines" }
    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }

    private final class Progress {
        var drafts: [ClipDraft] = []
        var saved = 0
        var bad = 0
    }
}
