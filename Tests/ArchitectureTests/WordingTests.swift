import Foundation
import TestSupport
import Testing

/// The words that comments, messages, and names must not contain.
///
/// `banned-words.txt` works with grep too: `grep -nriEf Tests/ArchitectureTests/banned-words.txt Sources`.
@Suite struct WordingTests {
    @Test func `no file contains a banned word`() throws {
        let lines = try Self.grep(try Self.paths())
        #expect(lines.isEmpty, "\(lines.joined(separator: "\n"))")
    }

    @Test func `a line with a banned word is found, in any case`() throws {
        let folder = try TemporaryFolder()
        let lines = [
            "plain text", "the page an" + "ew", "NO" + "BODY's", "the no" + "bodyish", "(els" + "e the path)",
        ]
        try lines.joined(separator: "\n").write(
            toFile: folder.path(of: "a"), atomically: false, encoding: .utf8)
        let found = try Self.grep([folder.path(of: "a"), "/dev/null"]).map { $0.split(separator: ":")[1] }
        #expect(found == ["2", "3", "5"])
    }

    /// Returns the matching lines, each after its path and number.
    private static func grep(_ paths: [String]) throws -> [String] {
        let list = SourceFile.root + "/Tests/ArchitectureTests/banned-words.txt"
        let run = try Shell.run(
            "env", ["-C", SourceFile.root, "grep", "-naiEf", list, "--"] + paths,
            environment: ["LC_ALL": "C.UTF-8"])
        try #require(run.status <= 1, "\(run.errors)")
        return run.output.split(separator: "\n").map(String.init)
    }

    /// The files with prose, relative to the package's folder.
    private static func paths() throws -> [String] {
        var paths = try FileManager.default.contentsOfDirectory(atPath: SourceFile.root)
        for folder in ["Sources", "Tests", ".github", ".ci"] {
            let names = FileManager.default.enumerator(atPath: SourceFile.root + "/" + folder)?.allObjects
            paths += try #require(names as? [String]).map { folder + "/" + $0 }
        }
        return paths.sorted().filter { path in
            path.hasPrefix(".ci/") || ["swift", "md", "c", "h", "yml"].contains { path.hasSuffix("." + $0) }
        }
    }
}
