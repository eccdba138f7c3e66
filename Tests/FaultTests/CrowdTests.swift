import Foundation
import TestSupport
import Testing

/// Many concurrent processes.
@Suite(.serialized) struct CrowdTests {
    private static let processes = LongProof.count(15, of: 50, "concurrent processes")

    /// Starts all processes, then waits for all.
    private func run(_ calls: [[String]], on clips: ClipsProgram) throws -> [Finished] {
        let folder = try TemporaryFolder()
        let started = try calls.enumerated().map { number, words in
            try Shell.spawn(
                [ClipsProgram.path] + words, environment: clips.environment, input: "/dev/null",
                output: folder.path(of: "\(number).out"), errors: folder.path(of: "\(number).err"))
        }
        let statuses = started.map { Shell.wait(for: $0) }
        return try statuses.enumerated().map { number, status in
            Finished(
                status: status,
                output: try String(contentsOfFile: folder.path(of: "\(number).out"), encoding: .utf8),
                errors: try String(contentsOfFile: folder.path(of: "\(number).err"), encoding: .utf8))
        }
    }

    @Test func `processes that create the same store all save into it`() async throws {
        let clips = try ClipsProgram()
        let runs = try run((0..<Self.processes).map { ["extension", "--title", "clip \($0)"] }, on: clips)
        for run in runs { #expect(run.status == 0, "\(run.errors)") }
        let saved = Set(runs.flatMap(\.ids))
        #expect(saved.count == Self.processes)
        #expect(try clips.ids() == saved)
        #expect(await Oracle(clips: clips).complaints(saved: saved) == [])
    }

    @Test func `processes with different commands on one store all succeed`() async throws {
        let clips = try Situation.someClips.make()
        let before = try clips.ids()
        let calls = (0..<Self.processes).map { number in
            switch number % 5 {
            case 0: ["extension", "--title", "clip \(number)"]
            case 1: ["add", "--title", "clip \(number)"]
            case 2: ["tag", "\(number % 7 + 1)", "+tag\(number)"]
            case 3: ["list", "--limit", "1000"]
            default: ["search", "clip", "--limit", "1000"]
            }
        }
        let runs = try run(calls, on: clips)
        var saved = before
        for (words, run) in zip(calls, runs) {
            #expect(run.status == 0, "\(words): \(run.errors)")
            switch words[0] {
            case "list", "search":
                let shown = run.output.split(separator: "\n").count { !$0.hasPrefix(" ") }
                #expect(shown >= before.count, "\(words)")
            case "tag": continue
            default: saved.formUnion(run.ids)
            }
        }
        #expect(saved.count == before.count + Self.processes / 5 * 2)
        // No tag was overwritten by another process.
        let tags = try clips.run("list", "--json").output
        for number in stride(from: 2, to: Self.processes, by: 5) {
            #expect(tags.contains("\"tag\(number)\""))
        }
        #expect(await Oracle(clips: clips).complaints(saved: saved) == [])
    }
}

/// The result of a process.
private struct Finished {
    let status: Int32
    let output: String
    let errors: String

    /// The printed IDs.
    var ids: [Int64] { output.split(separator: "\n").compactMap { Int64($0) } }
}
