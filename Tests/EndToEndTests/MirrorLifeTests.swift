import Foundation
import Glibc
import TestSupport
import Testing

/// Machines that come, go, and return.
@Suite(.enabled(if: NATSServer.isInstalled, Comment(rawValue: NATSServer.missing)))
struct MirrorLifeTests {
    let machines: MirroredMachines
    private var a: ClipsProgram { machines.a }
    private var b: ClipsProgram { machines.b }

    init() throws { machines = try MirroredMachines() }

    private func count(_ machine: ClipsProgram) throws -> String {
        try machine.sqlite3("SELECT count(*) FROM Clip;")
    }

    private func lines(_ range: ClosedRange<Int>) -> String {
        range.map { "{\"title\":\"clip \($0)\",\"url\":\"https://\($0).example\"}\n" }.joined()
    }

    @Test func `a third machine gets all clips when it joins`() throws {
        let count = LongProof.count(600, of: 2000, "clips that a third machine gets")
        try a.run("add", "--jsonl", input: lines(1...count))
        try machines.pair()
        let c = try ClipsProgram()
        let paired = try c.run(
            "mirror", "pair", machines.server.url, "--yes", input: try machines.code(of: a))
        #expect(
            paired.status == 0
                && paired.errors.contains("Clips and quotes on the server only: \(count), here only: 0"))
        #expect(try machines.contents(c) == machines.contents(a))
    }

    @Test func `machines know each other's versions`() throws {
        try machines.pair()
        try machines.exchange(a)
        for machine in [a, b] {
            let lines = try machine.run("mirror", "machines", "--json").output.split(separator: "\n")
            #expect(lines.count == 2 && lines.allSatisfy { $0.contains("clips ") }, "\(lines)")
            #expect(lines.count { $0.contains(#""this":true"#) } == 1)
        }
        #expect(try a.run("mirror", "machines").output.contains("(this machine)"))
    }

    @Test func `the same page saved on two machines remains two clips until dedupe merges them`() throws {
        try machines.pair()
        try a.run("add", "--title", "page", "--tag", "a", "--url", "https://one.example/x")
        try b.run("add", "--title", "page", "--tag", "b", "--url", "https://one.example/x?utm_source=y")
        try machines.exchange(a, b, a)
        #expect(try count(a) == "2" && machines.contents(a) == machines.contents(b))
        // Both machines merge them without the other.
        for machine in [a, b] { #expect(try machine.run("dedupe", "--yes").status == 0) }
        try machines.exchange(a, b, a)
        #expect(try count(a) == "1" && machines.contents(a) == machines.contents(b))
        let tags = try a.sqlite3("SELECT tags FROM Clip;").split(separator: ",")
        #expect(Set(tags) == ["a", "b"])
        #expect(try a.run("mirror", "conflicts").errors.contains("there are no conflicts"))
    }

    @Test func `a machine whose mirror was removed joins again, with the edits of both sides`() throws {
        try a.run("add", "--jsonl", input: lines(1...4))
        try machines.pair()
        #expect(try b.run("mirror", "remove").errors.contains("repeat the command with --yes"))
        #expect(try b.run("mirror", "remove", "--yes").status == 0)
        #expect(try b.run("mirror", "status").errors.contains("has no mirror"))
        #expect(try count(b) == "4")
        _ = try a.sqlite3("UPDATE Clip SET note = 'a' WHERE id = 1; DELETE FROM Clip WHERE id = 2;")
        try machines.exchange(a)
        _ = try b.sqlite3("UPDATE Clip SET tags = 'b' WHERE title = 'clip 3';")
        try b.run("add", "--title", "new of b", "--url", "https://b.example")
        let paired = try b.run(
            "mirror", "pair", machines.server.url, "--yes", input: try machines.code(of: a))
        #expect(paired.status == 0, "\(paired)")
        try machines.exchange(a)
        #expect(try machines.contents(a) == machines.contents(b))
        let titles = try a.sqlite3("SELECT title || note || tags FROM Clip ORDER BY title;")
        #expect(titles.split(separator: "\n") == ["clip 1a", "clip 3b", "clip 4", "new of b"])
    }

    @Test func `a restored backup of a machine loses no edit that another machine has`() throws {
        try a.run("add", "--jsonl", input: lines(1...3))
        try machines.pair()
        let backup = b.folder.path(of: "backup.db")
        #expect(try b.run("backup", backup).status == 0)
        try b.run("add", "--title", "after the backup", "--url", "https://b.example")
        _ = try b.sqlite3("UPDATE Clip SET note = 'b' WHERE title = 'clip 1'; DELETE FROM Clip WHERE id = 2;")
        try machines.exchange(b, a)
        let before = try machines.contents(a)
        #expect(try b.run("backup", "restore", backup).status == 0)
        try b.run("add", "--title", "after the restore", "--url", "https://c.example")
        try machines.exchange(b, a)
        #expect(try machines.contents(a) == machines.contents(b))
        #expect(
            try machines.contents(a).split(separator: "\n").count == before.split(separator: "\n").count + 1)
        let restored = try machines.contents(b)
        #expect(before.split(separator: "\n").allSatisfy { restored.contains($0) })
    }

    @Test func `many deletions wait for a confirmation, also that of a running mirror`() async throws {
        try a.run("add", "--jsonl", input: lines(1...300))
        try machines.pair()
        _ = try a.sqlite3("DELETE FROM Clip WHERE id <= 200;")
        try machines.exchange(a)
        let asked = try b.run("mirror", "once")
        #expect(
            asked.status == 1 && asked.errors.contains("Other machines deleted 200 clips and quotes. Delete"))
        #expect(try count(b) == "300")
        let process = try b.start(["mirror", "run"])
        defer { process.terminate() }
        #expect(
            try await soon {
                try b.run("mirror", "status").output.contains("deletions  200 by other machines")
            })
        // All else is exchanged.
        try a.run("add", "--title", "another")
        try machines.exchange(a)
        #expect(try await soon { try count(b) == "301" })
        try b.run("delete", "301")
        #expect(
            try await soon {
                try machines.exchange(a)
                return try count(a) == "100"
            })
        #expect(try count(b) == "300")
        let confirmed = try b.run("mirror", "once", "--yes")
        #expect(confirmed.status == 0 && confirmed.errors.contains("the running mirror continues"))
        #expect(try await soon { try count(b) == "100" })
        // The answer was for those deletions only.
        #expect(try await soon { try b.run("mirror", "status").output.contains("connected") })
        process.terminate()
        process.waitUntilExit()
        _ = try a.sqlite3("DELETE FROM Clip WHERE id <= 290;")
        try machines.exchange(a)
        #expect(
            try b.run("mirror", "once").errors.contains("Other machines deleted 90 clips and quotes. Delete"))
        #expect(try count(b) == "100")
        #expect(try b.run("mirror", "keep").status == 0)
        try machines.exchange(a)
        #expect(try count(a) == "100" && count(b) == "100")
        #expect(try machines.contents(a) == machines.contents(b))
    }
}
