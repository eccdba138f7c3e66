import ClipsCore

/// The numbers of windows of one author that were open at the same time, such as `app 2`.
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

    private var numbers: [Window: Int] = [:]

    /// The maximum number of windows, the newest ones, since each is compared with the others.
    private static let maxCount = 100

    /// Numbers the windows that made transactions.
    ///
    /// A window is known to be open between its first and its last transaction, and this one and those that still run
    /// since their first. A window of an earlier run, which overlaps no other, has no number.
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
        numbers = [:]
        let newest = spans.filter { windows.contains($0.key) }.sorted { $0.value.last > $1.value.last }
            .prefix(Self.maxCount).sorted {
                ($0.value.isOwn ? 0 : 1, $0.value.first) < ($1.value.isOwn ? 0 : 1, $1.value.first)
            }
        for (index, (window, span)) in newest.enumerated() {
            let taken = newest[..<index].filter { $0.key.author == window.author && $0.value.overlaps(span) }
                .compactMap { numbers[$0.key] }
            numbers[window] = (1...).first { !taken.contains($0) }
        }
    }

    /// Returns the author of a transaction, with the number of the window from the second on.
    func author(of transaction: TransactionSummary) -> String {
        let name = transaction.shownAuthor
        guard let process = transaction.process,
            let number = numbers[Window(author: transaction.author, process: process)], number > 1
        else { return name }
        return "\(name) \(number)"
    }
}
