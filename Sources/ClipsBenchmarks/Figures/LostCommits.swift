import PersistentStore

/// Commits in lockstep with the list: the next burst begins after the list has the previous one, so that no
/// later commit can hide a lost one.
struct LostCommits {
    enum Writer: CaseIterable {
        case ours
        case shell
    }

    let writer: Writer
    let durability: StoreOptions.Durability
    let burst: UInt8

    /// Returns the sum over all writers and kinds.
    static func sum(_ measured: [Measurement], of commits: Int) -> [Measurement] {
        let lost = measured.compactMap(\.ours?.median).reduce(0, +)
        return [
            Measurement("lost, of all commits below", .count, [lost], goal: Measurement.Goal(atMost: 0))
                .headlined("Commits lost of \(Quantity.grouped(commits))")
        ]
    }

    static func commits(_ workspace: Workspace) -> Int { workspace.count(20_000, quick: 2_000) }

    func measure(_ workspace: Workspace) throws -> Measurement {
        let store = workspace.newPath("lost.db")
        try SmallStore.make(store)
        let window = try ListeningWindow(store: store)
        let source: any CommitWriter =
            switch writer {
            case .ours: try RoleWriter(.writer(store: store, durability))
            case .shell: try ShellWriter(store: store, synchronous: durability.rawValue)
            }
        let commits = Self.commits(workspace)
        let bursts = commits / Int(burst)
        var lost = 0
        var wanted = window.newestID
        for _ in 0..<bursts {
            wanted += Int64(burst)
            try source.commit(burst)
            if window.wait(for: wanted) == nil { lost += 1 }
            _ = try source.begun()
        }
        try window.close()
        let who = writer == .ours ? "our writer" : "sqlite3 shell"
        let how = burst == 1 ? "single" : "bursts of \(burst)"
        return Measurement(
            "lost of \(bursts * Int(burst)), \(who), \(durability), \(how)", .count, [Double(lost)],
            goal: Measurement.Goal(atMost: 0))
    }
}
