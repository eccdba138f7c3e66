import ClipsCore
import ClipsExchange
import PersistentStore
import TestSupport
import Testing

struct EditedMarkdownTests {
    private static let text =
        "First <line>.\n\n[Link][1] and more\n[f](<https://f.example/a b>) <https://g.example/> <i>\n```\n[a][1] \\<b>\n```\nend\n\n[1]: https://a.example/"
    private static let note = "my *note*\n\n  second"

    /// Returns the export of a clip with a note, a text, and a quote.
    private static func exported() async throws -> String {
        let folder = try TemporaryFolder()
        let store = try await ClipStore(path: folder.path(of: "clips.db"), author: "app")
        var draft = ClipDraft()
        (draft.url, draft.title, draft.note) = ("https://one.example/", "One", note)
        (draft.text, draft.tags) = (text, ["t"])
        _ = try await store.add([draft])
        var file = ""
        _ = try await ClipExport(format: .markdown).write(of: store) { file += $0 }
        return file
    }

    private static func read(_ file: String) throws -> Reading { try Reading(file, name: "a.md") }

    @Test func `an edited text or note is read, and the other lines remain as they are`() async throws {
        let file = try await Self.exported()
        #expect(file.contains("[f](<https://f.example/a b>) <https://g.example/> \\<i>\n"), "\(file)")
        #expect(try Self.read(file).drafts.map(\.text) == [Self.text])
        for (old, new, text) in [
            ("First \\<line>.", "Corrected \\<line>.", Self.text.replacing("First", with: "Corrected")),
            ("and more", "or less", Self.text.replacing("and more", with: "or less")),
            ("  > end\n", "  > end\n  > of it\n", Self.text.replacing("end\n", with: "end\nof it\n")),
            ("  > end\n", "", Self.text.replacing("end\n", with: "")),
            ("[a][1] \\<b>", "[b][1] \\<c>", Self.text.replacing("[a][1] \\<b>", with: "[b][1] \\<c>")),
            ("https://a.example/\n", "https://b.example/\n", Self.text.replacing("a.ex", with: "b.ex")),
        ] {
            let edited = file.replacing(old, with: new)
            #expect(edited != file, "\(old)\n\(file)")
            let reading = try Self.read(edited)
            #expect(reading.drafts.map(\.text) == [text] && reading.problems == [], "\(old)")
            #expect(reading.drafts.map(\.note) == [Self.note] && reading.drafts[0].tags == ["t"])
        }
        let reading = try Self.read(file.replacing("my \\*note\\*", with: "your \\*note\\*"))
        #expect(reading.drafts.map(\.note) == ["your *note*\n\n  second"] && reading.problems == [])
        #expect(reading.drafts.map(\.text) == [Self.text])
    }

    @Test func `a clip without its comment has its visible note and text`() async throws {
        let file = try await Self.exported().replacing(#/ <!-- clips .* -->/#, with: "")
        let reading = try Self.read(file)
        #expect(reading.drafts.map(\.url) == ["https://one.example/"] && reading.drafts[0].title == "One")
        #expect(reading.drafts.map(\.text) == [Self.text] && reading.problems == [])
        #expect(reading.drafts[0].note == "my *note*\n  second")
        let lone = try Self.read(
            "# Clips\n\n- **A \\[b\\]**\n\n  > words [x](https://x.example/)\n\n- [c](<https://c.example/>)\n"
        )
        #expect(lone.drafts.map(\.title) == ["A [b]", "c"])
        #expect(lone.drafts.map(\.url) == ["", "https://c.example/"])
        #expect(lone.drafts.map(\.text) == ["words [x](https://x.example/)", ""])
    }

    @Test func `edits that cannot be read are reported`() async throws {
        let file = try await Self.exported()
        for edited in [
            file.replacing("  > end\n", with: "\n\n  > end\n"),
            file + "  > more\n",
            String(file.prefix(upTo: file.firstRange(of: "  >")?.lowerBound ?? file.endIndex)),
        ] {
            let reading = try Self.read(edited)
            #expect(reading.drafts.map(\.text) == [Self.text])
            #expect(reading.problems.map(\.line) == [3] && reading.problems.map(\.changed) == [1])
        }
    }
}
