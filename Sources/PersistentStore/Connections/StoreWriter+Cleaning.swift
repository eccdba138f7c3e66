import SQLite

extension StoreWriter {
    /// Runs `body` with the write lock and commits without waiting for the disk: the next cleaning repeats
    /// work that a power failure undoes. No signal is sent, since no readable data has changed.
    func writeUnsynced<Result: Sendable>(_ body: (borrowing Connection) throws -> Result)
        throws(StoreError) -> Result
    {
        guard let connection else { throw .closed }
        do {
            try connection.connection.execute("PRAGMA synchronous = NORMAL")
        } catch {
            throw connection.storeError(error)
        }
        defer {
            try? connection.connection.execute("PRAGMA synchronous = \(opening.options.durability.rawValue)")
        }
        return try connection.write(body)
    }

    /// Rewrites the whole file without unused pages. Numbers and IDs are unchanged.
    func vacuum() throws(StoreError) {
        guard let connection else { throw .closed }
        do {
            try connection.connection.vacuum()
        } catch {
            throw connection.storeError(error)
        }
    }

    /// Does the same as ``writeUnsynced(_:)``, and returns the time for which other writers were blocked.
    func takeTurn<Result: Sendable>(_ body: (borrowing Connection) throws -> Result)
        throws(StoreError) -> (result: Result, turn: Duration)
    {
        var began = ContinuousClock.now
        let result = try writeUnsynced { connection in
            began = .now
            return try body(connection)
        }
        return (result, .now - began)
    }

    /// Purges history beyond the bounds of the options, if this commit crosses the interval; see
    /// ``HistoryTrimming``.
    ///
    /// The commit has succeeded: no error here may fail it.
    func trimHistory(after recorded: ClosedRange<Int64>) {
        guard let connection, let bounds = opening.options.historyBounds,
            let trimming = HistoryTrimming(bounds, after: recorded, now: opening.options.clock())
        else { return }
        // A process that is writing now will trim after its own commit.
        connection.connection.setBusyTimeout(milliseconds: HistoryTrimming.patience)
        defer {
            connection.connection.setBusyTimeout(milliseconds: opening.options.busyTimeout.wholeMilliseconds)
        }
        do {
            guard var plan = try connection.read({ try trimming.plan(on: $0) }) else { return }
            while try writeUnsynced({ try plan.carryOut(on: $0) }) {}
        } catch {
            return
        }
    }
}
