import Foundation
import TestSupport
import Testing

/// Killed and interrupted programs.
@Suite(.serialized) struct InterruptionTests {
    let clips: ClipsProgram

    init() throws { clips = try ClipsProgram() }

    @Test func `an extension killed while it writes leaves whole transactions and blocks no process`()
        async throws
    {
        let input = clips.folder.path(of: "input")
        let lines = (0..<8000).map { "{\"url\":\"https://example.org/\($0)\",\"title\":\"title \($0)\"}\n" }
            .joined()
        try lines.write(toFile: input, atomically: true, encoding: .utf8)
        var random = SystemRandomNumberGenerator()
        var killedInTheMiddle = 0
        for round in 0..<LongProof.count(2, of: 8, "killed extensions") {
            let before = try count()
            let output = clips.folder.path(of: "ids")
            _ = FileManager.default.createFile(atPath: output, contents: nil)
            let writer = try clips.start(
                ["extension", "--jsonl"], input: FileHandle(forReadingAtPath: input),
                output: FileHandle(forWritingAtPath: output))
            let wanted = Int.random(in: 1...(LongProof.isWhole ? 4 : 2), using: &random) * 1000
            #expect(try await soon { try count() >= before + wanted || !writer.isRunning })
            kill(writer.processIdentifier, SIGKILL)
            writer.waitUntilExit()
            let saved = try count() - before
            if saved < 8000 { killedInTheMiddle += 1 }
            #expect(saved % 1000 == 0, "round \(round): \(saved)")
            // Every clip that was reported saved exists.
            let reported = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").count
            #expect(reported <= saved)
            #expect(try clips.sqlite3("PRAGMA integrity_check") == "ok")
            #expect(try clips.run("add", "--title", "after \(round)").status == 0)
            _ = try clips.sqlite3("DELETE FROM Clip WHERE title LIKE 'title %'")
        }
        #expect(killedInTheMiddle > 0)
        let history = try clips.run("history", "--json").output
        let inserts = history.split(separator: "\n").reduce(0) {
            $0 + $1.split(separator: "\"kind\":\"insert\"", omittingEmptySubsequences: false).count - 1
        }
        let deletes = history.split(separator: "\n").reduce(0) {
            $0 + $1.split(separator: "\"kind\":\"delete\"", omittingEmptySubsequences: false).count - 1
        }
        #expect(inserts - deletes == (try count()))
    }

    @Test func `a locked store is reported with the process that holds the lock, and a clip is retained`()
        throws
    {
        try clips.run("add", "--title", "a")
        // An external writer holds the write lock for longer than any process waits.
        let holder = try LineProcess("sqlite3", [clips.storePath])
        #expect(try holder.ask("BEGIN IMMEDIATE; SELECT 'held';") == "held")
        // Both wait at the same time.
        let errors = clips.folder.path(of: "errors")
        let star = try Shell.spawn(
            [ClipsProgram.path, "star", "1"], environment: clips.environment, input: "/dev/null",
            output: "/dev/null", errors: errors)
        let run = try clips.run("add", "--title", "b", input: "a text that was hard to come by")
        let message =
            "clips: The store \(clips.storePath) was locked for N ms by sqlite3 "
            + "(process \(holder.identifier)). Nothing was saved; try again.\n"
        func withoutTime(_ text: String) -> String { text.replacing(/for \d+ ms/, with: "for N ms") }
        #expect(Shell.wait(for: star) == 1)
        #expect(try withoutTime(String(contentsOfFile: errors, encoding: .utf8)) == message)
        #expect(run.status == 1 && withoutTime(run.errors).hasPrefix(message), "\(run.errors)")
        #expect(try clips.run("list").status == 0)
        #expect(try holder.ask("COMMIT; SELECT 'released';") == "released")
        // The text is retained in a file, and can be saved from it.
        let path = try #require(
            run.errors.firstRange(of: /retained in [^;]+/).map { String(run.errors[$0].dropFirst(12)) })
        #expect(
            try clips.run("add", "--jsonl", input: String(contentsOfFile: path, encoding: .utf8)).status == 0)
        #expect(
            try clips.sqlite3("SELECT text FROM Clip WHERE title = 'b'") == "a text that was hard to come by")
    }

    private func count() throws -> Int { Int(try clips.sqlite3("SELECT count(*) FROM Clip")) ?? 0 }
}
