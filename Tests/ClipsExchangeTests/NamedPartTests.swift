import ClipsExchange
import Testing

/// The parts of the content whose `id` or `class` has a word of navigation, advertisements, or comments.
struct NamedPartTests {
    private static let words = "Words, in a sentence of a paragraph that is long enough to be read. "
    private static let prose = String(repeating: "<p>\(words)\(words)\(words)</p>", count: 8)
    private static let names = [
        "ad", "advert", "banner", "breadcrumb", "comments", "cookie", "cookies", "editing-and-navigation",
        "share", "sharing-files", "menu", "footer", "modal", "newsletter", "pager", "pagination", "popup",
        "promo", "related", "sidebar", "skip", "social", "sponsor", "subscribe",
    ]

    private func text(_ body: String) throws -> String {
        let page = "<!DOCTYPE html><html><title>t</title><body>\(body)</html>"
        return try #require(WebPage(Array(page.utf8), address: "https://a.example/")).text
    }

    @Test(arguments: names, ["main", "article", "div role=main"])
    func `a section of a manual whose id is its title stays with its links`(name: String, content: String)
        throws
    {
        let section = """
            <section id="\(name)"><h2>The \(name)</h2><p>Text, with <a href=/1>a link</a>.</p></section>
            """
        let end = content.prefix { $0 != " " }
        let text = try text("<\(content)><h1>Guide</h1>\(Self.prose)\(section)<p>End.</p></\(end)>")
        #expect(text.contains("## The \(name)\n\nText, with [a link][1].\n\nEnd."), "\(text.suffix(200))")
    }

    @Test(arguments: names.filter { $0 != "comments" })
    func `a box with paragraphs and a table of words stay in the content`(name: String) throws {
        let box = "<div id=\(name)><div><p><b>Default:</b> none, Example: the value 1</p></div></div>"
        let table = "<table class=\(name)><tr><th>Key<th>Use<tr><td>a<td>first</table>"
        let text = try text("<main>\(Self.prose)\(box)\(table)<p>End.</p></main>")
        #expect(text.contains("**Default:** none, Example: the value 1\n\nKey | Use"), "\(text.suffix(200))")
    }

    @Test func `a box of a manual without an element for its content stays`() throws {
        let box = "<div id=cookie-cache class=sidebarblock><p>Syntax: cookie-cache, Default: none</p></div>"
        let text = try text("<div id=header>Head</div><div id=content>\(Self.prose)\(box)\(Self.prose)</div>")
        #expect(text.contains("Syntax: cookie-cache, Default: none"), "\(text.suffix(200))")
    }

    @Test(arguments: [
        "<div class=share>Share this</div>", "<div class=related><h3>Read</h3><a href=/1>A story</a></div>",
        "<div class=newsletter><h3>Letter</h3><p>Get our letter in each week.</p><input name=mail></div>",
        "<div class=cookie-consent><p>We use cookies, and you accept them.</p><button>Yes</button></div>",
        "<section class=comments><h2>2 comments</h2><p>\(words)</p></section>",
        "<section id=comments><h2>Comments</h2><ol><li class=comment><p>\(words)</p></ol></section>",
        "<div class=pagination><a href=/1>1</a> <a href=/2>2</a> of 9</div>",
    ])
    func `parts that are boilerplate by their names and contents are omitted`(part: String) throws {
        let text = try text("<article>\(Self.prose)\(part)<p>The end of it.</p></article>")
        #expect(text.hasSuffix("read.\n\nThe end of it."), "\(text.suffix(200))")
    }

    private static let entries = "abcd".map { "<li><a href='#\($0)'>Part \($0)</a></li>" }.joined()
    private static let contents = "<div>Contents</div><ul>\(entries)</ul>"

    @Test(arguments: [
        "<div id=header><h1>T</h1><div id=toc class=toc2>\(contents)</div></div><div id=content>\(prose)</div>",
        "<h1>T</h1><div id=toc class=toc>\(contents)</div><div id=content>\(prose)</div>",
        "<div><h1>T</h1><p>\(words)</p><div class=toc>\(contents)</div><h2 id=a>A</h2>\(prose)</div>",
    ])
    func `a table of contents is a list of the text`(page: String) throws {
        let text = try text(page)
        #expect(
            text.hasPrefix("# T") && text.contains("Contents\n\n- [Part a][1]\n- [Part b][2]\n"), "\(text)")
    }

    @Test(arguments: [
        "<div class=sphinxsidebar><h3>Table of Contents</h3>\(contents)</div>",
        "<div class=sphinxsidebar><div><h3><a href=/>Contents</a></h3>\(contents)<a href=/n>Next</a></div></div>",
        "<div><ul>\(entries)<li><a href=/help>Help</a></ul></div>", "<nav>\(contents)</nav>",
        "<div id=toc class=toc role=navigation>\(contents)</div>", "<div class=menu>\(contents)</div>",
    ])
    func `a menu with links into the page is omitted`(menu: String) throws {
        let text = try text(
            "<div class=document><div><div class=body><h1>T</h1>\(Self.prose)</div></div>\(menu)</div>")
        #expect(text.hasPrefix("# T") && !text.contains("Part a"), "\(text.suffix(200))")
    }

    @Test(arguments: ["<div class=toc>", "<DIV CLASS=TOC>"])
    func `the contents of a manual of several pages are text`(start: String) throws {
        let items = (1...9).map { "<dt><a href=part\($0).html>Part \($0)</a></dt>" }.joined()
        let text = try text(
            "<body><div class=book><div class=titlepage><h1>T</h1><p>Release 3</p></div><hr></div>\(start)"
                + "<p><b>Table of Contents</b></p><dl>\(items)</dl></div></body>")
        #expect(text.contains("# T") && text.contains("[Part 9]"), "\(text)")
    }

    @Test func `lists under headings of their own are text`() throws {
        func list(_ name: String) -> String {
            let items = (1...5).map { "<li><a href=/\(name)/\($0)>\(name) \($0)</a></li>" }.joined()
            return "<div class=\(name)><h2>\(name)</h2><ul>\(items)</ul></div>"
        }
        let about =
            "<div class=about><h1>Ann Lee</h1><p>I am a researcher in systems, and like walks.</p></div>"
        let text = try text(
            "<body><div class=container>\(about)\(list("Papers"))\(list("Posts"))</div></body>")
        #expect(
            text.contains("Ann Lee") && text.contains("[Papers 5]") && text.contains("[Posts 5]"), "\(text)")
    }

    @Test func `comments that are most of the content are the content`() throws {
        let comments = (0..<9).map {
            "<div class='thing comment'><div class=md><p>Answer \($0). \(Self.words)</p></div></div>"
        }.joined()
        let post = "<div class=post><h1>Question</h1><p>\(Self.words)</p></div>"
        for content in ["div role=main", "div class=content"] {
            let text = try text("<\(content)>\(post)<div class=commentarea>\(comments)</div></div>")
            #expect(text.contains("# Question") && text.contains("Answer 8"), "\(text)")
        }
        let few = try text("<article>\(Self.prose)<div class=comments>\(comments)</div></article>")
        #expect(!few.contains("Answer"))
    }

    @Test(arguments: [
        ("<p><del>old</del><ins>new</ins> end</p>", "~~old~~ new end"),
        ("<blockquote><cite>ann wrote:</cite>quoted</blockquote>", "> ann wrote: quoted"),
        ("<p>a <img alt=A src='data:image/gif;base64,R0' data-src=/1></p>", "a [(image: A)][1]"),
        ("<p>a <img alt=A srcset='/1 1x, /2 2x'></p>", "a [(image: A)][1]"),
        ("<p><strong><b>x</b></strong> <em><i>y</i></em></p>", "**x** *y*"),
        ("<p>a <img title=T src=/1></p>", "a [(image: T)][1]"),
        ("<p>a <a href=/1 aria-label='Next page'><i></i></a></p>", "a [Next page][1]"),
        ("<noscript><p>The words that a script shows</p></noscript>", "The words that a script shows"),
        ("<code>if a<br>&nbsp;&nbsp;b &lt; c<br />\n<br>end</code>", "```\nif a\n  b < c\n\nend\n```"),
        ("<p>a <code>b</code></p>", "a `b`"),
    ])
    func `replaced words, quoted names, and images that a script loads are in the text`(
        part: String, shown: String
    ) throws {
        let text = try text("<article>\(Self.prose)\(part)<p>The end of it.</p></article>")
        #expect(text.contains("read.\n\n\(shown)\n\nThe end of it."), "\(text.suffix(200))")
    }
}
