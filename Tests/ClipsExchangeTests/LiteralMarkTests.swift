import ClipsExchange
import TestSupport
import Testing

/// The characters of a page that Markdown would interpret.
struct LiteralMarkTests {
    private func text(_ body: String) throws -> String {
        let page = "<!DOCTYPE html><html><title>t</title><body>\(body)</html>"
        return try #require(WebPage(Array(page.utf8), address: "https://a.example/")).text
    }

    @Test(
        arguments: [
            (
                "*not bold* and _not_ this_one_too, **b**",
                #"\*not bold\* and \_not\_ this_one_too, \*\*b\*\*"#
            ),
            ("~~not struck~~, ~a~, ~5 to ~/x", #"\~\~not struck\~\~, ~a~, ~5 to ~/x"#),
            ("a lone * star* of 2 * 3 and one_, snake_case", "a lone * star* of 2 * 3 and one_, snake_case"),
            ("<b>bold</b> and *c", #"**bold** and \*c"#), ("*args</p><p>x*", "*args\n\nx*"),
            (
                "# no<br>1. no<br>- no<br>2019) x<br>&gt; q<br>#tag<br>1.5",
                "\\# no\n1\\. no\n\\- no\n2019\\) x\n\\> q\n#tag\n1.5"
            ),
            ("---<br>===<br>```<br>~~~", "\\---\n\\===\n\\```\n\\~~~"),
            ("[not](link), [x], and [y]", #"\[not](link), [x], and [y]"#),
            ("in [0, 1) write [a](b), [c](d) ]", #"in [0, 1) write \[a\](b), \[c\](d) ]"#),
            ("[a]: https://b.example", #"\[a]: https://b.example"#),
            (
                "See [1][2], <a href=/a>[1] [PDF] it</a>",
                "See \\[1][2], [\\[1\\] [PDF] it][1]\n\n[1]: https://a.example/a"
            ),
            ("Look!<a href=/a>a</a>", "Look\\![a][1]\n\n[1]: https://a.example/a"),
            ("<a href=/a>a]b</a> [1]", "[a\\]b][1] \\[1]\n\n[1]: https://a.example/a"),
            ("<code>*a* [b](c) `</code> and `x`", #"`` *a* [b](c) ` `` and \`x\`"#),
            (#"C:\*x, \name, and \\server"#, #"C:\\*x, \name, and \\\server"#),
            ("https://b.example/_a_/*c*?d=[e](f) (*g*)", #"https://b.example/_a_/*c*?d=[e](f) (\*g\*)"#),
            ("&amp;lt; and AT&amp;T; &amp; &amp;#60;", #"\&lt; and AT\&T; & \&#60;"#),
            ("<pre>a\n```\nb</pre>", "````\na\n```\nb\n````"),
            ("<b><pre>a\nb</pre></b><p>c</p>", "```\na\nb\n```\n\nc"),
            ("<pre>*a*\n# b\n[1]</pre>", "```\n*a*\n# b\n[1]\n```"),
            ("<pre class='x language-c++'>a\nb</pre>", "```c++\na\nb\n```"),
            ("<pre>\n<code class=lang-swift>a\nb</code></pre>", "```swift\na\nb\n```"),
            ("<pre class='language-`a language-'>a</pre>", "```\na\n```"),
        ])
    func `characters of a page remain literal`(body: String, shown: String) throws {
        #expect(try text("<p>\(body)</p>") == shown)
    }

    @Test(
        arguments: [
            ("quantum<i>tunnel</i>, na<b>ï</b>ve, <b>H</b>ello", "quantumtunnel, na**ï**ve, **H**ello"),
            ("<b>H</b><i>el</i>lo <b><i>a</i></b>b <b><i>c</i></b>", "**H**ello ***a***b ***c***"),
            (
                "un<b>*x*</b> <b>a</b>, (<i>b</i>)<i>.</i> <code>a`b</code>",
                "un\\*x\\* **a**, (*b*). `` a`b ``"
            ),
            ("<s>a b</s> <del>c</del>, <strike>d</strike>. x<s>y</s>", "~~a b~~ ~~c~~, ~~d~~. x~~y~~"),
            ("x<sup>2</sup>, 2<sup>n+1</sup>, n<sup>x</sup>y, 1<sup>st</sup>", "x^2, 2^(n+1), n^xy, 1st"),
            ("H<sub>2</sub>O, x<sub>i</sub>, x<sub>i, j</sub>", "H2O, x_i, x_(i, j)"),
            ("a<sup><a href=/a>1</a></sup> b<sup> </sup>", "a[1][1] b\n\n[1]: https://a.example/a"),
            (
                "war.<sup><a href='#n1'>[1]</a></sup><b>x</b> y<sup>[23]</sup> z<sup><a href=/a>[2]</a></sup> [1]",
                "war.[^1]**x** y[^23] z[[2]][1] \\[1]\n\n[1]: https://a.example/a"
            ),
            ("<i>Nature.</i>2020, <em>Ho!</em>she", "*Nature*.2020, *Ho*!she"),
            ("<i>f(x)</i>dx <b>a:</b> b", "f(x)dx **a:** b"),
            ("<code>a <b>b</b>*</code> <code>*c* <b>d</b></code>", "`a b*` `*c* d`"),
            (
                "<code><a href=/a>T</a>*</code> <code>V<a href=/a>T</a></code>",
                "[T][1]* `V`[T][1]\n\n[1]: https://a.example/a"
            ),
            (
                "</p><pre>a <a href=/a>b</a> [1]</pre>",
                "```\na b [1]\n```\n\n[b][1]\n\n[1]: https://a.example/a"
            ),
            ("这是<b>重要</b>的, <i>日</i>本, a<b>b c</b>d", "这是**重要**的, *日*本, ab cd"),
            ("<a href=/a><b>bold <i>nested</i></b></a>", "[**bold nested**][1]\n\n[1]: https://a.example/a"),
            ("co\u{AD}op\u{200B}erate <b>two<br>lines</b>", "cooperate **two**\n**lines**"),
        ])
    func `words are found in spite of marks`(body: String, shown: String) throws {
        let found = try text("<p>\(body)</p>")
        #expect(found == shown, "\(found)")
    }

    @Test(
        arguments: [
            ("<a href=/a><div>Block <h3>head</h3><p>words</p></div></a>", "[Block][1]\n\n### head\n\nwords"),
            ("<a href=/a><h3>Head</h3><p>Words</p></a>", "### [Head][1]\n\nWords"),
            ("<a href=/a><div><p><b>one<p>two</b></div></a>", "[**one**][1]\n\ntwo"),
            ("<ul><li><a href=/a><p>one<p>two</a></ul>", "- [one][1]\n\n  two"),
        ])
    func `a link around blocks has the words of its first line`(body: String, shown: String) throws {
        let page = try text("<article><p>A paragraph.</p>\(body)</article>")
        #expect(page == "A paragraph.\n\n\(shown)\n\n[1]: https://a.example/a", "\(page)")
    }

    @Test(
        arguments: [
            (
                "<ul><li><p>a<p>b<pre>c\nd</pre><li>e<blockquote>f<p>g</blockquote></ul>",
                "- a\n\n  b\n\n  ```\n  c\n  d\n  ```\n- e\n\n  > f\n  >\n  > g"
            ),
            ("<ol start=9><li>a<ul><li>b</ul><li value=20>c<li>d</ol>e", "9. a\n   - b\n20. c\n21. d\n\ne"),
            ("<blockquote><ul><li>a<li><pre>b</pre></ul></blockquote>", "> - a\n> - ```\n>   b\n>   ```"),
            (
                "<table><caption>t</caption><tr><th>a<th>b|c<tr><td><p>d<p>e<td><tr><td><td><ul><li>f</ul></table>",
                "t\n\na | b\\|c\n--- | ---\nd e\n| | f"
            ),
            ("<table><tr><th colspan=3>a<tr><td>b<td><td>c</table>", "a | | |\n--- | --- | ---\nb | | c"),
        ])
    func `items and tables are those of Markdown`(body: String, shown: String) throws {
        let found = try text(body)
        #expect(found == shown, "\(found)")
    }

    @Test func `an item and a heading with literal marks remain one`() throws {
        #expect(try text("<ul><li># a<li>1. b</ul><h2># c *d*</h2>") == "- \\# a\n- 1\\. b\n\n## # c \\*d\\*")
    }

    @Test func `code in a quote ends in the quote`() throws {
        #expect(
            try text("<blockquote><p>a</p><pre>b</pre></blockquote><p>c</p>")
                == "> a\n>\n> ```\n> b\n> ```\n\nc")
    }

    @Test func `without the backslashes, the text is that of the page`() throws {
        let seed: UInt64 = .random(in: 0...1_000_000)
        var random = SeededRandom(seed: seed)
        let pieces = [
            "a", "word", "é", "1", ".", ")", " ", " ", "*", "**", "_", "[", "]", "(", "`", "```", "#", "-",
            "=",
            "~", "~~", "\\", "&", "amp;", ":", "!", "http://x.org/",
        ]
        for _ in 0..<2000 {
            let words = (0..<12).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
                .split(separator: " ").joined(separator: " ")
            guard !words.isEmpty else { continue }
            let text = try text("<p>\(words.replacing("&", with: "&amp;"))</p>")
            #expect(text.replacing(/\\([!-\/:-@\[-`{-~])/) { $0.1 } == words, "seed \(seed): \(text)")
        }
    }
}
