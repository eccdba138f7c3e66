import Foundation
import TestSupport
import Testing

/// What the commands that save clips say about pages that were already saved.
@Suite struct ExistingPageTests {
    let clips: ClipsProgram

    init() throws {
        clips = try ClipsProgram()
        try clips.run("add", "https://a.b", "--title", "A")
        try clips.run("add", "https://c.d", "--title", "C")
    }

    private func run(_ command: String, _ input: String) throws -> Shell {
        let words = command.split(separator: " ").map(String.init)
        return try Shell.run(ClipsProgram.path, words, input: input, environment: clips.environment)
    }

    private static let one = #"{"url": "http://www.a.b/#x", "note": "n"}"# + "\n"
    private static let two = one + #"{"url": "https://c.d", "note": "n"}"# + "\n"
    private static let new = #"{"url": "https://new.example"}"# + "\n"

    @Test(arguments: [
        ("add --jsonl", "both clips are retained", "2 of them of an existing page"),
        ("add --jsonl --duplicates skip", "its clip is unchanged", "2 already existed"),
        ("add --jsonl --duplicates replace", "its clip is replaced", "2 replaced"),
        ("extension --jsonl", "the clips are merged", "2 merged"),
        ("extension --jsonl --duplicates keep", "both clips are retained", "2 of them of an existing page"),
    ])
    func `lines of one saved page name its clip, and of several their number`(
        command: String, result: String, count: String
    ) throws {
        let one = try run(command, Self.new + Self.one)
        #expect(one.errors.contains("One page is already saved as clip 1 “A”; \(result)."), "\(one.errors)")
        #expect(!one.errors.contains(" 1 of them") && !one.errors.contains(", 1 already"), "\(one.errors)")
        let two = try run(command, Self.two.replacing("\"n\"", with: "\"m\""))
        #expect(two.errors.contains(", \(count)"), "\(two.errors)")
        // A clip that was changed is not counted as a saved one.
        let isSaved = result == "both clips are retained"
        #expect(two.errors.contains("Saved \(isSaved ? 2 : 0) clips, \(count)."), "\(two.errors)")
        #expect(!two.errors.contains("is already saved"), "\(two.errors)")
        let none = try run(command, #"{"url": "https://other.example"}"#)
        #expect(none.errors == "clips: Saved 1 clip.\n")
        // Also one that adds nothing, as a single page does.
        let again = try run(command, Self.new).errors
        #expect(again.contains("Saved \(isSaved ? 1 : 0)"), "\(again)")
    }

    @Test func `the clip that is named is the one whose ID is printed`() throws {
        try clips.run("add", "https://a.b/#x", "--title", "B")
        let skipped = try run("add https://a.b/#x --title B --duplicates skip", "")
        #expect(skipped.output == "3\n" && skipped.errors.contains("clip 3 “B”"), "\(skipped.errors)")
    }

    @Test func `an import of one saved page names its clip`() throws {
        let one = try run("import --duplicates merge -", Self.new + Self.one).errors
        #expect(one.contains("One page is already saved as clip 1 “A”; the clips are merged."), "\(one)")
        let other = try run("import -", Self.one.replacing("\"n\"", with: "\"other\"")).errors
        #expect(
            other.contains("One page is already saved as clip 1 “A”; both clips are retained."), "\(other)")
        let many = try run("import --duplicates merge -", Self.two)
        #expect(!many.errors.contains("is already saved as"), "\(many.errors)")
    }
}
