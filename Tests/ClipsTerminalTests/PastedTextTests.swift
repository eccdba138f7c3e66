import ClipsCore
import Terminal
import Testing

@testable import ClipsTerminal

/// A text that is pasted where a few words are expected.
@Suite struct PastedTextTests {
    private let text = (0..<13_000).map { "line \($0) of a log file" }.joined(separator: "\n")

    @Test func `a URL without a host returns to its prompt, and other texts are saved`() throws {
        var state = AppState.showing(3)
        let effects = try state.press("ahttp://<Enter>")
        #expect(effects.allSatisfy { if case .work = $0 { false } else { true } }, "\(effects)")
        #expect(state.prompt?.editor.text == "http://" && state.message?.isError == true)
        let saved = try state.press("<C-u>http:// is the beginning<Enter>")
        #expect(saved.contains { if case .work(.add) = $0 { true } else { false } }, "\(saved)")
    }

    @Test(arguments: ["/", "<Enter>/", "?/", "H/"])
    func `a search takes the beginning of a pasted text`(keys: String) throws {
        var state = AppState.showing(30)
        try state.press(keys)
        _ = state.handle(.key(.paste(text)), at: noon)
        #expect(state.prompt?.editor.characters.count == ClipQuery.maxFilterLength)
        #expect(state.message?.text == "The text was cut off after 1,000 characters.")
        #expect(state.lines.count == 24)
        // A terminal without marks of a paste sends thousands of these.
        let generation = state.list.feed.generation
        #expect(state.handle(.key(.character("x")), at: noon).isEmpty)
        #expect(state.list.feed.generation == generation)
        #expect(state.prompt?.editor.characters.count == ClipQuery.maxFilterLength)
        try state.press("<C-u>clip 2")
        #expect(state.prompt?.editor.text == "clip 2" && state.message == nil)
    }

    @Test func `a query is as long as a typed one`() throws {
        let typed = ClipQuery(filter: String(text.prefix(ClipQuery.maxFilterLength)))
        #expect(ClipQuery(filter: text).hasSameFilter(as: typed))
        var state = AppState.showing(3)
        state.filter(byArgument: text)
        #expect(state.list.query.hasSameFilter(as: typed))
    }
}
