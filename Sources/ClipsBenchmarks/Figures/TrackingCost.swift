import ClipsCore
import PersistentStore

extension Figure {
    static let trackingCost = Figure(name: "F4", title: "one tracked commit and one untracked") { workspace in
        try [(StoreOptions.Durability.normal, 0.8), (.full, 0.9)].map { durability, goal in
            let loops = try [true, false].map { try CommitLoop(workspace, durability, isTracked: $0) }
            let comparison = try Comparison(
                rounds: workspace.count(80, quick: 20), warmsUp: true, ours: { try loops[0].commit(50) },
                reference: { try loops[1].commit(50) })
            return Measurement(
                "speed of a tracked commit, \(durability)", .time, comparison.asSpeed, reference: "untracked",
                goal: .atLeast(goal), headline: "Speed of a tracked commit, \(durability)")
        }
    }
}

/// A loop that saves one clip after the other through a context.
private struct CommitLoop {
    private let container: PersistentContainer
    private let context: StoreContext

    init(_ workspace: Workspace, _ durability: StoreOptions.Durability, isTracked: Bool) throws {
        container = try SampleStore.open(workspace.newPath("commits.db"), isTracked: isTracked) {
            $0.durability = durability
        }
        context = container.makeContext(author: "app")
    }

    /// Returns the time of each commit in seconds.
    func commit(_ count: Int) throws -> [Double] {
        try blocking { [context] in
            var times: [Double] = []
            for number in 0..<count {
                let began = Moment.now
                try await context.insert(ClipModel.entity, SampleClip.values(number))
                try await context.save()
                times.append(began.secondsSince)
            }
            return times
        }
    }
}
