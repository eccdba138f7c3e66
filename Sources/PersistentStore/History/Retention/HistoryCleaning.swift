import SQLite

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
        try await removeGoneConsumers()
        var total = PurgeResult()
        // Transactions differ in size, so a share needs more than one purge.
        for _ in 0..<(bounds.maximumShare == nil ? 1 : Self.maxCutsByShare) {
            let result = try await cutOnce(bounds, ignoring: authors)
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

    private static let maxCutsByShare = 5

    private nonisolated(nonsending) func cutOnce(_ bounds: HistoryBounds, ignoring authors: Set<String>)
        async throws(StoreError) -> PurgeResult
    {
        let now = now
        while true {
            let sized = try await cutBySize(bounds)
            let cut = try await writer.read {
                try PurgePlan(bounds, ignoring: authors, sized: sized, now: now, on: $0)
            }
            if let result = try await carryOut(cut, isForced: false) { return result }
        }
    }

    nonisolated(nonsending) func delete(_ request: HistoryDeleteRequest) async throws(StoreError)
        -> PurgeResult
    {
        try await removeGoneConsumers()
        if request.predicate != nil { return try await deleteFromBetween(request) }
        while true {
            let cut = try await writer.read { try PurgePlan(request, on: $0) }
            if let result = try await carryOut(cut, isForced: !request.respectsConsumers) { return result }
        }
    }

    private nonisolated(nonsending) func deleteFromBetween(_ request: HistoryDeleteRequest)
        async throws(StoreError) -> PurgeResult
    {
        var result = PurgeResult()
        let (ends, last) = try await writer.read {
            let ends = try HistoryExtent($0)
            return (ends, try request.lastNumber(ends, on: $0))
        }
        var next: Int64? = ends.floor + 1
        var blockedBy: Set<String> = []
        while let first = next {
            let (holes, held) = try await writer.read { connection in
                let holes = try SelectiveDeletion(request, from: first, upTo: last, on: connection)
                guard request.respectsConsumers else { return (holes, (count: 0, names: [String]())) }
                let holds = try ConsumerHolds(try HistoryExtent(connection), on: connection)
                return (holes, holes.held(by: holds))
            }
            result.retained += held.count
            blockedBy.formUnion(held.names)
            if !holes.isEmpty {
                let removed = try await writer.writeUnsynced {
                    try holes.remove(respectingConsumers: request.respectsConsumers, on: $0)
                }
                result.transactions += removed.transactions
                result.changes += removed.changes
                try await pause()
            }
            next = holes.next
        }
        result.blockedBy = blockedBy.sorted()
        try await cleanUp(hasHoles: result.transactions > 0)
        return result
    }

    /// Returns nil if the store has changed since the plan was made, so that a new plan is needed.
    private nonisolated(nonsending) func carryOut(_ cut: PurgePlan, isForced: Bool) async throws(StoreError)
        -> PurgeResult?
    {
        let result = try await count(cut)
        if cut.number > cut.ends.floor {
            let removed = result
            guard try await writer.write({ try cut.raiseFloor(removed, isForced: isForced, on: $0) }) else {
                return nil
            }
        }
        try await cleanUp(hasHoles: false)
        return result
    }

    /// Returns the size of the history that a plan deletes and retains, and the consumers that block it.
    nonisolated(nonsending) func count(_ cut: PurgePlan) async throws(StoreError) -> PurgeResult {
        var result = PurgeResult()
        var low = cut.ends.floor
        while low < cut.number {
            let from = low
            let (high, transactions, changes) = try await writer.read {
                let high = min(try RetainedChangeCount.sliceEnd(above: from, on: $0), cut.number)
                return (
                    high, try RetainedChangeCount.transactions(above: from, upTo: high, on: $0),
                    try RetainedChangeCount.changes(above: from, upTo: high, on: $0)
                )
            }
            result.transactions += Int(transactions)
            result.changes += Int(changes)
            low = high
        }
        while low < cut.wanted {
            let from = low
            let (high, transactions) = try await writer.read {
                let high = min(try RetainedChangeCount.sliceEnd(above: from, on: $0), cut.wanted)
                return (high, try RetainedChangeCount.transactions(above: from, upTo: high, on: $0))
            }
            result.retained += Int(transactions)
            low = high
        }
        if result.retained > 0 { result.blockedBy = try await writer.read { try cut.blockedBy(on: $0) } }
        return result
    }
}
