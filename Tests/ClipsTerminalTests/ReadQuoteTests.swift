import ClipsCore
import PersistentStore
import Terminal
import TestSupport
import Testing

@testable import ClipsTerminal

/// Quotes of selected lines of an open clip.
@Suite(.serialized) struct ReadQuoteTests {
    /// Returns the quote of lines of the text, from the first one on the screen.
    private static func quote(_ text: String, lines: Int = 1, after: Int = 0) throws -> Quote {
        var state = AppState.showing(3)
        let layout = StoredObject.Layout(names: ["title", "url", "text"])
        state.reader.hasFocus = true
        state.reader.show(
            Clip(
                StoredObject(
                    id: ClipModel.objectID(2), version: 1, layout: layout,
                    values: [.text("T"), .text("https://page.example/"), .text(text)]))
        )
        state.reconcile()
        let first = try #require(state.reader.lines.firstIndex { $0.part == .text }) + after
        state.reader.toggleRange()
        if after > 0 {
            state.reader.toggleRange()
            state.reader.moveTo(index: first)
            state.reconcile()
            state.reader.toggleRange()
        }
        if lines > 1 { state.reader.moveTo(index: state.reader.index + lines - 1) }
        let quote = state.reader.quoteOfRange()
        return try #require(quote)
    }

    @Test(arguments: [
        ("Call `f(*args, **kwargs)`, 5 * 6 * 7", "Call f(*args, **kwargs), 5 * 6 * 7"),
        ("`int *p, *q`, `[a](b)`, 2*3*4", "int *p, *q, [a](b), 2*3*4"),
        ("`*star*` and *look* **on**", "*star* and look on"),
        ("`a[1]`, b[i][2] ~~c~~", "a[1], b[i][2] ~~c~~"),
        ("see https://a.example/?x=*y* here", "see https://a.example/?x=*y* here"),
        (##"\# Not a *heading*"##, "# Not a heading"), (#"1\. not a list"#, "1. not a list"),
        (#"2\*3\*4, \&lt; and \[d\]\[1\]"#, "2*3*4, &lt; and [d][1]"), ("## A *b* ##", "A b"),
        ("A [link](https://a.example/b)s, [x](https://a.example/c) y", "A link s, x y"),
        ("see [the manual][1] and [1].\n\n[1]: https://a.example/", "see the manual and."),
    ])
    func `a quote has the text as it is read`(_ text: String, _ shown: String) throws {
        #expect(try Self.quote(text).text == shown)
    }

    @Test func `a quote of code, quotes, and tables has their lines`() throws {
        let code = "```swift\nlet a = b // *c*\n\n  d[1]\n```\n"
        #expect(try Self.quote("x\n\n\(code)y", lines: 6).text == "x\n\nlet a = b // *c*\n\n  d[1]\ny")
        let table = "A | B\n--- | ---\n**1** | four words, wrapped twice, and then once more\n2 | `c\\|d`"
        #expect(
            try Self.quote(table, lines: 9).text
                == "A | B\n1 | four words, wrapped twice, and then once more\n2 | c|d")
        #expect(try Self.quote("> ```\n> a *b*\n> ```", lines: 2).text == "> a *b*")
    }

    @Test func `the lines of the screen have the surroundings of the passage that was selected`() throws {
        // A text that is longer than the screen scrolls.
        let text = (1...40).map { "The same words.\nEnd \($0)." }.joined(separator: "\n")
        let quote = try Self.quote(text, after: 2)
        #expect(quote.text == "The same words." && quote.prefix == "The same words.\nEnd 1.\n")
        #expect(quote.suffix.hasPrefix("\nEnd 2.\nThe same words.\nEnd 3."))
        let range = try #require(quote.range(in: text))
        #expect(text[..<range.lowerBound].hasSuffix("End 1.\n"))
        let wrapped = "A long paragraph of words, which\nwere wrapped "
        #expect(try Self.quote(wrapped + "*here*", lines: 2).text == wrapped + "here")
    }

    @Test(arguments: [#"1\. not a *list* item"#, #"\*star\* x"#, "**bold** words", ##"\# no heading"##])
    func `a marked quote leaves the text as it is read`(text: String) throws {
        let words = try Self.quote(text).text
        let range = try #require(Quote(words).range(in: text))
        let marked =
            text[..<range.lowerBound] + String(Clip.quoteStart) + text[range] + String(Clip.quoteEnd)
            + text[range.upperBound...]
        let shown = ShownText(String(marked), width: 80).text
        #expect(shown.filter { $0 != Clip.quoteStart && $0 != Clip.quoteEnd } == words)
    }
}
