import ClipsCore
import Glibc
import PersistentStore
import SQLite

extension Figure {
    static let killedWriters = Figure(
        name: "Z1", title: "writers killed at random moments: what they leave, and what others wait"
    ) { workspace in
        try KilledWriters(workspace).measure()
    }
}

/// Kills one writing process after the other; a writer that lives saves beside each.
private struct KilledWriters {
    private let store: String
    private let rounds: Int

    init(_ workspace: Workspace) throws {
        store = workspace.newPath("killed.db")
        rounds = workspace.count(1_000, quick: 100)
        try SmallStore.make(store)
    }

    func measure() throws -> [Measurement] {
        let path = store
        let survivor = try blocking { try await ClipStore(path: path, author: "survivor") }
        var waits: [Double] = []
        for round in 0..<rounds {
            let writer = try RoleWriter(.writer(store: store, .normal))
            try writer.commit(255)
            usleep(.random(in: 0...8_000))
            writer.kill()
            let began = Moment.now
            _ = try blocking { try await survivor.add([SampleClip.draft(round)]) }
            waits.append(began.secondsSince)
        }
        let (committed, torn) = try blocking { try await Self.count(survivor) }
        try blocking { await survivor.container.close() }
        let zero = Measurement.Goal(atMost: 0)
        return [
            Measurement("transactions of \(rounds) killed writers", .count, [Double(committed)]),
            Measurement("of them not whole", .count, [Double(torn)], goal: zero),
            Measurement("faults that integrity_check finds", .count, [Double(try faults())], goal: zero),
            Measurement("a save of another after each", .time, waits),
        ]
    }

    /// The victims' transactions, and how many of them, or of the clips, have no counterpart.
    private static func count(_ store: ClipStore) async throws -> (committed: Int, torn: Int) {
        try await store.container.read { snapshot in
            var (committed, torn, inserted) = (0, 0, 0)
            try snapshot.forEachTransaction(HistoryFetchRequest()) { transaction in
                inserted += transaction.changes.count
                guard transaction.author == "writer" else { return true }
                committed += 1
                if transaction.changes.map(\.kind) != [.insert] { torn += 1 }
                return true
            }
            return (committed, torn + abs(try snapshot.count(FetchRequest(ClipModel.entity)) - inserted))
        }
    }

    private func faults() throws -> Int {
        let connection = try Connection(path: store, access: .readOnly)
        let check = try connection.prepare("PRAGMA integrity_check")
        var faults = 0
        while try check.step() { faults += check.text(0) == "ok" ? 0 : 1 }
        return faults
    }
}
