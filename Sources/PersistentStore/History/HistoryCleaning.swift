import SQLite

/// One cleaning, in jobs so short that neither this process's commits nor those of others wait long.
///
/// Everything is looked for on snapshots, without the lock. Then the floor is raised, in one small commit: a
/// token below it has expired, so no reader meets a hole. Then rows and pages go in batches.
struct HistoryCleaning: Sendable {
    let writer: StoreWriter
    let now: Int64

    nonisolated(nonsending) func purge(_ bounds: HistoryBounds, ignoring authors: Set<String>)
        async throws(StoreError) -> PurgeResult
    {
        try await removeGoneConsumers()
        var total = PurgeResult()
        // Transactions are not of one size, so a share takes more than one cut to come close to.
        for _ in 0..<(bounds.maximumShare == nil ? 1 : Self.mostCutsByShare) {
            let result = try await cutOnce(bounds, ignoring: authors)
            total.transactions += result.transactions
            total.changes += result.changes
            (total.kept, total.heldBy) = (result.kept, result.heldBy)
            guard result.transactions > 0 else { break }
        }
        let now = now
        if try await writer.read({ try HistoryAge(now: now, on: $0).needsMark(bounds) }) {
            try await writer.write { try HistoryAge.setMark(now: now, on: $0) }
        }
        return total
    }

    private static let mostCutsByShare = 5

    private nonisolated(nonsending) func cutOnce(_ bounds: HistoryBounds, ignoring authors: Set<String>)
        async throws(StoreError) -> PurgeResult
    {
        let now = now
        while true {
            let sized = try await cutBySize(bounds)
            let cut = try await writer.read {
                try HistoryCut(bounds, ignoring: authors, sized: sized, now: now, on: $0)
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
            let cut = try await writer.read { try HistoryCut(request, on: $0) }
            if let result = try await carryOut(cut, isForced: !request.respectsConsumers) { return result }
        }
    }

    private nonisolated(nonsending) func deleteFromBetween(_ request: HistoryDeleteRequest)
        async throws(StoreError) -> PurgeResult
    {
        var result = PurgeResult()
        let (ends, last) = try await writer.read {
            let ends = try HistoryEnds($0)
            return (ends, try request.lastNumber(ends, on: $0))
        }
        var next: Int64? = ends.floor + 1
        var heldBy: Set<String> = []
        while let first = next {
            let (holes, held) = try await writer.read { connection in
                let holes = try HistoryHoles(request, from: first, upTo: last, on: connection)
                guard request.respectsConsumers else { return (holes, (count: 0, names: [String]())) }
                let holds = try ConsumerHolds(try HistoryEnds(connection), on: connection)
                return (holes, holes.held(by: holds))
            }
            result.kept += held.count
            heldBy.formUnion(held.names)
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
        result.heldBy = heldBy.sorted()
        try await sweep(hasHoles: result.transactions > 0)
        return result
    }

    /// Nil when the store has changed meanwhile in a way that asks for a new look.
    private nonisolated(nonsending) func carryOut(_ cut: HistoryCut, isForced: Bool) async throws(StoreError)
        -> PurgeResult?
    {
        let result = try await count(cut)
        if cut.number > cut.ends.floor {
            let removed = result
            guard try await writer.write({ try cut.raiseFloor(removed, isForced: isForced, on: $0) }) else {
                return nil
            }
        }
        try await sweep(hasHoles: false)
        return result
    }

    /// What a cut takes and leaves, and for whom.
    nonisolated(nonsending) func count(_ cut: HistoryCut) async throws(StoreError) -> PurgeResult {
        var result = PurgeResult()
        var low = cut.ends.floor
        while low < cut.number {
            let from = low
            let (high, transactions, changes) = try await writer.read {
                let high = min(try KeptChanges.sliceEnd(above: from, on: $0), cut.number)
                return (
                    high, try KeptChanges.transactions(above: from, upTo: high, on: $0),
                    try KeptChanges.changes(above: from, upTo: high, on: $0)
                )
            }
            result.transactions += Int(transactions)
            result.changes += Int(changes)
            low = high
        }
        while low < cut.wanted {
            let from = low
            let (high, transactions) = try await writer.read {
                let high = min(try KeptChanges.sliceEnd(above: from, on: $0), cut.wanted)
                return (high, try KeptChanges.transactions(above: from, upTo: high, on: $0))
            }
            result.kept += Int(transactions)
            low = high
        }
        if result.kept > 0 { result.heldBy = try await writer.read { try cut.heldBy(on: $0) } }
        return result
    }
}
