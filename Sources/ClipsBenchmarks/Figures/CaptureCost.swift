import PersistentStore
import SQLite

extension Figure {
    static let captureCost = Figure(
        name: "CAPTURE", title: "statements on a recorded table of another program, and the same unrecorded"
    ) { workspace in
        let rows = workspace.count(100_000, quick: 20_000)
        let rounds = workspace.count(7, quick: 3)
        var times: [String: [Double]] = [:]
        for round in 0..<rounds {
            // The order alternates between rounds.
            let ways = CaptureWriter.Way.allCases
            for way in round.isMultiple(of: 2) ? ways : ways.reversed() {
                let writer = try CaptureWriter(workspace, way, rows: rows)
                for kind in CaptureWriter.Kind.allCases {
                    times["\(way) \(kind)", default: []].append(try writer.time(kind))
                }
            }
        }
        return CaptureWriter.Way.allCases.dropFirst().flatMap { way in
            CaptureWriter.Kind.allCases.map { kind in
                Measurement(
                    "speed of \(kind.rawValue), \(way.rawValue)", .time,
                    Comparison(
                        ours: times["\(way) \(kind)"] ?? [], reference: times["unrecorded \(kind)"] ?? []
                    )
                    .asSpeed,
                    reference: "unrecorded", goal: way == .rows && kind == .insert ? .atLeast(0.5) : nil)
            }
        }
    }
}

/// An external writer of a table that fills it, updates a third of it, deletes a fifth, and makes small commits.
private struct CaptureWriter {
    enum Way: String, CaseIterable {
        case unrecorded
        case names = "names of changed columns"
        case oldValues = "old values"
        case rows = "whole rows"
        /// As Debezium's connector and many audit tables do it; the evictions of REPLACE are missing.
        case plain = "whole rows by plain AFTER triggers with JSON"

        var values: RecordedValues? {
            switch self {
            case .names: .names
            case .oldValues: .oldValues
            case .rows: .rows
            case .unrecorded, .plain: nil
            }
        }
    }

    enum Kind: String, CaseIterable {
        case insert = "a bulk insert"
        case update = "a bulk update"
        case delete = "a bulk delete"
        case commit = "a small commit"
    }

    private static let commits = 1000
    private static let row = "json_object('id', %.id, 'url', %.url, 'title', %.title, 'rank', %.rank)"

    private let path: String
    private let rows: Int

    init(_ workspace: Workspace, _ way: Way, rows: Int) throws {
        (path, self.rows) = (workspace.newPath("capture.db"), rows)
        let connection = try Connection(path: path, access: .create)
        try connection.execute(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE page (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, title TEXT, rank REAL)
            """)
        if way == .plain {
            let (old, new) = (Self.row.replacing("%", with: "old"), Self.row.replacing("%", with: "new"))
            try connection.execute(
                """
                CREATE TABLE audit (id INTEGER PRIMARY KEY, op TEXT, at INTEGER, before TEXT, after TEXT);
                CREATE TRIGGER i AFTER INSERT ON page BEGIN
                INSERT INTO audit (op, at, after) VALUES ('c', unixepoch(), \(new)); END;
                CREATE TRIGGER u AFTER UPDATE ON page BEGIN
                INSERT INTO audit (op, at, before, after) VALUES ('u', unixepoch(), \(old), \(new)); END;
                CREATE TRIGGER d AFTER DELETE ON page BEGIN
                INSERT INTO audit (op, at, before) VALUES ('d', unixepoch(), \(old)); END
                """)
        }
        guard let values = way.values else { return }
        let path = path
        try blocking {
            let container = try await PersistentContainer(attachingTo: path, tables: ["page"], values: values)
            await container.close()
        }
    }

    /// Returns the time in seconds.
    func time(_ kind: Kind) throws -> Double {
        let connection = try Connection(path: path, access: .readWrite)
        try connection.execute("PRAGMA synchronous = NORMAL")
        let began = Moment.now
        if kind != .commit { try connection.execute("BEGIN IMMEDIATE") }
        switch kind {
        case .insert:
            for number in 0..<rows {
                try connection.run(
                    "INSERT INTO page (url, title, rank) VALUES (?1, ?2, 0.5)", SampleClip.url(number),
                    SampleClip.title(number))
            }
        case .update: try connection.run("UPDATE page SET rank = rank + 1 WHERE id > ?1", rows / 3 * 2)
        case .delete: try connection.run("DELETE FROM page WHERE id <= ?1", rows / 5)
        case .commit:
            for number in rows..<(rows + Self.commits) {
                try connection.run(
                    "INSERT INTO page (url, title, rank) VALUES (?1, ?2, 0.5)", SampleClip.url(number),
                    SampleClip.title(number))
            }
        }
        if kind != .commit { try connection.execute("COMMIT") }
        return began.secondsSince
    }
}
