import ClipsCore
import PersistentStore

extension Figure {
    static let trackingCost = Figure(
        name: "F4", title: "one tracked commit against one untracked"
    ) { workspace in
        try [(StoreOptions.Durability.normal, 0.6), (.full, 0.9)].flatMap { durability, goal in
            let tracked = try CommitLoop(workspace, durability, isTracked: true)
            let untracked = try CommitLoop(workspace, durability, isTracked: false)
            let block = 50
            _ = try (tracked.commit(block), untracked.commit(block))
            let comparison = try Comparison(rounds: workspace.count(80, quick: 20)) {
                try tracked.commit(block)
            } beside: {
                try untracked.commit(block)
            }
            let result = Measurement(
                "speed of a tracked commit, \(durability)", .time, comparison.asSpeed, beside: "untracked",
                goal: Measurement.Goal(atLeast: goal)
            ).headlined("Speed of a tracked commit, \(durability)")
            // The peers commit with `synchronous=normal`.
            guard durability == .normal else { return [result] }
            return try [result]
                + RecordingPeers.measure(
                    "single_commits", beside: result, workspace, for: "F4", leads: false)
        }
    }
}

/// A loop that saves one clip after the other through a context.
private struct CommitLoop {
    private let container: PersistentContainer
    private let context: StoreContext

    init(_ workspace: Workspace, _ durability: StoreOptions.Durability, isTracked: Bool) throws {
        let path = workspace.newPath(isTracked ? "tracked.db" : "untracked.db")
        container = try blocking {
            var options = StoreOptions()
            options.durability = durability
            let model = isTracked ? try ClipModel.make() : try SmallStore.untrackedModel()
            return try await PersistentContainer(path: path, model: model, options: options)
        }
        context = container.makeContext(author: "app")
    }

    func commit(_ count: Int) throws -> [Double] {
        let context = context
        return try blocking {
            var times: [Double] = []
            for number in 0..<count {
                let began = Moment.now
                try await context.insert(ClipModel.entity, SmallStore.values(number))
                try await context.save()
                times.append(began.secondsSince)
            }
            return times
        }
    }
}
