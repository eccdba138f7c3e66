import ClipsCore
import Platform

/// Sentences about pages that were already saved.
extension Invocation {
    /// Returns a sentence about the clip of the only page that was already saved; nil without one, or for several.
    ///
    /// - Parameters:
    ///   - subject: The page in the sentence.
    ///   - author: The author without the option.
    func remark(on outcome: DuplicateOutcome, _ subject: String, author: String) -> String? {
        guard outcome.existing == 1, let clip = outcome.firstExisting else { return nil }
        let name = outcome.formerTitle.map { Message.clip(clip, titled: $0) } ?? "clip \(clip)"
        return "\(subject) is already saved as \(name); \(result(of: outcome, author: author))."
    }

    private func result(of outcome: DuplicateOutcome, author: String) -> String {
        if outcome.merged > 0 {
            let unarchived = outcome.unarchived > 0 ? " and no longer archived" : ""
            return "the clips are merged\(unarchived)\(Self.sentence(remaining: outcome.remaining))"
        }
        if outcome.replaced > 0 {
            let author = self.author(default: author)
            let undo = author == "cli" ? "clips undo" : "clips undo --author '\(author)'"
            let count = outcome.deleted.counted("other clip")
            let others = ", and \(count) of this page deleted; \(undo) restores them"
            return "its clip is replaced" + (outcome.deleted == 0 ? "" : others)
        }
        if outcome.skipped > 0 { return "its clip is unchanged" }
        return outcome.unchanged > 0 ? "the clip adds nothing new" : "both clips are retained"
    }

    /// Returns a sentence, without its final period, about the other clips of a page; empty if there are none.
    private static func sentence(remaining: Set<Int64>) -> String {
        guard let clip = remaining.first else { return "" }
        return remaining.count == 1
            ? ". Clip \(clip) of this page remains separate; 'clips dedupe' merges it too"
            : ". \(remaining.count.grouped) other clips of this page remain separate; 'clips dedupe' merges them too"
    }
}
