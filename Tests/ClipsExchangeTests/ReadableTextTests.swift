import ClipsExchange
import Testing

/// The parts of a page that its text contains or omits.
struct ReadableTextTests {
    private static let words = "Words, in a sentence of a paragraph that is long enough to be read. "
    private static let prose = String(repeating: "<p>\(words)\(words)\(words)</p>", count: 8)

    private func text(_ body: String) throws -> String {
        let page = "<!DOCTYPE html><html><title>t</title><body>\(body)</html>"
        return try #require(WebPage(Array(page.utf8), address: "https://a.example/")).text
    }

    @Test(
        arguments: [
            "<div><h3>Read on</h3><a href=/1>The first other story</a> <a href=/2>The second one</a> today</div>",
            "<div class='more related'><h3>More</h3><ul><li><a href=/1>omitted one</a><li><a href=/2>two</a></ul></div>",
            "<aside class=related><p>See <a href=/1>omitted</a></aside>",
            "<div class='share social'><a href=/1>Share</a></div><footer class=sharing><a href=/2>Mail</a></footer>",
            "<menu class=toolbar><li><a href=/1>omitted one</a></menu><nav><a href=/2>omitted</a></nav>",
            "<ul role=navigation><li><a href=/1>omitted one</a><li><a href=/2>omitted two</a></ul>",
            "<form><p>Get the letter omitted from here.</p><input name=mail></form>",
        ])
    func `teasers, forms, and menus in an article are omitted`(part: String) throws {
        let text = try text("<article>\(Self.prose)\(part)<p>The end of it.</p></article>")
        #expect(text.hasPrefix("Words") && text.hasSuffix("read.\n\nThe end of it."), "\(text.suffix(200))")
    }

    @Test(
        arguments: [
            "<p>Advertisement</p>", "<div class=x1><span>ADVERTISEMENT</span></div>",
            "<div><p> Werbung </p></div>",
        ])
    func `the label of an advertisement is omitted`(part: String) throws {
        let whole = try text("<h2>Advertising</h2>\(Self.prose)\(part)<p>An advertisement is a text.</p>")
        let lines = whole.split(separator: "\n").map(String.init)
        #expect(lines.first == "## Advertising" && lines.last == "An advertisement is a text.", "\(whole)")
        #expect(lines.count == 10, "\(whole)")
        // Links of a start page.
        let links = (0..<20).map { "<li><a href=/\($0)>The title of the story \($0)</a>" }.joined()
        #expect(try !text("<ul>\(links)</ul>\(part)<ul>\(links)</ul>").lowercased().contains("advert"))
    }

    @Test(
        arguments: [
            "<ul><li><a href='#a'>Chapter A</a><li><a href='#b'>Chapter B</a></ul>",
            "<ul><li><a href=/1>A program</a>, which is retained since it has a few words of its own</ul>",
            "<p>Only <a href=/1>a paragraph that is retained, with a long link</a>.</p>",
            "<section id=sharing-with-a-single-developer><p>Text that is retained.</p></section>",
        ])
    func `contents, lists, and sections whose title is like a class are retained`(part: String) throws {
        let text = try text("<article>\(Self.prose)\(part)</article>")
        #expect(
            text.contains("retained") || text.contains("[Chapter A][1]\n- [Chapter B][2]"),
            "\(text.suffix(200))")
    }

    @Test(
        arguments: [
            ("<h2>Articles</h2><ul>\(Self.links)</ul>", "## Articles\n\n- [One][1]\n- [Two][2]"),
            ("<p>See:</p><ul>\(Self.links)</ul>", "See:\n\n- [One][1]\n- [Two][2]"),
            (
                "<section><h2>Software</h2><ul>\(Self.links)</ul></section>",
                "## Software\n\n- [One][1]\n- [Two][2]"
            ),
            (
                "<div><h2>References</h2><div><ol>\(Self.links)</ol></div></div>",
                "## References\n\n1. [One][1]\n2. [Two][2]"
            ),
            ("<dl><dt><a href=/1>One</a><dd><a href=/2>Two</a></dl>", "[One][1]\n: [Two][2]"),
            (
                "<table><tr><th>Name<th>Time<tr><td><a href=/1>One</a><td>1 s<tr><td><a href=/2>Two</a><td>2 s</table>",
                "Name | Time\n--- | ---\n[One][1] | 1 s\n[Two][2] | 2 s"
            ),
        ])
    func `lists and tables of links in an article are retained`(part: String, shown: String) throws {
        let text = try text("<article>\(Self.prose)\(part)<p>The end of it.</p></article>")
        #expect(text.contains("read.\n\n\(shown)\n\nThe end of it."), "\(text.suffix(200))")
    }

    private static let links = "<li><a href=/1>One</a></li><li><a href=/2>Two</a></li>"

    @Test(
        arguments: [
            (
                "<section class=footnotes><p><a href=/1>A note of the text</a></section>",
                "[A note of the text][1]"
            ),
            ("<aside role=doc-endnotes><ol><li>See <a href=/1>a note</a></ol></aside>", "1. See [a note][1]"),
            ("<noscript>JavaScript by <a href=/1>Comments</a></noscript>", "[Comments][1]"),
            ("<noscript>The <a href=/1>words</a></noscript>", "The [words][1]"),
            ("<object data=/1><p>No <a href=/2>plugin</a></object>", "[(object)][1]\n[plugin][2]"),
            ("<video src=/1>Get <a href=/2>the film</a></video>", "[(video)][1]\n[the film][2]"),
            ("<iframe src=https://a.example/1></iframe>", "[(frame)][1]"),
            ("<embed src=/1>", "[(object)][1]"),
            ("<iframe src=/2 height=1></iframe><iframe src=/1></iframe>", "[(frame)][1]"),
        ])
    func `notes, embedded contents, and the links next to them are retained`(
        part: String, shown: String
    ) throws {
        let text = try text("<article>\(Self.prose)\(part)<p>The end of it.</p></article>")
        #expect(text.contains("read.\n\n\(shown)\n"), "\(text.suffix(200))")
        #expect(text.contains("The end of it.\n\n[1]: https://a.example/1"), "\(text.suffix(200))")
    }

    @Test func `a heading whose teasers are omitted is omitted, too`() throws {
        let teasers =
            "<h2>More</h2><div><a href=/1>The first other story</a> <a href=/2>The second one</a></div>"
        let end = "<h2>End</h2><p>The end of it.</p>"
        for (page, shown) in [
            (Self.prose + teasers + end, "read.\n\n## End\n\nThe end of it."),
            (Self.prose + teasers, "read."),
            (Self.prose + teasers + "<p>The end of it.</p>", "read.\n\n## More\n\nThe end of it."),
        ] {
            let text = try text("<article>\(page)</article>")
            #expect(text.hasSuffix(shown), "\(text.suffix(200))")
        }
    }

    @Test func `a list of other pages is omitted, unless it is the content`() throws {
        let list = (0..<30).map {
            "<li><h3><a href=/\($0)>Story \($0)</a></h3><p>\(Self.words)\(Self.words)</p></li>"
        }.joined()
        let page = try text("<div role=main><div>\(Self.prose)</div><div><ul>\(list)</ul></div></div>")
        #expect(page.hasPrefix("Words") && !page.contains("Story"), "\(page.suffix(200))")
        #expect(try text("<div role=main><ul>\(list)</ul></div>").contains("Story 29"))
    }

    @Test func `a short page is saved as a whole, unless most of it is links`() throws {
        let rows = (0..<8).map { "<tr><td>A row of a table<td><a href=/\($0)>and its link</a></tr>" }.joined()
        let page = "<table><tr><td><p>\(Self.words)\(Self.words)</p><td><table>\(rows)</table></table>"
        #expect(try text(page).contains("A row of a table | [and its link]"))
        #expect(try !text(page.replacing("and its", with: Self.words)).contains("A row"))
    }

    @Test func `the declared body of an article comes before the article`() throws {
        let text = try text(
            "<article><p>By an author.</p><div itemprop=articleBody>\(Self.prose)</div><p>After it.</p></article>"
        )
        #expect(text.hasPrefix("Words") && text.hasSuffix("read."), "\(text)")
    }

    @Test func `paragraphs whose text is in inline elements are content`() throws {
        let links = (0..<20).map { "<li><a href=/\($0)>Page number \($0)</a>" }.joined()
        let spans = Self.prose.replacing("<p>", with: "<p><span><b>").replacing(
            "</p>", with: "</b></span></p>")
        let text = try text(
            "<div><ul>\(links)</ul><p>Imprint of the page</p></div><div><div>\(spans)</div></div>")
        #expect(text.hasPrefix("**Words") && !text.contains("Page number"), "\(text.prefix(200))")
    }

    @Test func `a script with tags hides nothing after it, wherever it ends`() throws {
        let tags = String(repeating: "<footer><div class=a>b</div></footer>\n", count: 40)
        let script = "<header><div><script type='text/html'>\(tags)</script></div></header>"
        for length in 6560..<6600 {
            let text = try text("<!--\(String(repeating: "x", count: length))-->\(script)\(Self.prose)")
            #expect(text.hasPrefix("Words"), "\(length): \(text.prefix(100))")
        }
    }

    @Test(
        arguments: [
            "<script>document.write('x')</script><div id=app></div>",
            "<noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div>",
            "<p id=cmsg>Please enable JS and disable any ad blocker</p>",
            "<h1>example.org</h1><p>Verifying you are human. This may take a few seconds.</p><p>Ray ID: 1</p>",
            "<div><h2>Checking your browser before you visit the page</h2><p>Just a moment...</p></div>",
        ])
    func `a page without its text has none`(body: String) throws { #expect(try text(body).isEmpty) }

    @Test func `the text in a hundred thousand elements is that of the page`() throws {
        #expect(try text(String(repeating: "<div>", count: 100_000) + "text") == "text")
    }
}
