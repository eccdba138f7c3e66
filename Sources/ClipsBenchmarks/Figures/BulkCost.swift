import ClipsCore
import PersistentStore
import SQLite

extension Figure {
    static let bulkCost = Figure(name: "F3", title: "tracked bulk changes and the same untracked") {
        workspace in
        let rows = workspace.count(100_000, quick: 20_000)
        let rounds = workspace.count(7, quick: 3)
        var comparisons: [String: (tracked: [Double], untracked: [Double])] = [:]
        for round in 0..<rounds {
            for way in BulkWriter.Way.allCases {
                // The order alternates between rounds.
                for isTracked in round.isMultiple(of: 2) ? [true, false] : [false, true] {
                    let writer = try BulkWriter(workspace, way, rows: rows, isTracked: isTracked)
                    for kind in BulkWriter.Kind.allCases {
                        let time = try writer.time(kind)
                        let times = isTracked ? ([time], []) : ([], [time])
                        comparisons["\(way) \(kind)", default: ([], [])].tracked += times.0
                        comparisons["\(way) \(kind)", default: ([], [])].untracked += times.1
                    }
                    try writer.close()
                }
            }
        }
        return try BulkWriter.Way.allCases.flatMap { way in
            try BulkWriter.Kind.allCases.flatMap { kind in
                let (tracked, untracked) = comparisons["\(way) \(kind)"] ?? ([], [])
                let result = Measurement(
                    "speed of a tracked \(kind), \(way)", .time,
                    Comparison(ours: tracked, reference: untracked).asSpeed, reference: "untracked",
                    goal: way == .batch ? .atLeast(0.9) : nil,
                    headline: way == .batch ? "Speed of a tracked bulk \(kind)" : nil)
                guard way == .batch else { return [result] }
                return try [result]
                    + RecordingPeers.measure("bulk_\(kind)", below: result, workspace, for: "F3", leads: true)
            }
        }
    }
}

/// A writer that fills a store, updates a third of it, or deletes a fifth, each in one transaction.
private struct BulkWriter {
    enum Way: CaseIterable {
        case batch
        /// One save of a context.
        case save
        /// Statements of an external writer.
        case statements
    }

    enum Kind: CaseIterable { case insert, update, delete }

    private let way: Way
    private let rows: Int
    private let container: PersistentContainer

    init(_ workspace: Workspace, _ way: Way, rows: Int, isTracked: Bool) throws {
        self.way = way
        self.rows = rows
        container = try SampleStore.open(workspace.newPath("bulk.db"), isTracked: isTracked) {
            $0.durability = .normal
        }
    }

    func close() throws { try container.closeBlocking() }

    /// The ID after which clips are updated, and the last ID that is deleted.
    private var bounds: (updated: Int64, deleted: Int64) { (Int64(rows / 3 * 2), Int64(rows / 5)) }

    /// Returns the time in seconds.
    func time(_ kind: Kind) throws -> Double {
        switch way {
        case .batch: try blocking { [self] in try await batch(kind) }
        case .save: try blocking { [self] in try await save(kind) }
        case .statements: try statements(kind)
        }
    }

    private func batch(_ kind: Kind) async throws -> Double {
        let began = Moment.now
        switch kind {
        case .insert:
            let insert = BatchRequest.insert(ClipModel.entity) { [rows] in
                (0..<rows).lazy.map { SampleClip.values($0) }
            }
            try await container.execute(insert, author: "benchmark")
        case .update:
            let update = BatchRequest.update(
                ClipModel.entity, where: .compare("id", .greater, .integer(bounds.updated)),
                set: ["starred": 1])
            try await container.execute(update, author: "benchmark")
        case .delete:
            let delete = BatchRequest.delete(
                ClipModel.entity, where: .compare("id", .lessOrEqual, .integer(bounds.deleted)))
            try await container.execute(delete, author: "benchmark")
        }
        return began.secondsSince
    }

    private func save(_ kind: Kind) async throws -> Double {
        let context = container.makeContext(author: "benchmark")
        let began = Moment.now
        switch kind {
        case .insert:
            for number in 0..<rows { try await context.insert(ClipModel.entity, SampleClip.values(number)) }
        case .update:
            for key in (bounds.updated + 1)...Int64(rows) {
                try await context.update(ClipModel.objectID(key), ["starred": 1])
            }
        case .delete: for key in 1...bounds.deleted { try await context.delete(ClipModel.objectID(key)) }
        }
        try await context.save()
        return began.secondsSince
    }

    private func statements(_ kind: Kind) throws -> Double {
        let connection = try Connection(path: container.path, access: .readWrite)
        try connection.execute("PRAGMA synchronous = NORMAL")
        let began = Moment.now
        try connection.execute("BEGIN IMMEDIATE")
        switch kind {
        case .insert:
            for number in 0..<rows {
                try connection.run(
                    "INSERT INTO Clip (url, title, text, tags, author) VALUES (?1, ?2, ?3, ?4, 'sample')",
                    SampleClip.url(number), SampleClip.title(number), SampleClip.text(number),
                    SampleClip.tags(number))
            }
        case .update: try connection.run("UPDATE Clip SET starred = 1 WHERE id > ?1", bounds.updated)
        case .delete: try connection.run("DELETE FROM Clip WHERE id <= ?1", bounds.deleted)
        }
        try connection.execute("COMMIT")
        return began.secondsSince
    }
}
