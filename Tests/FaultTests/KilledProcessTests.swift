import Foundation
import Glibc
import TestSupport
import Testing

/// Processes killed at random moments; KilledConsumerTests kill a consumer of the library.
@Suite(.serialized) struct KilledProcessTests {
    enum Kind: String, CaseIterable, Sendable {
        case `extension`, lines, app, `import`, index, cleaning
    }

    @Test(arguments: Kind.allCases)
    func `a process killed at any moment leaves a sound store with all clips that it reported`(kind: Kind)
        async throws
    {
        let seed: UInt64 = 2026
        var random = SeededRandom(seed: seed)
        let clips = try Situation.someClips.make()
        var saved = try clips.ids()
        let lines = LongProof.count(800, of: 3000, "lines of killed processes")
        try write(lines: lines, to: clips.folder.path(of: "lines"))
        let kills = LongProof.count(2, of: 10, "moments to kill: \(kind)")
        let whole = try duration(of: kind, clips)
        var (killed, round) = (0, 0)
        // A process that was faster than its moment does not count.
        while killed < kills {
            try #require(round < 20 * kills, "seed \(seed): killed \(killed)")
            try prepare(kind, clips, round)
            let before = try clips.ids()
            let moment = whole * Double.random(in: 0.05...1.05, using: &random)
            let victim = try start(kind, clips, round)
            victim.letRun(for: moment)
            if victim.kill() == 128 + SIGKILL { killed += 1 }
            saved.formUnion(before)
            saved.formUnion(victim.ids())
            let complaints = await Oracle(clips: clips).complaints(saved: saved)
            try #require(complaints == [], "seed \(seed), round \(round), after \(moment)")
            round += 1
        }
    }

    private func prepare(_ kind: Kind, _ clips: ClipsProgram, _ round: Int) throws {
        switch kind {
        case .index:
            // Enough clips to index.
            if round == 0 { try clips.run("import", clips.folder.path(of: "lines")) }
            for end in ["", "-wal", "-shm"] { unlink(clips.storePath + "-search" + end) }
        case .cleaning:
            let update = "UPDATE Clip SET note = note || 'x' WHERE id < 40;\n"
            _ = try clips.sqlite3(".timeout 5000\n" + String(repeating: update, count: 40))
        default: break
        }
    }

    private func start(_ kind: Kind, _ clips: ClipsProgram, _ round: Int) throws -> Victim {
        switch kind {
        case .extension: return try Victim(clips, ["extension", "--title", "clip of round \(round)"])
        case .lines:
            return try Victim(clips, ["extension", "--jsonl"], input: clips.folder.path(of: "lines"))
        case .import: return try Victim(clips, ["import", clips.folder.path(of: "lines")])
        case .index: return try Victim(clips, ["search", "clip"])
        case .cleaning: return try Victim(clips, ["history", "clean", "--before", "0d"])
        case .app:
            let victim = try Victim(appOf: clips)
            victim.type((0..<4).map { "ahttps://example.org/\(round)/\($0)\rj*" }.joined() + "u")
            return victim
        }
    }

    private func duration(of kind: Kind, _ clips: ClipsProgram) throws -> Duration {
        guard kind != .app else { return .milliseconds(600) }
        try prepare(kind, clips, 0)
        return try ContinuousClock().measure { _ = try start(kind, clips, -1).wait() }
    }

    private func write(lines count: Int, to path: String) throws {
        let lines = (0..<count).map { "{\"url\":\"https://example.org/\($0)\",\"title\":\"clip \($0)\"}\n" }
        try lines.joined().write(toFile: path, atomically: false, encoding: .utf8)
    }
}
