import SQLite

extension StoreWriter {
    /// Runs `body` with the write lock and commits without waiting for the disk: what a power cut takes back is
    /// done again by the next cleaning. Nobody is told, since nothing that can be read has changed.
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

    /// Writes the whole file again, without pages that nothing leads to. Numbers and IDs stay.
    func vacuum() throws(StoreError) {
        guard let connection else { throw .closed }
        do {
            try connection.connection.vacuum()
        } catch {
            throw connection.storeError(error)
        }
    }

    /// Like ``writeUnsynced(_:)``, with how long others were kept out.
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

    /// Leaves the history within the bounds of the options, when it is this commit's turn; see ``HistoryTrimming``.
    ///
    /// The commit has succeeded: nothing that happens here may fail it.
    func trimHistory(after recorded: ClosedRange<Int64>) {
        guard let connection, let bounds = opening.options.historyBounds,
            let trimming = HistoryTrimming(bounds, after: recorded, now: opening.options.clock())
        else { return }
        // Whoever is writing now will have its own turn.
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
