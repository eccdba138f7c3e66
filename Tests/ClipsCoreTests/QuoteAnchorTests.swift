import ClipsCore
import TestSupport
import Testing

/// Quotes in texts that have changed since.
@Suite struct QuoteAnchorTests {
    @Test func `the surroundings choose among equal passages`() {
        let text = "First: the same words. Second: the same words. Third: the same words."
        let quote = Quote("the same words", prefix: "Second: ", suffix: ". Third")
        let range = quote.range(in: text)
        #expect(range.map { text[..<$0.lowerBound].hasSuffix("Second: ") } == true)
    }

    @Test func `white space, case, and punctuation do not matter`() {
        let text = "Menu\n\n“The  quick\nbrown FOX” jumps."
        let range = Quote("the quick brown fox").range(in: text)
        #expect(range.map { String(text[$0]) } == "The  quick\nbrown FOX")
    }

    @Test(arguments: [
        "See [the manual](https://a.example/m1) and **use** it, then [read][2] on.",
        "See [the manual][1] and use it, then [read](https://b.example/x) on.\n\n[1]: https://a.example/",
    ])
    func `a quote is found in a text with the addresses of links`(text: String) {
        let quote = Quote("the manual and use it, then read on.", prefix: "See ")
        let found = quote.range(in: text).map { String(text[$0]) } ?? ""
        #expect(found.hasPrefix("the manual](https") || found.hasPrefix("the manual][1]"))
        #expect(found.hasSuffix(" on."), "\(found)")
        // A quote saved with a number.
        let old = Quote("the manual [1] and use").range(in: text)
        #expect(old.map { text[$0].hasPrefix("the manual]") && text[$0].hasSuffix("use") } == true)
    }

    @Test func `a passage with corrected words is found, and another text is not`() {
        let words =
            "The committee decided on Tuesday that the bridge will be closed for repairs until spring."
        let text =
            "News. The committee decided on Wednesday that the old bridge will be closed for repairs until May. End."
        let range = Quote(words).range(in: text)
        #expect(range.map { text[$0].hasPrefix("The committee") } == true, "\(range.map { text[$0] } ?? "")")
        #expect(
            Quote(words).range(in: "Another text about a committee and a bridge, and about Tuesday.") == nil)
        #expect(Quote("???").range(in: text) == nil && Quote("words").range(in: "") == nil)
    }

    @Test func `a passage has the signs at its ends, as far as the text has them`() {
        let text = "He said: “Rust is here.” (Really!) And more"
        func found(_ words: String) -> String? { Quote(words).range(in: text).map { String(text[$0]) } }
        for words in ["“Rust is here.”", "(Really!)", "said:", "here.” (Really!)", "And more"] {
            #expect(found(words) == words)
        }
        #expect(found("is here!") == "is here")
    }

    @Test(arguments: [
        ("Call `f(*args, **kwargs)` or `a[1]` now", "f(*args, **kwargs)` or `a[1]"),
        (#"see \[d\]\[1\] there"#, "[d][1] there"), ("use `[a](b)`, then", "[a](b)`, then"),
    ])
    func `a quote with the signs of marks is found`(text: String, words: String) {
        #expect(Quote(words).range(in: text) != nil)
    }

    @Test func `a passage has the backslash before its first sign`() {
        let text = #"a \*star\* b"#
        #expect(Quote("*star*").range(in: text).map { String(text[$0]) } == #"\*star\*"#)
    }

    /// Pages of repeated words, in which paragraphs are added, deleted, and moved, and some words change.
    @Test func `99 of 100 quotes are found in pages with changed boilerplate`() {
        var random = SeededRandom(seed: 31)
        let words = (0..<400).map { number in "w\(String(number * 7919 % 997, radix: 36))" }
        func paragraph() -> [String] {
            (0..<Int.random(in: 8...90, using: &random)).map { _ in words.randomElement(using: &random) ?? ""
            }
        }
        var (found, count) = (0, 0)
        for _ in 0..<LongProof.count(20, of: 50, "articles with quotes") {
            let article = (0..<12).map { _ in paragraph() }
            func page() -> String {
                let around = (0..<6).map { _ in paragraph().joined(separator: " ") }
                let content = article.map { $0.joined(separator: Bool.random(using: &random) ? " " : "\n") }
                return (around.prefix(3) + content + around.suffix(3)).joined(separator: "\n\n")
            }
            let before = page()
            for _ in 0..<10 {
                let source = article.randomElement(using: &random) ?? []
                let start = Int.random(in: 0..<source.count - 6, using: &random)
                let length = Int.random(in: 4...min(40, source.count - start), using: &random)
                let passage = source[start..<start + length].joined(separator: " ")
                guard let range = Quote(passage).range(in: before) else { continue }
                let quote = Quote(
                    String(before[range]), prefix: String(before[..<range.lowerBound].suffix(100)),
                    suffix: String(before[range.upperBound...].prefix(100)))
                var after = page()
                // An editor changes a word of the passage, unless it is short.
                if length > 12, let word = source[start..<start + length].randomElement(using: &random) {
                    let changed = passage.replacing(" \(word) ", with: " changed ", maxReplacements: 1)
                    after = after.replacing("\n", with: " ").replacing(passage, with: changed)
                }
                count += 1
                let first = source[start]
                if let range = quote.range(in: after),
                    after[range].split(whereSeparator: \.isWhitespace).first.map(String.init) == first
                {
                    found += 1
                }
            }
        }
        #expect(found * 100 >= count * 99, "\(found) of \(count)")
    }
}
