import ClipsCore
import PersistentStore

/// The titles of the clips in the history, loaded for the rows on the screen.
struct HistoryTitles: Sendable {
    private var titles: [Int64: String] = [:]
    private var requested: Set<Int64> = []

    subscript(_ clip: Int64) -> String? { titles[clip] }

    /// Returns those of the clips whose titles must be loaded, once.
    mutating func request(_ clips: [Int64]) -> [Int64] {
        clips.filter { titles[$0] == nil && requested.insert($0).inserted }
    }

    mutating func add(_ clips: [Clip]) {
        for clip in clips { titles[clip.id] = clip.displayTitle }
    }

    /// Learns the titles of deleted clips, and discards those of changed ones.
    mutating func update(after transactions: [TransactionSummary]) {
        for line in transactions.lazy.flatMap(\.lines) {
            switch line.kind {
            case .delete: if let title = line.title { titles[line.clip] = title }
            case .update, .insert:
                titles[line.clip] = nil
                requested.remove(line.clip)
            }
        }
    }
}

extension TransactionSummary {
    /// The author; without a name, the program.
    var shownAuthor: String {
        author.flatMap { $0.isEmpty ? nil : $0 } ?? program ?? AuthorName.unknown
    }
}

extension HistoryRow {
    /// The changes, the newest first, as far as they are known.
    var lines: [TransactionSummary.Line] { transactions.reversed().flatMap(\.lines) }

    /// The number of changes.
    var count: Int { sum(\.inserted) + sum(\.updated) + sum(\.deleted) }
}

extension TransactionSummary.Line {
    /// The change, if the sign before the title does not express it: the attributes, or the deletion.
    var detail: String {
        switch kind {
        case .insert: return ""
        case .delete: return "deleted"
        case .update:
            return updated.filter { $0 != ClipAttribute.updated.rawValue }.joined(separator: ", ")
        }
    }

    var sign: String {
        switch kind {
        case .insert: "+"
        case .update: "~"
        case .delete: "-"
        }
    }
}
