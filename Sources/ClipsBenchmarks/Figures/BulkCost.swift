import ClipsCore
import PersistentStore
import SQLite

extension Figure {
    static let bulkCost = Figure(name: "F3", title: "tracked bulk work against the same untracked") {
        workspace in
        let rows = workspace.count(100_000, quick: 20_000)
        var times: [BulkWriter.Way: [BulkWriter.Kind: (tracked: [Double], untracked: [Double])]] = [:]
        for round in 0..<workspace.count(7, quick: 3) {
            for way in BulkWriter.Way.allCases {
                // The order alternates between rounds.
                for isTracked in round.isMultiple(of: 2) ? [true, false] : [false, true] {
                    let writer = try BulkWriter(workspace, way, rows: rows, isTracked: isTracked)
                    for kind in BulkWriter.Kind.allCases {
                        let time = try writer.time(kind)
                        if isTracked {
                            times[way, default: [:]][kind, default: ([], [])].tracked.append(time)
                        } else {
                            times[way, default: [:]][kind, default: ([], [])].untracked.append(time)
                        }
                    }
                    try writer.close()
                }
            }
        }
        return try BulkWriter.Way.allCases.flatMap { way in
            try BulkWriter.Kind.allCases.flatMap { kind in
                let measured = times[way]?[kind] ?? ([], [])
                let result = Measurement(
                    "speed of a tracked \(kind), \(way.rawValue)", .time,
                    Comparison(ours: measured.tracked, beside: measured.untracked).asSpeed,
                    beside: "untracked",
                    goal: way == .batch ? Measurement.Goal(atLeast: kind == .insert ? 0.6 : 0.5) : nil)
                guard way == .batch else { return [result] }
                let named = result.headlined("Speed of a tracked bulk \(kind)")
                return try [named]
                    + RecordingPeers.measure("bulk_\(kind)", beside: named, workspace, for: "F3", leads: true)
            }
        }
    }
}

/// A writer that fills a store, updates a third of it, or deletes a fifth, each in one transaction.
private struct BulkWriter {
    enum Way: String, CaseIterable {
        case batch
        /// One save of a context.
        case save
        /// Statements of an external writer.
        case statements
    }

    enum Kind: CaseIterable {
        case insert
        case update
        case delete
    }

    private let way: Way
    private let rows: Int
    private let container: PersistentContainer

    init(_ workspace: Workspace, _ way: Way, rows: Int, isTracked: Bool) throws {
        self.way = way
        self.rows = rows
        let path = workspace.newPath("bulk.db")
        container = try blocking {
            var options = StoreOptions()
            options.durability = .normal
            let model = isTracked ? try ClipModel.make() : try SmallStore.untrackedModel()
            return try await PersistentContainer(path: path, model: model, options: options)
        }
    }

    func close() throws {
        let container = container
        try blocking { await container.close() }
    }

    /// Returns the time in seconds.
    func time(_ kind: Kind) throws -> Double {
        switch way {
        case .batch: try batch(kind)
        case .save: try save(kind)
        case .statements: try statements(kind)
        }
    }

    private func batch(_ kind: Kind) throws -> Double {
        let (container, rows) = (container, rows)
        return try blocking {
            let began = Moment.now
            let author = "benchmark"
            switch kind {
            case .insert:
                let insert = BatchInsertRequest(ClipModel.entity) {
                    (0..<rows).lazy.map { SmallStore.values($0) }
                }
                try await container.execute(insert, author: author)
            case .update:
                try await container.execute(
                    BatchUpdateRequest(
                        ClipModel.entity, where: .compare("id", .greater, .integer(Int64(rows / 3 * 2))),
                        set: ["starred": 1]), author: author)
            case .delete:
                try await container.execute(
                    BatchDeleteRequest(
                        ClipModel.entity, where: .compare("id", .lessOrEqual, .integer(Int64(rows / 5)))),
                    author: author)
            }
            return began.secondsSince
        }
    }

    private func save(_ kind: Kind) throws -> Double {
        let (container, rows) = (container, rows)
        return try blocking {
            let context = container.makeContext(author: "benchmark")
            let began = Moment.now
            switch kind {
            case .insert:
                for number in 0..<rows {
                    try await context.insert(ClipModel.entity, SmallStore.values(number))
                }
            case .update:
                for key in (rows / 3 * 2 + 1)...rows {
                    try await context.update(ClipModel.objectID(Int64(key)), ["starred": 1])
                }
            case .delete:
                for key in 1...rows / 5 { await context.delete(ClipModel.objectID(Int64(key))) }
            }
            try await context.save()
            return began.secondsSince
        }
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
        case .update: try connection.run("UPDATE Clip SET starred = 1 WHERE id > ?1", rows / 3 * 2)
        case .delete: try connection.run("DELETE FROM Clip WHERE id <= ?1", rows / 5)
        }
        try connection.execute("COMMIT")
        return began.secondsSince
    }
}
