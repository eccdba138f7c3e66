import ClipsCore
import Testing

@Suite struct ClipTitleTests {
    @Test(arguments: [
        "", "  ", "\u{A0}", "\u{3000}", "\u{200B}\u{200B}", "\u{AD}", "\u{2060} \u{3164}", "\u{FEFF}",
    ])
    func `a clip without a visible title has the name of its URL`(title: String) {
        var draft = ClipDraft()
        (draft.title, draft.url) = (title, "https://a.example/")
        #expect(draft.displayTitle == "https://a.example/")
        draft.title += "a"
        #expect(draft.displayTitle == draft.title)
    }
}
