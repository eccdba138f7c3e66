import PersistentStore
import Platform
import SQLite

extension Figure {
    static let fetchCost = Figure(name: "F5", title: "the newest 10 transactions of a long history") {
        workspace in
        let changes = workspace.count(5_000_000, quick: 200_000)
        let long = try FetchWork(workspace, changes: changes)
        let short = try FetchWork(workspace, changes: 1000)
        return try FetchWork.Kind.allCases.map { kind in
            let comparison = try Comparison(
                rounds: workspace.count(100, quick: 30), warmsUp: true, ours: { try long.fetch(kind) },
                reference: { try short.fetch(kind) })
            let retained = "\(changes.grouped) changes retained"
            return Measurement(
                "\(kind.rawValue), \(retained)", .time, comparison, reference: "1,000 retained",
                goal: .atMost(1.1), headline: kind == .token ? "Newest 10 transactions, \(retained)" : nil)
        }
    }
}

/// A store with a number of changes, 5 per transaction, and the requests of its history.
private struct FetchWork {
    enum Kind: String, CaseIterable {
        case newest = "newest 10"
        case token = "after a token, 10 left"
        case date = "after a date, 10 left"
    }

    private let container: PersistentContainer
    private let last: HistoryTransaction

    init(_ workspace: Workspace, changes: Int) throws {
        let path = try workspace.newStore(clips: 5)
        // The same rows as saves of a context, without a commit for each.
        try SampleStore.generator(path).run(
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
        container = try SampleStore.open(path) { $0.historyBounds = nil }
        let newest = try container.readBlocking {
            try $0.transactions(HistoryFetchRequest(.newest, limit: 11))
        }
        guard let last = newest.first, newest.count == 11 else {
            throw BenchmarkError("the history was not made")
        }
        self.last = last
    }

    /// Returns the seconds of each of 20 fetches.
    func fetch(_ kind: Kind) throws -> [Double] {
        let request =
            switch kind {
            case .newest: HistoryFetchRequest(.newest, limit: 10)
            case .token: HistoryFetchRequest(.after(last.token))
            case .date: HistoryFetchRequest(.afterDate(last.timestamp))
            }
        return try blocking { [container] in
            var times: [Double] = []
            for _ in 0..<20 {
                let began = Moment.now
                let found = try await container.read { try $0.transactions(request) }
                times.append(began.secondsSince)
                guard found.count == 10 else { throw BenchmarkError("\(found.count) instead of 10 found") }
            }
            return times
        }
    }
}
