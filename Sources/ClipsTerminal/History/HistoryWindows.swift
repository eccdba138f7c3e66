import ClipsCore

/// The windows of one author that were open at the same time, which the history names by their processes, such as
/// `app 4711`: a number would change with the transactions that are known.
struct HistoryWindows: Sendable {
    private struct Window: Hashable {
        let author: String?
        let process: Int32
    }

    private struct Span {
        var first: Int64
        var last: Int64
        var isOwn = false
        var isOpen = false

        func overlaps(_ other: Span) -> Bool { first < other.last && other.first < last }
    }

    private var named: Set<Window> = []

    /// The maximum number of windows, the newest ones, since each is compared with the others.
    private static let maxCount = 100

    /// Finds the windows that made transactions.
    ///
    /// A window is known to be open between its first and its last transaction, and this one and those that still run
    /// since their first. This window, and one of an earlier run, which overlaps no other, are not named.
    ///
    /// - Parameter transactions: In the order of their numbers.
    mutating func update(_ transactions: [TransactionSummary]) {
        var spans: [Window: Span] = [:]
        var windows: Set<Window> = []
        for transaction in transactions {
            guard let process = transaction.process else { continue }
            let window = Window(author: transaction.author, process: process)
            spans[window, default: Span(first: transaction.id, last: transaction.id)].last = transaction.id
            if transaction.isOwn { spans[window]?.isOwn = true }
            spans[window]?.isOpen = transaction.isOwn || transaction.isOfOpenWindow
            if transaction.contextName == ClipsSession.contextName { windows.insert(window) }
        }
        for (window, span) in spans where span.isOpen { spans[window]?.last = .max }
        let newest = spans.filter { windows.contains($0.key) }.sorted { $0.value.last > $1.value.last }
            .prefix(Self.maxCount)
        let others = newest.filter { window, span in
            !span.isOwn
                && newest.contains {
                    $0.key.author == window.author && $0.key != window && $0.value.overlaps(span)
                }
        }
        named = Set(others.map(\.key))
    }

    /// Returns the author of a transaction, with the process of a window next to which others were open.
    func author(of transaction: TransactionSummary) -> String {
        let name = transaction.shownAuthor
        guard let process = transaction.process,
            named.contains(Window(author: transaction.author, process: process))
        else { return name }
        return "\(name) \(process)"
    }
}
