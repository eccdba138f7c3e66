import PersistentStore

/// The numbers of quotes that a transaction added, deleted, and changed.
struct QuoteCounts: Hashable, Sendable {
    private let added: Int
    private let deleted: Int
    private let changed: Int

    private init(_ added: Int, _ deleted: Int, _ changed: Int) {
        (self.added, self.deleted, self.changed) = (added, deleted, changed)
    }

    /// Creates the numbers of the quotes among the changes.
    init(_ changes: [HistoryChange]) {
        let kinds = changes.lazy.filter { $0.objectID.entity == Quote.entity }.map(\.kind)
        self.init(
            kinds.count { $0 == .insert }, kinds.count { $0 == .delete }, kinds.count { $0 == .update })
    }

    /// Creates the numbers of the quotes of the only clip that the changes concern; none if there are several.
    init(ofClipsIn changes: [HistoryChange]) {
        let isOne = changes.count { $0.objectID.entity == ClipModel.entity } <= 1
        self.init(isOne ? changes : [])
    }

    var isEmpty: Bool { parts.isEmpty }

    /// The numbers of a transaction that undoes this one.
    var reversed: QuoteCounts { QuoteCounts(deleted, added, changed) }

    private var parts: [(count: Int, verb: String)] {
        [(added, "added"), (deleted, "deleted"), (changed, "changed")].filter { $0.count > 0 }
    }

    private static func quotes(_ count: Int) -> String { count == 1 ? "quote" : "quotes" }

    /// The change after a title, such as `quote added` or `2 quotes deleted`.
    var phrase: String {
        parts.map { count, verb in
            "\(count == 1 ? "" : "\(count) ")\(Self.quotes(count)) \(verb)"
        }.joined(separator: ", ")
    }

    /// Returns a sentence without an end, such as `added a quote of “Title”`.
    func sentence(_ subject: String) -> String {
        guard parts.count == 1 else { return "changed the quotes of \(subject)" }
        let (count, verb) = parts[0]
        return "\(verb) \(count == 1 ? "a" : "\(count)") \(Self.quotes(count)) of \(subject)"
    }
}
