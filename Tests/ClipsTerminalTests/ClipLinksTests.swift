import ClipsCore
import PersistentStore
import Testing

@testable import ClipsTerminal

/// The addresses to which the numbers of a text lead.
@Suite struct ClipLinksTests {
    @Test(arguments: [
        (
            "参见https://a.ex/x，后面。（https://a.ex/p）和「https://a.ex/k」、https://a.ex/中文。",
            ["https://a.ex/x", "https://a.ex/p", "https://a.ex/k", "https://a.ex/中文"]
        ),
        (
            "“https://a.ex/1” ‘https://a.ex/2’, «https://a.ex/3», https://a.ex/4…",
            ["https://a.ex/1", "https://a.ex/2", "https://a.ex/3", "https://a.ex/4"]
        ),
        ("https://a.ex/1**bold** https://a.ex/2?q[]=1", ["https://a.ex/1", "https://a.ex/2?q[]=1"]),
        ("https://a.ex/1[link](https://a.ex/2)", ["https://a.ex/1", "https://a.ex/2"]),
        ("[l](https://a.ex/3)https://a.ex/4 end.", ["https://a.ex/3", "https://a.ex/4"]),
        ("`code`https://a.ex/1`more`", ["https://a.ex/1"]),
        ("[https://a.ex/lo…](https://a.ex/long) https://a.ex/2", ["https://a.ex/long", "https://a.ex/2"]),
        ("[https://a.ex/, see https://b.ex/](https://a.ex/)", ["https://b.ex/", "https://a.ex/"]),
        ("[https://a.ex/lo](https://a.ex/long)", ["https://a.ex/long"]),
        (
            #"[a](https://a.ex/x\)y) [b](https://a.ex/x\_y?a&amp;b)"#,
            ["https://a.ex/x)y", "https://a.ex/x_y?a&b"]
        ),
    ])
    func `a number leads to the address that is meant`(text: String, urls: [String]) {
        var links = ClipLinks()
        let shown = links.numbered(text)
        #expect(links.urls == urls, "\(shown)")
        #expect(links.numberRanges.count == urls.count, "\(shown)")
    }

    @Test(arguments: ["2", "f2"])
    func `keys for a link wait for the text of the clip`(keys: String) throws {
        var state = AppState.showing(3)
        let layout = StoredObject.Layout(names: ["title", "url", "text"])
        let clip = Clip(
            StoredObject(
                id: ClipModel.objectID(2), version: 1, layout: layout,
                values: [.text("T"), .text(""), .text("https://a.example and https://b.example")]))
        #expect(try !state.press("<Enter>\(keys)").contains { if case .open = $0 { true } else { false } })
        #expect(state.message == nil)
        let effects = state.answer(.loadClip(2), clip)
        guard case .open(urls: ["https://b.example"], clips: [2])? = effects.last else {
            Issue.record("not opened: \(effects)")
            return
        }
    }

    @Test func `a clip that was deleted before it was read has its title`() throws {
        var state = AppState.showing(3)
        try state.press("p<Enter>")
        state.answer(.loadClip(2), Clip?.none as Any)
        #expect(state.lines.contains { $0.contains("“Clip 2” was deleted.") }, "\(state.lines)")
    }

    @Test func `no key waits for a clip that could not be read`() throws {
        var state = AppState.showing(3)
        try state.press("<Enter>2")
        #expect(!state.typing.ahead.isEmpty)
        _ = state.handle(.failure("No."), at: noon)
        #expect(state.typing.ahead.isEmpty && state.typing.count == 2)
    }

    @Test func `the mark of a note has no number, next to links, too`() {
        var text = #"""
            a[^1][b][1][^2] \[^1](c) https://a.ex/2[^a] [d [^1]][1]

            [^1] The note.

            [1]: https://a.ex/1
            """#
        var links = ClipLinks(takingListOf: &text)
        let shown = ShownText(links.numbered(text), width: 80).text
        #expect(
            shown
                == "a[^1]b [1][^2] [^1](c) https://a.ex/2 [2][^a] d [^1] [1]\n\n[^1] The note."
                && links.urls == ["https://a.ex/1", "https://a.ex/2"], "\(shown)")
    }

    @Test(arguments: [
        (#"Open [\[t1q][1], close"#, #"Open \[t1q [1], close"#), (#"[a \[\[b][1]"#, #"a \[\[b [1]"#),
        (#"[a\] \[b][1] \[c]"#, #"a\] \[b [1] \[c]"#), (#"[x \[9] y][1]"#, #"x \[9] y [1]"#),
        (#"See \[9][1]"#, #"See \[9][1]"#), (#"Look\![a][1]"#, #"Look\!a [1]"#),
    ])
    func `the words of a link are those of a page, also with brackets`(text: String, shown: String) {
        var text = text + "\n\n[1]: https://a.ex/1"
        var links = ClipLinks(takingListOf: &text)
        #expect(links.numbered(text) == shown && links.urls == ["https://a.ex/1"])
    }

    @Test(arguments: [
        ("[https://a.ex/1](https://a.ex/1)", true), ("[**https://a.ex/1**](https://a.ex/1)", true),
        ("[`https://a.ex/1`](https://a.ex/1)", true), ("[see https://a.ex/1 here](https://a.ex/1)", true),
        ("[https://a.ex](https://a.ex/)", true), ("[https://a.ex/ü](https://a.ex/%C3%BC)", true),
        ("[https://a.ex/1][x]\n\n[x]: https://a.ex/1", true), ("[https://a.ex/…](https://a.ex/1)", false),
        ("[https://a.ex](https://a.ex/1)", false), ("[a.ex](https://a.ex/1)", false),
    ])
    func `a link whose words are its address is not listed below the text`(text: String, isShown: Bool) {
        var text = text
        var links = ClipLinks(takingListOf: &text)
        let shown = links.numbered(text)
        #expect(links.urls.count == 1 && links.shown == (isShown ? Set(links.urls) : []), "\(shown)")
    }
}
