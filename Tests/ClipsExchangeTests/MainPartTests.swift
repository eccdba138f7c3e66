import ClipsExchange
import Testing

/// The parts of a page that belong to its content although they are beside the article, or not shown at first.
@Suite struct MainPartTests {
    private static let words =
        "<p>" + String(repeating: "Some words of the article, long enough. ", count: 14)
    private static let lead = """
        <header><h1>T</h1><p>A lead with some more words than a label, and
        <a href='https://x.example/1'>a link</a>.</p></header>
        """

    private func text(_ body: String, at address: String = "https://a.example/") throws -> String {
        let page = "<!DOCTYPE html><html><head><title>t</title></head><body>\(body)</body></html>"
        return try #require(WebPage(Array(page.utf8), address: address)).text
    }

    @Test(arguments: [
        """
        <section class="references"><h2>References</h2><ol><li><a href="https://x.example/1">r</a></li>
        <li><a href="https://x.example/2">s</a></li></ol></section>
        """,
        "<section><h2>More</h2>\(words)<a href='https://x.example/1'>r</a></section>",
        "<div><table><tr><th>a<th>b<tr><td>c<td><a href='https://x.example/1'>d</a></table></div>",
    ])
    func `a section beside the article in the main element is content`(section: String) throws {
        let found = try text(
            "<main><article><h1>H</h1>\(Self.words)</article>\(section)</main><footer>F</footer>")
        #expect(found.contains("[1]: https://x.example/1"), "\(found)")
        #expect(!found.contains("\nF"))
        let headed = try text("<main>\(Self.lead)<article>\(Self.words)</article>\(section)</main>")
        #expect(headed.contains("A lead with") && headed.contains("Some words of"), "\(headed)")
    }

    @Test func `a lead above the article in the main element is content`() throws {
        let found = try text("<main>\(Self.lead)<article>\(Self.words)</article></main>")
        #expect(
            found.hasPrefix("# T\n\nA lead with some more words than a label, and [a link][1]."), "\(found)")
    }

    @Test func `teasers, comments, and navigation beside the article are no content`() throws {
        let card = "<div><h3><a href=/1>Other</a></h3><p>Some words about another article there.</p></div>"
        let others = """
            <nav><a href=/n>Nav</a></nav><section><h2>Related</h2>\(card)\(card)\(card)</section>
            <div class=comments>\(Self.words)Remark</div><aside><p>Words of an aside that are many enough.</p></aside>
            <div><a href=/p>Previous</a> <a href=/q>Next</a></div>
            """
        let article = "<article><h1>H</h1>\(Self.words)</article>"
        let alone = try text("<main>\(article)\(others)</main>")
        #expect(!alone.contains("Other") && !alone.contains("Previous"), "\(alone)")
        let section = "<section><h2>Sources</h2><p>A section with enough words of its own.</p></section>"
        let found = try text("<main>\(article)\(section)\(others)</main>")
        #expect(found.hasSuffix("## Sources\n\nA section with enough words of its own."), "\(found)")
    }

    @Test(arguments: ["hidden", "aria-hidden=true style='display: none'"])
    func `tabs that are not selected are content`(hidden: String) throws {
        let tabs = """
            <div role=tabpanel><pre><code>npm i foo</code></pre></div>
            <div role=tabpanel \(hidden)><pre><code>yarn add foo</code></pre><a href=/yarn>yarn</a></div>
            """
        let dialog = "<div class=modal \(hidden)>\(Self.words)modal</div><p \(hidden)>secret</p>"
        let found = try text("<article><h1>H</h1>\(Self.words)\(tabs)\(dialog)</article>")
        #expect(found.contains("yarn add foo") && found.contains("[yarn][1]"), "\(found)")
        #expect(!found.contains("modal") && !found.contains("secret"), "\(found)")
    }

    @Test func `a list of definitions next to the paragraphs is no menu`() throws {
        let items = (1...5).map { "<dd>1.\($0). <a href=/q\($0)>Question \($0) of this</a></dd>" }.joined()
        let list = "<dl><dt>1. <a href=/part>Part</a></dt>\(items)</dl>"
        let answers = "<table><tr><td>a<td>\(Self.words)<tr><td>b<td>\(Self.words)</table>"
        let found = try text("<div>\(list)<br>\(answers)</div>")
        #expect(found.contains("[Part][1]") && found.contains("[Question 5 of this][6]"), "\(found)")
    }

    @Test func `a page of a file keeps its links to files`() throws {
        let body = "<article>\(Self.words)<a href=b.html>b</a> <a href=https://c.example/>c</a></article>"
        let found = try text(body, at: "file:///usr/share/doc/a.html")
        #expect(found.hasSuffix("[1]: file:///usr/share/doc/b.html\n[2]: https://c.example/"), "\(found)")
        let remote = try text("<article>\(Self.words)<a href=file:///b.html>b</a></article>")
        #expect(!remote.contains("file:"), "\(remote)")
    }
}
