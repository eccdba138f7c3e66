import Foundation
import TestSupport
import Testing

/// The documents: their size, version, links, and set-up commands.
@Suite struct DocumentTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: SourceFile.root + "/" + path, encoding: .utf8)
    }

    @Test func `the README has at most 9 KB and begins with the two set-up commands`() throws {
        let readme = try Self.text("README.md")
        #expect(readme.utf8.count <= 9_000)
        let blocks = readme.matches(of: /(?m)^```sh\n([\s\S]*?)\n```$/).map { String($0.1) }
        try #require(blocks.count > 2)
        let setUp = "$(command -v sudo) apt-get update && $(command -v sudo) apt-get install -y "
        #expect(
            blocks[0].hasPrefix(setUp)
                && blocks[0].hasSuffix(" && swift run -c release --traits FastStart clips"))
        #expect(blocks[1].hasPrefix(setUp) && blocks[1].hasSuffix(" && bash .ci/test"))
        #expect(blocks.prefix(2).allSatisfy { !$0.contains("\n") })
    }

    @Test func `.ci/packages prints the packages of the README's second command`() throws {
        let run = try Shell.run("bash", [SourceFile.root + "/.ci/packages"])
        let packages = run.output.split { $0.isWhitespace }
        #expect(packages.contains("libsqlite3-dev") && packages.last == "procps", "\(run)")
    }

    @Test func `the changelog has a section for the version`() throws {
        let source = try Self.text("Sources/Platform/Arguments.swift")
        let version = try #require(source.firstMatch(of: /let clipsVersion = "([0-9.]+)"/)?.1)
        let sections = try Self.text("CHANGELOG.md").matches(of: /(?m)^## (.*)$/).map { String($0.1) }
        try #require(sections.count > 1)
        #expect(sections[0] == "[Unreleased]" && sections[1].hasPrefix("[\(version)] - "))
    }

    @Test(arguments: [
        "README.md", "CHANGELOG.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md",
        ".github/BENCHMARKS.md", ".github/MACHINES.md", ".github/MCP.md",
    ])
    func `every link to a file leads to one`(document: String) throws {
        let folder = URL(fileURLWithPath: SourceFile.root + "/" + document).deletingLastPathComponent().path
        for link in try Self.text(document).matches(of: /\]\(([^)#]+)[^)]*\)/).map({ String($0.1) })
        where !link.hasPrefix("https:") {
            #expect(FileManager.default.fileExists(atPath: folder + "/" + link), "\(link)")
        }
    }

    @Test(arguments: [".github/CONTRIBUTING.md", ".github/SECURITY.md"])
    func `every file and suite that is named exists`(document: String) throws {
        let files = try ["Sources", "Tests"].flatMap { try SourceFile.all(in: $0) }
        let text = try Self.text(document)
        for name in Set(text.matches(of: /\b[A-Z][A-Za-z]+Tests\b/).map { String($0.0) }) {
            #expect(
                files.contains { $0.path.contains("/\(name).swift") || $0.path.contains("/\(name)/") }
                    || files.contains { $0.text.contains("struct \(name)") },
                "\(name)")
        }
        for path in Set(
            text.matches(of: /`((?:Sources|Tests|Assets|\.ci)\/[A-Za-z0-9+.\/]+)`/).map { String($0.1) })
        {
            #expect(FileManager.default.fileExists(atPath: SourceFile.root + "/" + path), "\(path)")
        }
    }
}
