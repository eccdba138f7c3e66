import ClipsExchange
import Testing

/// The parts of the content of a page that are neither paragraphs nor navigation.
struct PageContentTests {
    private static let words = "Words, in a sentence of a paragraph that is long enough to be read. "
    private static let prose = String(repeating: "<p>\(words)\(words)\(words)</p>", count: 8)

    private func page(_ body: String) throws -> String {
        let page = "<!DOCTYPE html><html><title>t</title><body>\(body)</html>"
        return try #require(WebPage(Array(page.utf8), address: "https://a.example/")).text
    }

    /// Returns the text of a part without the addresses of its links.
    private func text(_ part: String) throws -> String {
        let text = try page("<article><p>p</p>\(part)</article>")
        let parts = text.split(separator: "\n\n[1]: ").map(String.init)
        return parts[0].hasPrefix("p\n\n") ? String(parts[0].dropFirst(3)) : parts[0]
    }

    @Test(arguments: [
        "font", "b", "span", "div", "section", "blockquote", "ul><li", "table><tr><td", "a name=x",
    ])
    func `elements without an end, or in a deep nest, do not end the page`(element: String) throws {
        let count = 450 / element.split(separator: ">").count
        let items = (1...count).map { "<\(element)>item \($0) <a href=/\($0)>link \($0)</a>" }
        let names = element.split(separator: ">").map { $0.drop { $0 == "<" }.prefix { $0.isLetter } }
        let ends = names.reversed().map { "</\($0)>" }.joined()
        for end in ["", String(repeating: ends, count: count)] {
            let text = try page("<h1>U</h1>\(items.joined())\(end)<p>END <a href=/end>end</a></p>")
            for number in 1...count { #expect(text.contains("link \(number)"), "\(element) \(number)") }
            #expect(text.contains("END [end][\(count + 1)]") && text.contains("[\(count + 1)]: "))
        }
    }

    @Test func `a menu is a list of the content, as ul is`() throws {
        let list = "<li><a href=/1>One</a></li><li>Two words</li>"
        let texts = try ["ul", "menu"].map { try page("<h1>N</h1><p>Text</p><\($0)>\(list)</\($0)>") }
        #expect(texts[0].contains("- [One][1]\n- Two words") && texts[0] == texts[1])
    }

    @Test(
        arguments: [
            ("<div>Download: <a href=/dl.zip>dl.zip</a></div>", "Download: [dl.zip][1]"),
            ("<div>See also: <a href=/1>The other article</a></div>", "See also: [The other article][1]"),
            ("<div class=center><a href=/1>See the full picture</a></div>", "[See the full picture][1]"),
            ("<div class=gallery><a href=/1><img src=s.png alt=A></a></div>", "[(image: A)][1] [2]"),
            ("<div class='box photo-gallery'><p>A caption</p></div>", "A caption"),
            ("<section><p>P</p></section><ul><li><a href=/1>One</a></ul>", "P\n\n- [One][1]"),
            (
                "<blockquote><p>Said</p><footer>— <a href=/1>Who</a></footer></blockquote>",
                "> Said\n>\n> — [Who][1]"
            ),
            ("<aside><p>An aside to <a href=/1>it</a></p></aside>", "An aside to [it][1]"),
            ("<footer class=post-footer>Filed in <a href=/1>Tools</a></footer>", "Filed in [Tools][1]"),
            (
                "<section><header><h2>H</h2><a href=/1>Source</a></header><p>P</p></section>",
                "## H\n\n[Source][1]\n\nP"
            ),
            (
                "<div class='admonition note'><p>See <a href=/1>the manual</a></p></div>",
                "See [the manual][1]"
            ),
            ("<menu><li><a href=/1>One</a><li>Two</menu>", "- [One][1]\n- Two"),
            ("<map name=m><area href=/1 alt=North><area href=/2 alt=South></map>", "[North][1] [South][2]"),
            (
                "<svg><a href=/1><text>Node</text></a><a xlink:href=/2><text>B</text></a></svg>",
                "[Node][1]\n[B][2]"
            ),
            ("<table><tr><td><a href=/1>One</a><td><a href=/2>Two</a></table>", "[One][1] | [Two][2]"),
        ])
    func `short parts, asides, and links in the content are retained`(part: String, shown: String) throws {
        let whole = try page("<article>\(Self.prose)\(part)<p>The end of it.</p></article>")
        #expect(whole.contains("read.\n\n\(shown)\n\nThe end of it.\n\n[1]: ") || !shown.contains("[1]"))
        #expect(whole.contains("\n\n\(shown)\n\n"), "\(whole.suffix(200))")
        #expect(try text(part) == shown)
    }

    @Test func `an aside of links next to the articles of a page is omitted`() throws {
        let aside = "<aside><p>Our <a href=/1>long list of other stories</a></p></aside>"
        let text = try page("<main>\(Self.prose)\(aside)<footer>By <a href=/2>A. Writer</a></footer></main>")
        #expect(!text.contains("stories") && text.contains("By [A. Writer][1]"), "\(text.suffix(200))")
        #expect(try !page("\(Self.prose)\(aside)<footer>Imprint</footer>").contains("Imprint"))
    }

    @Test(
        arguments: [
            (
                """
                a <span class=mwe-math-element><span style="display: none"><math alttext="{\\displaystyle E=mc^2}">
                <mi>E</mi></math></span><img class=mwe-math-fallback-image-inline aria-hidden=true src=/e.svg
                alt="{\\displaystyle E=mc^2}"></span>, b
                """, "a E=mc^2, b"
            ),
            ("a <img class=mwe-math aria-hidden=true alt='{\\displaystyle x}'> b", "a x b"),
            (
                "a <math><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></math> b",
                "a E=mc^2 b"
            ),
            (
                "<math><mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><msqrt><mi>b</mi></msqrt></mfrac></math>",
                "(a+1)/(√b)"
            ),
            (
                """
                a <span class=katex><span class=katex-mathml><math><semantics><mrow><mi>x</mi></mrow>
                <annotation encoding="application/x-tex">x_1</annotation></semantics></math></span>
                <span class=katex-html aria-hidden=true><span>x</span></span></span> b
                """, "a x_1 b"
            ),
            (
                """
                a <mjx-container><mjx-math aria-hidden=true><mjx-mi>x</mjx-mi></mjx-math><mjx-assistive-mml>
                <math><mi>x</mi></math></mjx-assistive-mml></mjx-container> b
                """, "a x b"
            ),
            ("a <math display=block alttext='x=1'></math> b", "a\nx=1\nb"),
        ])
    func `a formula is once in the text, in its line`(body: String, shown: String) throws {
        let found = try text("<p>\(body)</p>")
        #expect(found == shown, "\(found)")
    }

    @Test(
        arguments: [
            ("one<br><br>two<br>three<br> <br>\n<br>four", "one\n\ntwo\nthree\n\nfour"),
            ("a <g-emoji>:)</g-emoji>, <my-el>b</my-el> <relative-time>now</relative-time>.", "a :), b now."),
            ("</p><pre>a<br><br>b</pre>", "```\na\n\nb\n```"),
            (
                "</p><table><tr><th>a<th>b<tr><td><br><br>c<td>d<br><br>e</table>",
                "a | b\n--- | ---\nc | d e"
            ),
            ("<q>a <q>b</q></q> c", "“a ‘b’” c"),
            (
                "</p><ul><li><input type=checkbox checked> a<li><label><input type=checkbox>b</label><li>c</ul>",
                "- [x] a\n- [ ] b\n- c"
            ),
            (
                "</p><dl><dt>a<dd>one<dd><p>two<p>three</p><dt>b<dd># c</dl><dl><dd>d</dl>",
                "a\n: one\n: two\n\n  three\n\nb\n: \\# c\n\nd"
            ),
            ("a</p><hr><hr><h2>b</h2><hr><ul><li>c<hr></ul><hr>", "a\n\n---\n\n## b\n\n---\n\n- c"),
        ])
    func `breaks, tasks, terms, rules, and quotes are those of the page`(body: String, shown: String) throws {
        let found = try text("<p>\(body)</p>")
        #expect(found == shown, "\(found)")
    }

    @Test(arguments: [
        "aria-controls=x", "aria-controls=x aria-expanded=false", "data-bs-target=#x", "data-target=#x",
    ])
    func `a closed section below a button in a heading remains`(control: String) throws {
        let heading = "<h3><button \(control)>Question</button></h3>"
        for state in ["hidden", "style='display: none'", "aria-hidden=true", "class=collapse"] {
            let part = try text("\(heading)<div id=x \(state)><p>Answer</p></div>")
            #expect(part == "### Question\n\nAnswer", "\(state)")
        }
        #expect(try text("\(heading)<div id=y hidden><p>Answer</p></div><p>q</p>") == "### Question\n\nq")
        #expect(try text("<h3><button>Question</button></h3><div id=x hidden>a</div><p>q</p>") == "q")
    }
}
