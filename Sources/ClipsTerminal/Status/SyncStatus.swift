import ClipsCore
import FoundationEssentials
import HistoryTracking

/// The state of live updates, and the last commit.
struct SyncStatus: Sendable {
    struct Change: Sendable {
        var transaction: Int64
        var author: String
        var inserted: Int
        var updated: Int
        var deleted: Int
        var at: Date
        /// The only change of the transaction; nil if it has several.
        var line: TransactionSummary.Line?

        /// `cli starred “Title”`, `extension saved 3 clips`, or `cli +3 ~1` for more than one kind.
        ///
        /// - Parameter maxTitle: The maximum number of characters of a title; 0 for none.
        func summary(_ titles: HistoryTitles, maxTitle: Int) -> String {
            if let line, maxTitle > 0, let title = line.title ?? titles[line.clip] {
                let cut = "“\(title.prefix(maxTitle))\(title.count > maxTitle ? "…" : "")”"
                return "\(author) \(titles.words(line).sentence(cut))"
            }
            let kinds = [(inserted, "+", "saved"), (updated, "~", "changed"), (deleted, "-", "deleted")]
                .filter { $0.0 > 0 }
            guard kinds.count == 1, let only = kinds.first else {
                return "\(author) " + kinds.map { $0.1 + StatusLine.grouped($0.0) }.joined(separator: " ")
            }
            return "\(author) \(only.2) \(StatusLine.grouped(only.0)) \(only.0 == 1 ? "clip" : "clips")"
        }
    }

    var state = TrackingState.stopped {
        didSet { if state == .live || state == .polling { hasBeenLive = true } }
    }
    private(set) var hasBeenLive = false
    var lastChange: Change?
    /// Whether the last save of this window failed, and no later commit has proven that the store is read.
    var hasFailedSave = false
    /// The progress of the search index; empty when it is complete.
    var indexing = ""
    /// The state of the mirror; empty if all is well.
    var mirror = ""
    /// The number of edits that lost to another machine's.
    var conflicts = 0
}
