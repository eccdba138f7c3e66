package import FoundationEssentials
package import PersistentStore

/// Who follows the history, and what cleaning would take of it now.
package struct CleaningPreview: Hashable, Sendable {
    package let consumers: [ConsumerRecord]
    package let total: HistoryCount
    /// Passed by everybody and older than what is kept in any case.
    package let removable: HistoryCount
    /// The consumer that is furthest behind, if somebody holds history back that is old enough to go.
    package let holder: String?

    /// - Parameters:
    ///   - youngest: what is newer stays.
    ///   - oldest: what is older goes, whoever wants it.
    ///   - tally: of the last preview of the store, from which counting goes on.
    package init(
        youngest: Date, oldest: Date, tally: inout HistoryCounter, in snapshot: StoreSnapshot
    ) throws {
        consumers = try snapshot.consumers()
        let waiting = consumers.filter { !$0.isTransient || $0.isRunning }
        let last = waiting.min { $0.token.number < $1.token.number }
        var starts = [HistoryFetchRequest.Start.date(youngest), .date(oldest)]
        if let last { starts.append(.token(last.token)) }
        let counts = try tally.count(before: starts, in: snapshot)
        total = counts.all
        let (mature, aged) = (counts.before[0] ?? HistoryCount(), counts.before[1] ?? HistoryCount())
        // Nobody who follows is nobody who has passed anything.
        let passed = last == nil ? HistoryCount() : counts.before[2] ?? HistoryCount()
        let ready = passed.transactions < mature.transactions ? passed : mature
        removable = ready.transactions < aged.transactions ? aged : ready
        holder = removable.transactions < mature.transactions ? last?.name : nil
    }
}
