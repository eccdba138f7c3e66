import ClipsCore
import PersistentStore
import SQLite

extension Figure {
    static let fetchCost = Figure(
        name: "F5", title: "the newest 10 transactions of a long history"
    ) { workspace in
        let changes = workspace.count(5_000_000, quick: 200_000)
        let long = try FetchWork(workspace, changes: changes)
        let short = try FetchWork(workspace, changes: 1000)
        let kinds: [(String, FetchWork.Kind)] = [
            ("newest 10", .newest), ("after a token, 10 left", .token), ("after a date, 10 left", .date),
        ]
        return try kinds.flatMap { name, kind in
            _ = try (long.fetch(kind), short.fetch(kind))
            let comparison = try Comparison(rounds: workspace.count(100, quick: 30)) {
                try long.fetch(kind)
            } beside: {
                try short.fetch(kind)
            }
            let retained = Quantity.grouped(changes)
            let result = Measurement(
                "\(name), \(retained) changes retained", .time, comparison, beside: "1,000 retained",
                goal: Measurement.Goal(atMost: 1.5))
            guard kind == .token else { return [result] }
            let headline = "10 transactions of \(retained) changes"
            return try [result.headlined(headline)]
                + HistoryPeers.measured(workspace, for: "F5").compactMap { peer in
                    peer.fetch.map { time in
                        Measurement(
                            name, .time,
                            Comparison(ours: [Spread(comparison.ours)?.median ?? 0], beside: [time]),
                            peer: peer.name, of: headline)
                    }
                }
        }
    }
}

/// A store with a number of changes, 5 per transaction, and the requests of its history.
private struct FetchWork {
    enum Kind { case newest, token, date }

    private let container: PersistentContainer
    private let last: HistoryTransaction

    init(_ workspace: Workspace, changes: Int) throws {
        let path = workspace.newPath("history.db")
        try SmallStore.make(path, clips: 5)
        let connection = try Connection(path: path, access: .readWrite)
        try connection.execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -65536")
        // The same rows as saves of a context, without a commit for each.
        try connection.run(
            """
            WITH RECURSIVE n (i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
            INSERT INTO history (kind, entity, object, columns, began, at, origin, process, session)
            SELECT CASE i % 7 WHEN 0 THEN 3 WHEN 6 THEN 4 ELSE 1 END,
            CASE WHEN i % 7 BETWEEN 1 AND 5 THEN 1 END, CASE WHEN i % 7 BETWEEN 1 AND 5 THEN i % 7 END,
            CASE WHEN i % 7 BETWEEN 1 AND 5 THEN 2 END, CASE i % 7 WHEN 0 THEN base + i / 7 END,
            CASE i % 7 WHEN 6 THEN base + i / 7 END, CASE i % 7 WHEN 0 THEN 1 END,
            CASE i % 7 WHEN 0 THEN 4711 END, CASE i % 7 WHEN 0 THEN 1 END
            FROM n, (SELECT max(at) AS base FROM history)
            """, changes / 5 * 7 - 1)
        container = try blocking {
            var options = StoreOptions()
            options.historyBounds = nil
            return try await PersistentContainer(path: path, model: ClipModel.make(), options: options)
        }
        let container = container
        let newest = try blocking {
            try await container.transactions(HistoryFetchRequest(.newest, limit: 11))
        }
        guard let last = newest.first, newest.count == 11 else {
            throw BenchmarkError("the history was not made")
        }
        self.last = last
    }

    /// Returns the seconds of each of 20 fetches.
    func fetch(_ kind: Kind) throws -> [Double] {
        let (container, last) = (container, last)
        return try blocking {
            var times: [Double] = []
            for _ in 0..<20 {
                let request =
                    switch kind {
                    case .newest: HistoryFetchRequest(.newest, limit: 10)
                    case .token: HistoryFetchRequest(.token(last.token))
                    case .date: HistoryFetchRequest(.date(last.timestamp))
                    }
                let began = Moment.now
                let found = try await container.read { try $0.transactions(request) }
                times.append(began.secondsSince)
                guard found.count == 10 else { throw BenchmarkError("\(found.count) instead of 10 found") }
            }
            return times
        }
    }
}
