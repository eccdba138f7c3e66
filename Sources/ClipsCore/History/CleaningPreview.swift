package import FoundationEssentials
package import PersistentStore

/// The consumers of the history, and the part of it that cleaning would delete now.
package struct CleaningPreview: Hashable, Sendable {
    package let consumers: [ConsumerStatus]
    package let total: HistoryCount
    /// The part that cleaning would delete.
    package let removable: HistoryCount
    /// The consumer that is furthest behind, if it retains history that is old enough to delete.
    package let holder: String?

    /// - Parameters:
    ///   - youngest: The date after which history is retained.
    ///   - oldest: The date before which history is deleted even if a consumer needs it.
    ///   - counter: The counter of the last preview of the store, from which counting continues.
    package init(
        youngest: Date, oldest: Date, counter: inout HistoryCounter, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) {
        consumers = try snapshot.consumers()
        let waiting = consumers.filter { !$0.isTransient || $0.isRunning }
        let last = waiting.min { $0.token.number < $1.token.number }
        var starts = [HistoryFetchRequest.Start.afterDate(youngest), .afterDate(oldest)]
        if let last { starts.append(.after(last.token)) }
        let counts = try counter.count(before: starts, in: snapshot)
        total = counts.all
        let (mature, aged) = (counts.before[0] ?? HistoryCount(), counts.before[1] ?? HistoryCount())
        // Without a consumer nothing counts as read.
        let passed = last == nil ? HistoryCount() : counts.before[2] ?? HistoryCount()
        let ready = passed.transactions < mature.transactions ? passed : mature
        removable = ready.transactions < aged.transactions ? aged : ready
        holder = removable.transactions < mature.transactions ? last?.name : nil
    }
}
