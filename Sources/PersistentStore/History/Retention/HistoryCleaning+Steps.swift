import Platform
import SQLite

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

    nonisolated(nonsending) func removeGoneConsumers() async throws(StoreError) {
        guard try await !writer.read({ try ConsumerTable.exited(on: $0) }).isEmpty else { return }
        try await writer.write { connection in
            for name in try ConsumerTable.exited(on: connection) {
                try ConsumerTable.remove(name, on: connection)
            }
        }
    }

    /// Returns the number up to which the bounds on size require a purge, or 0.
    nonisolated(nonsending) func cutBySize(_ bounds: HistoryBounds) async throws(StoreError) -> Int64 {
        var cut: Int64 = 0
        if let most = bounds.maximumChanges { cut = try await cutByChanges(max(0, most)) }
        if let share = bounds.maximumShare {
            cut = max(
                cut,
                try await writer.read { connection in
                    guard let part = try HistoryShare(on: connection)?.part(within: share), part < 1 else {
                        return 0
                    }
                    let newest = try HistoryBoundary.newest(on: connection)
                    let oldest = try connection.integer("SELECT min(number) FROM history") ?? newest
                    let last = newest - Int64(part * Double(newest - oldest))
                    return try HistoryBoundary.end(atOrAfter: last, on: connection) ?? newest
                })
        }
        return cut
    }

    /// Returns the number up to which more changes than allowed exist. Counts nothing while there are fewer
    /// numbers than allowed changes.
    private nonisolated(nonsending) func cutByChanges(_ most: Int) async throws(StoreError) -> Int64 {
        let (ends, isLong) = try await writer.read {
            let ends = try HistoryExtent($0)
            return (ends, try HistoryBoundary.newest(on: $0) - ends.floor > Int64(most))
        }
        guard isLong else { return 0 }
        var count = try await writer.read { try RetainedChangeCount(ends, on: $0) }
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
        var low = ends.floor
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
    nonisolated(nonsending) func cleanUp(hasHoles: Bool) async throws(StoreError) {
        let hasRemains = try await writer.read { try HistoryRemoval.hasRemains(on: $0) }
        guard hasHoles || hasRemains else { return }
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

    /// Pauses long enough for a waiting writer, which tries every 0.1 ms, to get the lock.
    nonisolated(nonsending) func pause() async throws(StoreError) {
        await writer.loop.pause(for: .microseconds(200))
        if Task.isCancelled { throw .cancelled }
    }
}
