import ClipsCore
import PersistentStore

extension Figure {
    static let bulkCost = Figure(name: "F3", title: "tracked bulk changes and the same untracked") {
        workspace in
        let rows = workspace.count(100_000, quick: 20_000)
        var times: [Bool: [BulkChange: [Double]]] = [:]
        for round in 0..<workspace.count(7, quick: 3) {
            // The order alternates between rounds.
            for isTracked in round.isMultiple(of: 2) ? [true, false] : [false, true] {
                let container = try SampleStore.open(workspace.newPath("bulk.db"), isTracked: isTracked) {
                    $0.durability = .normal
                }
                for change in BulkChange.allCases {
                    let request = change.request(rows: rows)
                    let began = Moment.now
                    _ = try blocking { try await container.execute(request, author: "benchmark") }
                    times[isTracked, default: [:]][change, default: []].append(began.secondsSince)
                }
                try container.closeBlocking()
            }
        }
        return try BulkChange.allCases.flatMap { change in
            let comparison = Comparison(
                ours: times[true]?[change] ?? [], reference: times[false]?[change] ?? [])
            let result = Measurement(
                "speed of a tracked \(change), batch", .time, comparison.asSpeed, reference: "untracked",
                goal: .atLeast(0.9), headline: "Speed of a tracked bulk \(change)")
            return try [result]
                + RecordingPeers.measure("bulk_\(change)", below: result, workspace)
        }
    }
}

/// A change that fills a store, updates a third of it, or deletes a fifth, in one transaction.
private enum BulkChange: CaseIterable {
    case insert, update, delete

    func request(rows: Int) -> BatchRequest {
        switch self {
        case .insert:
            .insert(ClipModel.entity) { (0..<rows).lazy.map { SampleClip.values($0) } }
        case .update:
            .update(
                ClipModel.entity, where: .compare("id", .greater, .integer(Int64(rows / 3 * 2))),
                set: ["starred": 1])
        case .delete:
            .delete(ClipModel.entity, where: .compare("id", .lessOrEqual, .integer(Int64(rows / 5))))
        }
    }
}
