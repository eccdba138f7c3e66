import HistoryTracking
import PersistentStore

/// Follows the history of a database: prints or delivers each change, and moves a cursor in the database past those that
/// were received. It is killed at any moment without losing one; a change may then arrive twice.
struct Follower: Sendable {
    let container: PersistentContainer
    let format: ChangeFormat
    /// The tables to follow, in lower case; all if it is empty.
    var tables: Set<String> = []
    var consumer: String?
    var since: HistoryFetchRequest.Start?
    /// Whether to begin with a copy of the rows, and to repeat it if history was purged or went unrecorded.
    var copiesRows = false
    /// Whether to end at the newest transaction.
    var endsAtNewest = false
    var acknowledgments: Acknowledgments?
    /// The reader of the output, if it is a pipe.
    var pipe: OutputPipe?
    var delivery: Delivery?

    private static let maxChanges = 500
    private static let cleaningInterval = Duration.seconds(3600)

    func run() async throws -> Int32 {
        do {
            var start: HistoryToken? = try await begin()
            while let token = start { start = try await follow(after: token) }
            return 0
        } catch is Acknowledgments.Ended {
            return 0
        }
    }

    /// Follows until the end. Returns the position of a copy of the rows, after which to continue.
    private func follow(after start: HistoryToken) async throws -> HistoryToken? {
        try await clean()
        var unread: HistoryToken?
        var steps = container.followedHistory(
            HistoryFollower(after: start, limit: .split(Self.maxChanges)), waits: !endsAtNewest
        ).makeAsyncIterator()
        while let step = try await steps.next() {
            switch step {
            case .transactions(let transactions):
                try await receive(transactions, &unread)
                if let consumer, unread == nil, !steps.follower.isInsideTransaction {
                    try await container.moveCursor(of: consumer, to: steps.follower.token)
                }
            case .refresh where copiesRows:
                let token = try await copy()
                if let consumer { try await container.resetCursor(of: consumer, to: token) }
                return token
            case .refresh:
                throw Failure(
                    "Changes after the position were purged, or went unrecorded while a table was changed. "
                        + "Read the tables again: follow with --snapshot.")
            }
            if steps.follower.isAtEnd { try await clean() }
        }
        if endsAtNewest, let consumer, unread != nil {
            try await container.moveCursor(of: consumer, to: steps.follower.token)
        }
        return nil
    }

    // MARK: Positions

    private func begin() async throws -> HistoryToken {
        guard let consumer else {
            if copiesRows { return try await copy() }
            return try await position(of: since)
        }
        let isKnown = try await container.read { try $0.consumers() }.contains { $0.name == consumer }
        var start: HistoryToken?
        if !isKnown { start = copiesRows ? try await copy() : try await position(of: since) }
        let registered = try await container.registerConsumer(consumer, startingAt: start)
        guard registered.name == consumer else {
            try await container.removeConsumer(registered.name)
            throw Failure(
                "The consumer '\(consumer)' is used by a running process. End it, or use another name.")
        }
        return registered.token
    }

    private func position(of start: HistoryFetchRequest.Start?) async throws -> HistoryToken {
        guard let start else { return try await container.currentToken() }
        return try await container.read { try HistoryFollower(from: start, in: $0).token }
    }

    // MARK: Entries

    private func line(_ entry: Entry) -> String {
        format.line(entry, database: container.path.split(separator: "/").last.map(String.init) ?? "")
    }

    private func admits(_ table: String) -> Bool { tables.isEmpty || tables.contains(table.lowercased()) }

    /// Writes one line, and waits until it is acknowledged.
    private func write(_ entry: Entry) throws {
        try Output().line(line(entry))
        try acknowledgments?.wait()
    }

    /// - Parameter unread: The last transaction whose lines the reader of a pipe received: it has processed them when it
    ///   reads the next ones.
    private func receive(_ transactions: [HistoryTransaction], _ unread: inout HistoryToken?) async throws {
        for transaction in transactions {
            let entries = transaction.changes.filter { admits($0.objectID.entity) }.map {
                Entry.change($0, transaction)
            }
            guard !entries.isEmpty else { continue }
            if let delivery {
                try await deliver(entries.map { line($0) + "\n" }.joined(), transaction, delivery)
            } else {
                for entry in entries { try write(entry) }
            }
            guard let consumer, transaction.isComplete else { continue }
            if delivery != nil || acknowledgments != nil {
                // A receiver that is killed again and again still makes progress.
                try await container.moveCursor(of: consumer, to: transaction.token)
            } else if let pipe {
                try pipe.waitUntilRead()
                if let unread { try await container.moveCursor(of: consumer, to: unread) }
                unread = transaction.token
            }
        }
    }

    private func deliver(_ lines: String, _ transaction: HistoryTransaction, _ delivery: Delivery)
        async throws
    {
        let container = container
        let isDelivered = try await delivery.deliver(lines, transaction) {
            try await container.pause(for: $0)
        }
        guard !isDelivered else { return }
        guard let consumer, transaction.isComplete else {
            throw Failure(
                "Transaction \(transaction.number) was not accepted. Repeat with --consumer to park it.")
        }
        try await container.park(transaction.token, of: consumer)
        Program.fail(
            "parked transaction \(transaction.number), which was not accepted \(delivery.attempts) times.")
    }

    /// Writes all rows of one state. Returns its position, after which the changes follow without a gap.
    private func copy() async throws -> HistoryToken {
        try await container.read { snapshot in
            let token = try snapshot.newestToken()
            for table in try snapshot.attachedTables() where table.refusal == nil && admits(table.name) {
                try write(.truncate(table: table.name, token))
                var failure: (any Error)?
                try snapshot.forEachRow(of: table.name) { key, values in
                    do {
                        try write(.row(table: table.name, key: key, values: values, token))
                    } catch {
                        failure = error
                    }
                    return failure == nil
                }
                if let failure { throw failure }
            }
            try pipe?.waitUntilRead()
            return token
        }
    }

    /// Deletes history that is older than 'track --keep' says, if no process has done so for an hour. Younger history
    /// remains for 'log' and 'restore', even if all consumers have read it.
    private func clean() async throws {
        guard let retention = try await container.notes().retention,
            try await container.claimCleaning(every: Self.cleaningInterval)
        else { return }
        _ = try await container.purgeHistory(maximumAge: retention, minimumAge: retention)
    }
}
