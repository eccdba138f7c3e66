import Foundation
import TestSupport
import Testing

/// A package outside this repository, with only the libraries' public interface.
@Suite struct ClientPackageTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    /// Built as its developer would, in a separate folder, so that the second build is fast.
    private static let ledger = Result<String, any Error> {
        let paths = [
            "--package-path", root + "/Tests/ClientPackage", "--scratch-path", root + "/.build/client",
        ]
        let build = try Shell.run("swift", ["build"] + paths)
        guard build.status == 0 else { throw ShellError(description: build.output + build.errors) }
        let folder = try Shell.run("swift", ["build", "--show-bin-path"] + paths).output
        return folder.split(separator: "\n").last.map { $0 + "/Ledger" } ?? ""
    }

    @Test func `a program with its own entity follows other processes' commits`() throws {
        let (ledger, folder) = (try Self.ledger.get(), try TemporaryFolder())
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
}
