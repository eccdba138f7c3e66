import Glibc
import PersistentStore
import SQLite

extension Figure {
    static let captureCost = Figure(
        name: "CAPTURE", title: "statements on a recorded table of another program, and the same unrecorded"
    ) { workspace in
        let rows = workspace.count(100_000, quick: 20_000)
        var times: [String: [Double]] = [:]
        for round in 0..<workspace.count(7, quick: 3) {
            // The order alternates between rounds.
            let ways = CaptureWriter.Way.all
            for way in round.isMultiple(of: 2) ? ways : ways.reversed() {
                let writer = try CaptureWriter(workspace, way, rows: rows)
                for kind in CaptureWriter.Kind.allCases {
                    times[way.name + kind.rawValue, default: []].append(try writer.time(kind))
                }
            }
        }
        func speed(_ ours: String, _ kind: CaptureWriter.Kind, over other: String) -> Comparison {
            Comparison(
                ours: times[ours + kind.rawValue] ?? [], reference: times[other + kind.rawValue] ?? []
            ).asSpeed
        }
        let costs = RecordedValues.allCases.flatMap { values in
            CaptureWriter.Kind.allCases.flatMap { kind in
                let ours = CaptureWriter.Way.recorded(values).name
                let row = Measurement(
                    "speed of \(kind.rawValue), \(ours)", .time, speed(ours, kind, over: "unrecorded"),
                    reference: "unrecorded",
                    goal: values == .rows && kind.isBulkInsert ? .atLeast(0.5) : nil)
                // The same content: whole rows, or which rows changed.
                let peers = CapturePeer.all.filter { values == ($0.hasRows ? .rows : .names) }
                return [row]
                    + peers.map { peer in
                        row.compared(
                            with: peer.name, speed(ours, kind, over: peer.name), goal: .atLeast(1))
                    }
            }
        }
        return costs + [try followLatency(workspace)]
    }

    /// Measures a commit until the follower's line arrives in this process.
    private static func followLatency(_ workspace: Workspace) throws -> Measurement {
        let writer = try CaptureWriter(workspace, .recorded(.rows), rows: 0)
        let follower = try ChildProcess([
            workspace.neighbor("dbhistory"), "follow", writer.path, "--since", "beginning", "--format",
            "jsonl",
        ])
        let connection = try Connection(path: writer.path, access: .readWrite)
        try connection.execute("PRAGMA synchronous = NORMAL")
        var times: [Double] = []
        for number in 0..<workspace.count(1000, quick: 200) {
            let began = Moment.now
            try connection.run("INSERT INTO page (url) VALUES (?1)", number)
            while try follower.receive(1) != [UInt8(ascii: "\n")] {}
            times.append(began.secondsSince)
            usleep(2000)
        }
        follower.kill()
        // The first one contains the start of the follower.
        return Measurement("a commit until the line of 'dbhistory follow'", .time, Array(times.dropFirst()))
    }
}

/// An external writer of a table that fills it, updates a sixth of it, deletes a tenth, and makes small commits.
private struct CaptureWriter {
    enum Way {
        case unrecorded
        case recorded(RecordedValues)
        case peer(CapturePeer)

        static let all =
            [unrecorded] + RecordedValues.allCases.map(recorded) + CapturePeer.all.map(peer)

        var name: String {
            switch self {
            case .unrecorded: "unrecorded"
            case .recorded(.names): "names of changed columns"
            case .recorded(.oldValues): "old values"
            case .recorded(.rows): "whole rows"
            case .peer(let peer): peer.name
            }
        }
    }

    enum Kind: String, CaseIterable {
        case insert = "inserts in one transaction"
        case selection = "INSERT SELECT"
        case update = "a bulk update"
        case delete = "a bulk delete"
        case commit = "small commits"

        var isBulkInsert: Bool { self == .insert || self == .selection }
    }

    private static let commits = 1000

    let path: String
    private let rows: Int

    init(_ workspace: Workspace, _ way: Way, rows: Int) throws {
        (path, self.rows) = (workspace.newPath("capture.db"), rows)
        let connection = try Connection(path: path, access: .create)
        try connection.execute(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE page (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, title TEXT, rank REAL)
            """)
        if case .peer(let peer) = way { try connection.execute(peer.sql) }
        guard case .recorded(let values) = way else { return }
        let path = path
        try blocking {
            let container = try await PersistentContainer(attachingTo: path, tables: ["page"], values: values)
            await container.close()
        }
    }

    /// Returns the time in seconds.
    func time(_ kind: Kind) throws -> Double {
        let connection = try Connection(path: path, access: .readWrite, trustsSchema: true)
        try connection.execute("PRAGMA synchronous = NORMAL")
        let began = Moment.now
        if kind != .commit { try connection.execute("BEGIN IMMEDIATE") }
        switch kind {
        case .insert: try insert(0..<rows, on: connection)
        case .selection:
            try connection.run(
                "INSERT INTO page (id, url, title, rank) SELECT id + ?1, url || '#', title, rank FROM page",
                rows)
        case .update: try connection.run("UPDATE page SET rank = rank + 1 WHERE id > ?1", rows / 3 * 5)
        case .delete: try connection.run("DELETE FROM page WHERE id <= ?1", rows / 5)
        case .commit: try insert(rows..<(rows + Self.commits), on: connection)
        }
        if kind != .commit { try connection.execute("COMMIT") }
        return began.secondsSince
    }

    private func insert(_ numbers: Range<Int>, on connection: borrowing Connection) throws {
        for number in numbers {
            try connection.run(
                "INSERT INTO page (url, title, rank) VALUES (?1, ?2, 0.5)", SampleClip.url(number),
                SampleClip.title(number))
        }
    }
}
