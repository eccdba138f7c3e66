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

    /// Returns the printed lines of a command in the first article.
    private static func printed(_ command: String) throws -> [String] {
        let parts = try article().components(separatedBy: "```\n$ swift run \(command)\n")
        let block = try #require(parts.dropFirst().first?.components(separatedBy: "```").first)
        return block.split(separator: "\n").map(String.init)
    }

    private static func article() throws -> String {
        try String(
            contentsOfFile: root + "/Sources/PersistentStore/PersistentStore.docc/GettingStarted.md",
            encoding: .utf8)
    }

    @Test(isBuilt) func `the programs of the first article print its lines, in either order`() throws {
        let (programs, folder) = (try #require(Self.programs), try TemporaryFolder())
        let inFolder = ["-C", folder.path(of: ""), "stdbuf", "-oL"]
        func start(_ words: String...) throws -> LineProcess {
            try LineProcess("env", inFolder + [programs + words[0]] + words.dropFirst())
        }
        let submitted = try Self.printed("submit print bind")
        let first = try start("submit", "print", "bind")
        #expect(try first.answer() == submitted[0])
        let worker = try start("worker")
        for line in try Self.printed("worker") { #expect(try worker.answer() == line) }
        #expect(try first.answer() == submitted[1])
        #expect(first.waitsForEnd() == 0)
        let second = try start("submit", "print", "bind")
        #expect(try [second.answer(), second.answer()] == submitted)
        #expect(second.waitsForEnd() == 0)
        for line in try Self.printed("worker") { #expect(try worker.answer() == line) }
        // An external writer; the worker may hold the write lock.
        let insert = "INSERT INTO Job (title, isDone) VALUES ('sew', 0)"
        let shell = ["-cmd", ".timeout 5000", folder.path(of: "jobs.db"), insert]
        #expect(try Shell.run("sqlite3", shell).status == 0)
        #expect(try worker.answer() == "finished sew")
    }

    @Test(isBuilt) func `several workers finish each job once`() async throws {
        let (programs, folder) = (try #require(Self.programs), try TemporaryFolder())
        let titles = (1...20).map { "job\($0)" }
        let outputs = (0..<3).map { folder.path(of: "worker\($0)") }
        var workers: [LineProcess] = []
        for output in outputs {
            let command = "cd '\(folder.path(of: ""))' && exec stdbuf -oL '\(programs)worker' >'\(output)'"
            workers.append(try LineProcess("sh", ["-c", command]))
        }
        let submit = try Shell.run("env", ["-C", folder.path(of: ""), programs + "submit"] + titles)
        #expect(submit.output == "submitted 20 jobs\nall jobs are finished\n")
        func lines() throws -> [String] {
            try outputs.flatMap {
                try String(contentsOfFile: $0, encoding: .utf8).split(separator: "\n").map(String.init)
            }
        }
        // A worker prints after its commit.
        #expect(try await soon { try lines().count >= titles.count })
        #expect(try lines().sorted() == titles.map { "finished \($0)" }.sorted())
        withExtendedLifetime(workers) {}
    }

    @Test func `the first article contains these programs, in under 40 lines of code`() throws {
        let article = try Self.article()
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

    @Test func `README, manifest, and the first article agree on the package and the Swift version`() throws {
        let readme = try String(contentsOfFile: Self.root + "/README.md", encoding: .utf8)
        let article = try Self.article()
        #expect(article.contains(#".package(name: "Clips", path: "../clips")"#))
        let arguments = try String(
            contentsOfFile: Self.root + "/Sources/Platform/Arguments.swift", encoding: .utf8)
        let release = try #require(arguments.firstMatch(of: /clipsVersion = "([0-9.]+)"/)).1
        #expect(readme.contains(#".package(url: "…/clips.git", from: "\#(release)")"#))
        let manifest = try String(contentsOfFile: Self.root + "/Package.swift", encoding: .utf8)
        let tools = try #require(manifest.split(separator: "\n").first)
        #expect(article.contains(tools))
        let version = try String(contentsOfFile: Self.root + "/.swift-version", encoding: .utf8)
        let minor = version.split(separator: ".").prefix(2).joined(separator: ".")
        #expect(readme.contains("Swift \(minor)") && article.contains("Swift \(minor)"))
    }
}
