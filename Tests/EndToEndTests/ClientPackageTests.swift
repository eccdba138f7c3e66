import Foundation
import TestSupport
import Testing

/// A package outside this repository, with only the libraries' public interface. `.ci/run` builds it, and names the folder
/// of its programs in `CLIPS_CLIENT`.
@Suite struct ClientPackageTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    private static let programs = ProcessInfo.processInfo.environment["CLIPS_CLIENT"].map { $0 + "/" }
    private static let isBuilt = ConditionTrait.enabled(
        if: programs != nil, "CLIPS_CLIENT is not set. Run .ci/run, which builds Tests/ClientPackage.")

    @Test(isBuilt) func `a program with its own entity follows other processes' commits`() throws {
        let (ledger, folder) = (try #require(Self.programs) + "Ledger", try TemporaryFolder())
        let store = folder.path(of: "ledger.db")
        func run(_ words: String...) throws -> String {
            try Shell.run(ledger, [store] + words).output.trimmingCharacters(in: .newlines)
        }
        #expect(try run("add", "3", "4") == "booked 2")
        let follower = try LineProcess(ledger, [store, "follow"])
        // Log lines appear on standard error, sums on standard output.
        #expect(try follower.answer() == "everything: 7")
        #expect(try run("add", "10") == "booked 1")
        #expect(try follower.answer() == "clerk: 17")
        #expect(try run("correct", "1", "5") == "corrected")
        #expect(try follower.answer() == "auditor: 19")
        // The follower's cursor may hold the write lock, for which the shell does not wait by default.
        let update = ["-cmd", ".timeout 5000", store, "UPDATE Booking SET amount = 1 WHERE id = 2"]
        #expect(try Shell.run("sqlite3", update).status == 0)
        #expect(try follower.answer() == "unknown: 16")
        #expect(try run("strike", "3") == "struck")
        #expect(try Set([follower.answer(), follower.answer()]) == ["auditor: 6", "struck by auditor: 10"])
        #expect(try run("sum") == "6")
        #expect(try run("history").split(separator: "\n").count == 5)
        #expect(try run("unstrike", "3") == "restored")
        #expect(try follower.answer() == "auditor: 16")
        #expect(try run("tidy", folder.path(of: "backup.db")) == "0 problems, 6 transactions to purge")
        #expect(
            try Shell.run(ledger, [folder.path(of: "backup.db"), "sum"]).output == run("sum") + "\n")
    }

    @Test(isBuilt) func `the programs of the first article finish each other's jobs, in either order`() throws
    {
        let (programs, folder) = (try #require(Self.programs), try TemporaryFolder())
        let inFolder = ["-C", folder.path(of: ""), "stdbuf", "-oL"]
        func start(_ words: String...) throws -> LineProcess {
            try LineProcess("env", inFolder + [programs + words[0]] + words.dropFirst())
        }
        let first = try start("submit", "print", "bind")
        #expect(try first.answer() == "2 open")
        let worker = try start("worker")
        #expect(try [worker.answer(), worker.answer()] == ["finished print", "finished bind"])
        #expect(try first.answer() == "0 open")
        #expect(first.waitsForEnd() == 0)
        let second = try start("submit", "fold")
        #expect(try worker.answer() == "finished fold")
        while try second.answer() != "0 open" {}
        #expect(second.waitsForEnd() == 0)
        // An external writer; the worker may hold the write lock.
        let insert = "INSERT INTO Job (title, isDone) VALUES ('sew', 0)"
        let shell = ["-cmd", ".timeout 5000", folder.path(of: "jobs.db"), insert]
        #expect(try Shell.run("sqlite3", shell).status == 0)
        #expect(try worker.answer() == "finished sew")
    }

    @Test func `the first article contains these programs, in under 40 lines of code`() throws {
        let article = try String(
            contentsOfFile: Self.root + "/Sources/PersistentStore/PersistentStore.docc/GettingStarted.md",
            encoding: .utf8)
        var lines = 0
        for file in ["Jobs/Job.swift", "submit/main.swift", "worker/main.swift"] {
            let path = "Sources/" + file
            let text = try String(
                contentsOfFile: Self.root + "/Tests/ClientPackage/" + path, encoding: .utf8)
            #expect(article.contains("```swift\n// \(path)\n\(text)```"), "\(path)")
            lines += text.split(separator: "\n").count
        }
        #expect(lines < 40)
    }
}
