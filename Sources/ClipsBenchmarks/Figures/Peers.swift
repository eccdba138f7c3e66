import CBenchmarkProbes
import Glibc
import PersistentStore

extension Figure {
    static let peers = Figure(name: "PEERS", title: "other people's probes, with --peers FOLDER") {
        workspace in
        guard let folder = workspace.options.peers else { return [] }
        return try wakeTimes(folder + "/c_wake", workspace) + liveView(folder + "/d_live", workspace)
            + RecordingPeers.speeds(folder, workspace)
    }

    /// From a commit until another process has read the row, in each way that the probe knows and can do here.
    private static func wakeTimes(_ probe: String, _ workspace: Workspace) throws -> [Measurement] {
        guard access(probe, X_OK) == 0 else { return [] }
        let commits = "\(workspace.count(2000, quick: 500))"
        return try ["dbpipe", "walLB", "poll1", "pg"].compactMap { mode in
            let store = workspace.newPath("wake.db")
            let words = try output(of: [probe, "lat", mode, commits, "rnd", store]).split(separator: " ")
            guard let place = words.firstIndex(of: "p50"), place + 1 < words.count,
                let microseconds = Double(words[place + 1])
            else { return nil }
            return Measurement("commit to row, \(mode), p50", .time, [microseconds / 1_000_000])
        }
    }

    private static func liveView(_ probe: String, _ workspace: Workspace) throws -> [Measurement] {
        guard access(probe, X_OK) == 0 else { return [] }
        let store = workspace.newPath("peer.db")
        try SmallStore.make(store, isTracked: false)
        let writer = try RoleWriter(.probeWriter(store: store, .normal))
        let program = try TerminalProgram([probe, store])
        _ = try program.wait(for: ["READY"])
        let times = try (1...workspace.count(500, quick: 100)).map { number in
            usleep(UInt32.random(in: 1000...3000))
            try writer.commit(1)
            let painted = try program.wait(for: ["number \(number) "], seconds: 5)
            return try painted - writer.begun()
        }
        return [Measurement("commit to paint, d_live", .time, times)]
    }

    static func output(of command: [String]) throws -> String {
        var input: Int32 = -1
        var output: Int32 = -1
        let process = withCStrings(command) { probe_start($0, &input, &output) }
        guard process > 0 else { throw BenchmarkError("'\(command[0])' cannot be started") }
        close(input)
        defer {
            close(output)
            waitpid(process, nil, 0)
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(output, &chunk, chunk.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }
}
