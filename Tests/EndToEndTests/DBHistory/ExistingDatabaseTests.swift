import Foundation
import TestSupport
import Testing

/// The article "An existing database": its two programs are those that are compiled and run.
@Suite struct ExistingDatabaseTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path
    private static let client = root + "/Tests/ClientPackage/"
    private static let programs = ProcessInfo.processInfo.environment["CLIPS_CLIENT"].map { $0 + "/" }
    private static let isBuilt = ConditionTrait.enabled(
        if: programs != nil, "CLIPS_CLIENT is not set. Run .ci/run, which builds Tests/ClientPackage.")

    private static func article() throws -> String {
        try String(
            contentsOfFile: root + "/Sources/PersistentStore/PersistentStore.docc/AnExistingDatabase.md",
            encoding: .utf8)
    }

    @Test func `the article contains both programs, with about 20 lines each`() throws {
        let article = try Self.article()
        for (path, block) in [
            ("Sources/audit/main.swift", "```swift\n// Sources/audit/main.swift\n"),
            ("orders.py", "```python\n# orders.py\n"),
        ] {
            let text = try String(contentsOfFile: Self.client + path, encoding: .utf8)
            #expect(article.contains(block + text + "```"), "\(path)")
            #expect(text.split(separator: "\n").count <= 20, "\(path)")
        }
    }

    private func orders(_ folder: TemporaryFolder, _ words: String...) throws -> String {
        let shell = try Shell.run(
            "env", ["-C", folder.path(of: ""), "python3", Self.client + "orders.py"] + words)
        try #require(shell.status == 0, "\(shell.errors)")
        return shell.output
    }

    @Test func `the program in Python works with a recorded table`() throws {
        let folder = try TemporaryFolder()
        #expect(try orders(folder, "ada", "3") == "1 orders\n")
        let database = folder.path(of: "shop.db")
        let tracked = try Shell.run(
            DBHistoryProgram.path, ["track", database, "orders", "--wal", "--values", "rows"])
        #expect(tracked.status == 0, "\(tracked.errors)")
        #expect(try orders(folder, "ada", "4.5", "eve", "1") == "2 orders\n")
        let log = try Shell.run(DBHistoryProgram.path, ["log", database]).output.split(separator: "\n")
        #expect(
            log.count == 2 && log[0].contains("update orders id=1 (total)")
                && log[1].contains("customer='eve'"))
    }

    @Test(isBuilt) func `the programs print the lines of the article`() throws {
        let (programs, folder) = (try #require(Self.programs), try TemporaryFolder())
        _ = try orders(folder, "ada", "3")
        let audit = try LineProcess("env", ["-C", folder.path(of: ""), "stdbuf", "-oL", programs + "audit"])
        #expect(try audit.answer() == "watching")
        _ = try orders(folder, "ada", "4.5", "eve", "1")
        #expect(try [audit.answer(), audit.answer()] == ["update ada 7.5", "insert eve 1.0"])
        #expect(try Self.article().contains("watching\nupdate ada 7.5\ninsert eve 1.0\n"))
    }
}
