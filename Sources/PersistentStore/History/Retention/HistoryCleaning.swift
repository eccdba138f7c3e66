import Platform
import SQLite

extension PersistentContainer {
    /// Deletes the history that every registered consumer has read and that is old enough, and the history
    /// beyond the bounds even if a consumer still needs it. Such a consumer gets
    /// ``StoreError/tokenExpired(oldest:)``.
    ///
    /// Works in small batches with pauses between them, concurrently with other writers.
    ///
    /// - Parameters:
    ///   - bounds: The limits on age and size.
    ///   - authors: The authors whose consumers are ignored, such as those of batch imports that never read.
    ///     Consumers that retain history always are respected anyway.
    nonisolated(nonsending) public func purgeHistory(
        _ bounds: HistoryBounds, ignoring authors: Set<String> = []
    ) async throws(StoreError) -> PurgeResult {
        try await HistoryCleaning(writer: writer, now: options.clock()).purge(bounds, ignoring: authors)
    }

    /// Deletes history by age only.
    nonisolated(nonsending) package func purgeHistory(
        maximumAge: Duration, minimumAge: Duration = .zero, ignoring authors: Set<String> = []
    ) async throws(StoreError) -> PurgeResult {
        try await purgeHistory(
            HistoryBounds(maximumAge: maximumAge, minimumAge: minimumAge), ignoring: authors)
    }

    /// Deletes the history before a token, a transaction, or a date, in whole transactions; the transaction at the
    /// end itself is retained.
    ///
    /// - Parameters:
    ///   - end: The position at which the deletion ends.
    ///   - predicate: The transactions to delete; nil deletes all. The transactions retained between deleted ones can
    ///     still be read from the beginning, but every token before the newest deleted one has expired.
    ///   - respectsConsumers: Whether to delete only history that every registered consumer has read. Consumers with an
    ///     expired cursor need none of the remaining history and are ignored.
    @discardableResult
    nonisolated(nonsending) public func deleteHistory(
        _ end: HistoryEnd, where predicate: TransactionPredicate? = nil, respectsConsumers: Bool = true
    ) async throws(StoreError) -> PurgeResult {
        try await deleteHistory(
            HistoryDeleteRequest(end, where: predicate, respectsConsumers: respectsConsumers))
    }

    /// Deletes the history of a request.
    @discardableResult
    nonisolated(nonsending) package func deleteHistory(_ request: HistoryDeleteRequest)
        async throws(StoreError) -> PurgeResult
    {
        try await HistoryCleaning(writer: writer, now: options.clock()).delete(request)
    }

    /// Rewrites the file without the text of deleted objects, which SQLite leaves in unused parts, and empties the log.
    ///
    /// - Returns: Whether the log is empty, for which no process may read it.
    package nonisolated(nonsending) func scrub() async throws(StoreError) -> Bool {
        try await writer.vacuum()
        return try await writer.emptyLog()
    }

    /// Whether the last cleaning is at least `interval` old. If so, records that a cleaning starts now, so
    /// that only one of several processes cleans.
    nonisolated(nonsending) package func claimCleaning(every interval: Duration) async throws(StoreError)
        -> Bool
    {
        let now = options.clock()
        let last = try await reader.read { snapshot throws(StoreError) in try snapshot.lastCleaning() }
        guard now - last >= interval.wholeMilliseconds || last > now else { return false }
        return try await writer.write { connection in
            guard try StoreMetadata.integer(.lastCleaning, on: connection) ?? 0 == last else { return false }
            try StoreMetadata.set(.lastCleaning, .integer(now), on: connection)
            return true
        }
    }

    /// Returns the result that ``purgeHistory(_:ignoring:)`` would have now: the amount to delete, and the
    /// consumers that block the rest. Writes nothing.
    ///
    /// A bound on the share of the store is approached in several rounds; the result is that of the first.
    nonisolated(nonsending) public func previewPurge(
        _ bounds: HistoryBounds, ignoring authors: Set<String> = []
    ) async throws(StoreError) -> PurgeResult {
        try await HistoryCleaning(writer: writer, now: options.clock()).preview(bounds, ignoring: authors)
    }

    /// Returns the result that ``deleteHistory(_:)`` would have now. Writes nothing.
    nonisolated(nonsending) package func previewDeletion(_ request: HistoryDeleteRequest)
        async throws(StoreError) -> PurgeResult
    {
        try await HistoryCleaning(writer: writer, now: options.clock()).preview(request)
    }
}

/// One cleaning, in steps so short that neither this process's commits nor those of other processes wait
/// long.
///
/// All searches run on snapshots, without the write lock. Then one small commit raises the floor: every token
/// below it has expired, so no reader can meet a gap. Then rows and pages are deleted in batches.
struct HistoryCleaning: Sendable {
    let writer: StoreWriter
    let now: Int64

    nonisolated(nonsending) func purge(_ bounds: HistoryBounds, ignoring authors: Set<String>)
        async throws(StoreError) -> PurgeResult
    {
        try await removeExitedConsumers()
        var total = PurgeResult()
        // Transactions differ in size, so a share needs more than one purge.
        for _ in 0..<(bounds.maximumStoreShare == nil ? 1 : Self.maxPurgesByShare) {
            let result = try await purgeOnce(bounds, ignoring: authors)
            total.transactions += result.transactions
            total.changes += result.changes
            (total.retained, total.blockedBy) = (result.retained, result.blockedBy)
            guard result.transactions > 0 else { break }
        }
        let now = now
        if try await writer.read({ try HistoryAge(now: now, on: $0).needsMark(bounds) }) {
            try await writer.write { try HistoryAge.setMark(now: now, on: $0) }
        }
        return total
    }

    private static let maxPurgesByShare = 5

    private nonisolated(nonsending) func purgeOnce(_ bounds: HistoryBounds, ignoring authors: Set<String>)
        async throws(StoreError) -> PurgeResult
    {
        let now = now
        while true {
            let sized = try await lastNumberBySize(bounds)
            let plan = try await writer.read {
                try PurgePlan(bounds, ignoring: authors, sized: sized, now: now, on: $0)
            }
            if let result = try await carryOut(plan, isForced: false) { return result }
        }
    }

    nonisolated(nonsending) func delete(_ request: HistoryDeleteRequest) async throws(StoreError)
        -> PurgeResult
    {
        try await removeExitedConsumers()
        if request.predicate != nil { return try await deleteSelected(request, isPreview: false) }
        while true {
            let plan = try await writer.read { try PurgePlan(request, on: $0) }
            if let result = try await carryOut(plan, isForced: !request.respectsConsumers) { return result }
        }
    }

    /// Returns the result of a purge without writing; with a bound on the share, that of its first round.
    nonisolated(nonsending) func preview(_ bounds: HistoryBounds, ignoring authors: Set<String>)
        async throws(StoreError) -> PurgeResult
    {
        let (sized, now) = (try await lastNumberBySize(bounds), now)
        return try await count(
            try await writer.read {
                try PurgePlan(bounds, ignoring: authors, sized: sized, now: now, on: $0)
            })
    }

    /// Returns the result of a deletion without writing.
    nonisolated(nonsending) func preview(_ request: HistoryDeleteRequest) async throws(StoreError)
        -> PurgeResult
    {
        if request.predicate != nil { return try await deleteSelected(request, isPreview: true) }
        return try await count(try await writer.read { try PurgePlan(request, on: $0) })
    }

    private nonisolated(nonsending) func deleteSelected(_ request: HistoryDeleteRequest, isPreview: Bool)
        async throws(StoreError) -> PurgeResult
    {
        var result = PurgeResult()
        let (extent, last) = try await writer.read {
            let extent = try HistoryExtent($0)
            return (extent, try request.lastNumber(extent, on: $0))
        }
        var next: Int64? = extent.floor + 1
        var blockedBy: Set<String> = []
        while let first = next {
            let (deletion, expected) = try await writer.read { connection in
                let deletion = try SelectiveDeletion(request, from: first, upTo: last, on: connection)
                let holds =
                    request.respectsConsumers
                    ? try ConsumerHolds(try HistoryExtent(connection), on: connection) : nil
                return (deletion, deletion.count(respecting: holds))
            }
            result.retained += expected.retained
            blockedBy.formUnion(expected.blockedBy)
            var removed = expected
            if !isPreview && !deletion.isEmpty {
                removed = try await writer.writeUnsynced {
                    try deletion.remove(respectingConsumers: request.respectsConsumers, on: $0)
                }
                try await pause()
            }
            result.transactions += removed.transactions
            result.changes += removed.changes
            next = deletion.next
        }
        result.blockedBy = blockedBy.sorted()
        if !isPreview { try await cleanUp(hasGaps: result.transactions > 0) }
        return result
    }

    /// Returns nil if the store has changed since the plan was made, so that a new plan is needed.
    private nonisolated(nonsending) func carryOut(_ plan: PurgePlan, isForced: Bool) async throws(StoreError)
        -> PurgeResult?
    {
        let result = try await count(plan)
        if plan.number > plan.extent.floor {
            let removed = result
            guard try await writer.write({ try plan.raiseFloor(removed, isForced: isForced, on: $0) }) else {
                return nil
            }
        }
        try await cleanUp(hasGaps: false)
        return result
    }

    /// Returns the size of the history that a plan deletes and retains, and the consumers that block it.
    private nonisolated(nonsending) func count(_ plan: PurgePlan) async throws(StoreError) -> PurgeResult {
        var result = PurgeResult()
        var low = plan.extent.floor
        while low < plan.number {
            let from = low
            let (high, transactions, changes) = try await writer.read {
                let high = min(try RetainedChangeCount.sliceEnd(above: from, on: $0), plan.number)
                return (
                    high, try RetainedChangeCount.transactions(above: from, upTo: high, on: $0),
                    try RetainedChangeCount.changes(above: from, upTo: high, on: $0)
                )
            }
            result.transactions += Int(transactions)
            result.changes += Int(changes)
            low = high
        }
        while low < plan.wanted {
            let from = low
            let (high, transactions) = try await writer.read {
                let high = min(try RetainedChangeCount.sliceEnd(above: from, on: $0), plan.wanted)
                return (high, try RetainedChangeCount.transactions(above: from, upTo: high, on: $0))
            }
            result.retained += Int(transactions)
            low = high
        }
        if result.retained > 0 { result.blockedBy = try await writer.read { try plan.blockedBy(on: $0) } }
        return result
    }
}

extension HistoryCleaning {
    /// The size of one batch, adapted so that other writers wait a few milliseconds on a machine of any
    /// speed.
    private struct Batch {
        var size: Int64
        let sizes: ClosedRange<Int64>

        mutating func adapt(to turn: Duration) {
            if turn < .milliseconds(1.5) { size = min(size * 2, sizes.upperBound) }
            if turn > .milliseconds(4) { size = max(size / 2, sizes.lowerBound) }
        }
    }

    nonisolated(nonsending) func removeExitedConsumers() async throws(StoreError) {
        guard try await !writer.read({ try ConsumerTable.exited(on: $0) }).isEmpty else { return }
        try await writer.write { connection in
            for name in try ConsumerTable.exited(on: connection) {
                try ConsumerTable.remove(name, on: connection)
            }
        }
    }

    /// Returns the number up to which the bounds on size require a purge, or 0.
    nonisolated(nonsending) func lastNumberBySize(_ bounds: HistoryBounds) async throws(StoreError) -> Int64 {
        var last: Int64 = 0
        if let most = bounds.maximumChanges { last = try await lastNumberByChanges(max(0, most)) }
        if let share = bounds.maximumStoreShare {
            last = max(
                last,
                try await writer.read { connection in
                    guard let part = try HistoryShare(on: connection)?.part(within: share), part < 1 else {
                        return 0
                    }
                    let newest = try HistoryBoundary.newest(on: connection)
                    let oldest = try connection.integer("SELECT min(number) FROM history") ?? newest
                    let first = newest - Int64(part * Double(newest - oldest))
                    return try HistoryBoundary.end(atOrAfter: first, on: connection) ?? newest
                })
        }
        return last
    }

    /// Returns the number up to which more changes than allowed exist. Counts nothing while there are fewer
    /// numbers than allowed changes.
    private nonisolated(nonsending) func lastNumberByChanges(_ most: Int) async throws(StoreError) -> Int64 {
        let (extent, isLong) = try await writer.read {
            let extent = try HistoryExtent($0)
            return (extent, try HistoryBoundary.newest(on: $0) - extent.floor > Int64(most))
        }
        guard isLong else { return 0 }
        var count = try await writer.read { try RetainedChangeCount(extent, on: $0) }
        var hasMore = true
        while hasMore {
            let counted = count
            (count, hasMore) = try await writer.read {
                var count = counted
                let hasMore = try count.advance(on: $0)
                return (count, hasMore)
            }
        }
        var excess = count.changes - Int64(most)
        guard excess > 0 else { return 0 }
        var low = extent.floor
        while true {
            let (from, wanted) = (low, excess)
            let (high, changes) = try await writer.read {
                let high = min(
                    try RetainedChangeCount.sliceEnd(above: from, on: $0), try HistoryBoundary.newest(on: $0))
                return (high, try RetainedChangeCount.changes(above: from, upTo: high, on: $0))
            }
            guard changes < wanted, high > from else { break }
            (low, excess) = (high, excess - changes)
        }
        let (from, index) = (low, excess)
        return try await writer.read {
            guard let last = try RetainedChangeCount.number(ofChange: index, above: from, on: $0) else {
                return 0
            }
            return try HistoryBoundary.end(atOrAfter: last, on: $0) ?? 0
        }
    }

    /// Deletes the rows below the floor, including those of an interrupted cleaning; then the unused strings,
    /// and the free pages.
    nonisolated(nonsending) func cleanUp(hasGaps: Bool) async throws(StoreError) {
        let hasRemains = try await writer.read { try HistoryRemoval.hasRemains(on: $0) }
        guard hasGaps || hasRemains else { return }
        var rows = Batch(size: 1000, sizes: 250...32_000)
        while true {
            let size = rows.size
            let (removed, turn) = try await writer.takeTurn { try HistoryRemoval.removeBatch(size, on: $0) }
            guard removed > 0 else { break }
            rows.adapt(to: turn)
            try await pause()
        }
        let origins = try await writer.read { try HistoryOrigins(on: $0) }
        if !origins.unused.isEmpty {
            try await writer.writeUnsynced { try origins.remove(on: $0) }
        }
        var pages = Batch(size: 32, sizes: 16...1024)
        while true {
            let size = pages.size
            let (returned, turn) = try await writer.takeTurn { try HistoryRemoval.returnPages(size, on: $0) }
            guard returned else { break }
            pages.adapt(to: turn)
            try await pause()
        }
    }

    /// Pauses long enough for a waiting writer to get the lock: it tries every 0.1 ms in its first 5 ms, which is longer
    /// than the size of a batch lets a turn take.
    nonisolated(nonsending) func pause() async throws(StoreError) {
        await writer.loop.pause(for: .microseconds(200))
        if Task.isCancelled { throw .cancelled }
    }
}
