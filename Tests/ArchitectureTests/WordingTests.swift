import Foundation
import TestSupport
import Testing

/// The words that comments, messages, and names must not contain, counted as lines per folder.
///
/// `banned-words.txt` works with grep too: `grep -nriEf Tests/ArchitectureTests/banned-words.txt Sources`.
@Suite struct WordingTests {
    /// The folders that do not comply yet, with their numbers of matching lines. A number may only decrease;
    /// every other folder must have none.
    static let maximums: [String: Int] = [
        "Sources/ClipsTerminal": 208,
        "Tests/ClipsTerminalTests": 86,
    ]

    @Test func `no folder exceeds its maximum of banned words`() throws {
        let paths = try Self.paths()
        let matches = Dictionary(grouping: try Self.grep(paths)) {
            Self.folder(of: String($0.prefix { $0 != ":" }))
        }
        for folder in Set(paths.map(Self.folder(of:))).union(Self.maximums.keys).sorted() {
            let (lines, maximum) = (matches[folder, default: []], Self.maximums[folder, default: 0])
            #expect(
                lines.count <= maximum,
                "\(folder) may have \(maximum) lines with banned words:\n\(lines.joined(separator: "\n"))")
            if lines.count < maximum {
                Issue.record(
                    "Lower the maximum of \(folder) from \(maximum) to \(lines.count).", severity: .warning)
            }
        }
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

    /// Returns a folder of Sources or Tests, or `*.md` for the documents outside of them.
    private static func folder(of path: String) -> String {
        let parts = path.split(separator: "/")
        if parts.count > 2, ["Sources", "Tests"].contains(parts[0]) { return "\(parts[0])/\(parts[1])" }
        return path.hasSuffix(".md") ? "*.md" : String(parts[0])
    }
}
