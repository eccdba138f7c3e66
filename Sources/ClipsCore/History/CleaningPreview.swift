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

    /// Counts by prefixes of the history, so that no transaction is put together for it.
    ///
    /// - Parameters:
    ///   - youngest: what is newer stays.
    ///   - oldest: what is older goes, whoever wants it.
    package init(youngest: Date, oldest: Date, in snapshot: StoreSnapshot) throws {
        consumers = try snapshot.consumers()
        total = try snapshot.count(HistoryFetchRequest(.beginning))
        let total = total
        func before(_ start: HistoryFetchRequest.Start) throws -> HistoryCount {
            let rest = try snapshot.count(HistoryFetchRequest(start))
            var count = HistoryCount()
            count.transactions = max(0, total.transactions - rest.transactions)
            count.changes = max(0, total.changes - rest.changes)
            return count
        }
        let mature = try before(.date(youngest))
        let aged = try before(.date(oldest))
        let waiting = consumers.filter { !$0.isTransient || $0.isRunning }
        let last = waiting.min { $0.token.number < $1.token.number }
        // Nobody who follows is nobody who has passed anything.
        let passed = last.flatMap { try? before(.token($0.token)) } ?? HistoryCount()
        let ready = passed.transactions < mature.transactions ? passed : mature
        removable = ready.transactions < aged.transactions ? aged : ready
        holder = removable.transactions < mature.transactions ? last?.name : nil
    }
}
