import ClipsCore
import ClipsExchange
import Testing

/// The addresses of a page that are not those of simple links.
@Suite struct PageLinkTests {
    private func text(_ body: String) throws -> String {
        let page = "<!DOCTYPE html><html><title>t</title><body>\(body)</html>"
        return try #require(WebPage(Array(page.utf8), address: "https://a.example/")).text
    }

    @Test(arguments: ["article", "main", "section"])
    func `a page without a body element has the text that follows its title`(element: String) throws {
        let page =
            "<!doctype html><meta charset=utf-8><title>T</title><\(element)><p>A text with <a href=/1>one</a>."
        let found = try #require(WebPage(Array(page.utf8), address: "https://a.example/"))
        #expect(
            found.title == "T" && found.text == "A text with [one][1].\n\n[1]: https://a.example/1",
            "\(found.text)")
    }

    @Test func `links that only screen readers leave out remain, but not closed menus and second links`()
        throws
    {
        let shown =
            "<p aria-hidden=true>Two <a href=/2>b</a></p><p>Three <a aria-hidden=true href=/3>c</a></p>"
        let hidden =
            "<div aria-hidden=true><a href=/m>Menu</a></div><a aria-hidden=true tabindex=-1 href=/1>a</a>"
        let text = try text("<p>One <a href=/1>a</a></p>\(shown)\(hidden)<span aria-hidden=true>icon</span>")
        #expect(text.hasPrefix("One [a][1]\n\nTwo [b][2]\n\nThree [c][3]\n\n[1]: "), "\(text)")
    }

    @Test func `an international host has its ASCII form`() throws {
        let found = try text(
            "<p><a href='https://idn-ä.example:81/ü'>a</a> <a href='https://u%40x@b.example/'>b</a>")
        #expect(found.contains("[1]: https://xn--idn--ooa.example:81/%C3%BC\n"), "\(found)")
    }

    @Test(arguments: [
        ("/?f[]=1&q=a%20b", "/?f%5B%5D=1&q=a%20b"), ("/wiki/Café%20noir", "/wiki/Caf%C3%A9%20noir"),
        ("/a b%2fc?d={e}%#f g%20|#", "/a%20b%2fc?d=%7Be%7D%25#f%20g%20%7C%23"),
        ("/100%[%zz]", "/100%25%5B%25zz%5D"),
        ("//[::1]:80/[%20]", "https://[::1]:80/%5B%20%5D"),
        ("https://ä.example/[%20]", "https://xn--4ca.example/%5B%20%5D"),
        ("/#é//]", "/#%C3%A9//%5D"), ("(a)b:c", "/(a)b:c"), ("https:///b.example//x", "https://b.example//x"),
        ("\\\\c.example\\d?\\", "https://c.example/d?%5C"),
        ("HTTPS://b.example/%E4%ff\\^`", "HTTPS://b.example/%E4%ff/%5E%60"),
    ])
    func `an escape in an address stays one next to signs that need one`(link: String, address: String) throws
    {
        let whole = address.first == "/" ? "https://a.example\(address)" : address
        let found = try text("<p><a href='\(link)'>one</a></p>")
        #expect(found.hasSuffix("[1]: \(whole)"), "\(found)")
    }

    @Test(arguments: [
        ("<i>https://b.example/u</i><br>and", "https://b.example/u"),
        ("https://b.example/u_(", "https://b.example/u"),
    ])
    func `a URL in the text ends before signs of marks`(words: String, address: String) throws {
        let found = try text("<p>At \(words) <a href='/1'>one</a></p>")
        #expect(found.hasSuffix("[1]: \(address)\n[2]: https://a.example/1"), "\(found)")
    }

    @Test(arguments: ["/a_(b", "/a)b", "/a)(b"])
    func `an address with a parenthesis alone ends no list`(path: String) throws {
        let found = try text("<p><a href='\(path)'>one</a> <a href='/a_(b)'>two</a></p>")
        let list = "[1]: <https://a.example\(path)>\n[2]: https://a.example/a_(b)"
        #expect(found == "[one][1] [two][2]\n\n" + list)
        #expect(LinkDefinition.all(in: ArraySlice(list.utf8)).first?.address == "https://a.example\(path)")
    }

    @Test func `a part of a page keeps the links that a page has outside of its content`() throws {
        let names = ["header", "nav", "aside", "footer", "main", "article"]
        for first in names {
            let parts = ([first] + names).map { "<\($0)><a href='https://\($0).example/'>\($0)</a></\($0)>" }
            let part = "<p>Text <a href='https://a.example/'>l</a>.</p>" + parts.joined()
            let found = try #require(WebPage(Array(part.utf8), address: "https://b.example/")).text
            for name in names { #expect(found.contains("]: https://\(name).example/"), "\(first): \(found)") }
        }
    }

    @Test func `an item of a feed keeps the links that a page has around its content`() throws {
        let item = """
            <p>A text with <a href="https://a.example/">a</a>.</p><div class="share"><a href="https://b.example/">x</a></div>
            <footer><a href="https://c.example/">discuss</a></footer>
            """
        func links(_ markup: String) throws -> Int {
            try #require(WebPage(Array(markup.utf8), address: "https://d.example/i")).text.split(
                separator: "]: "
            ).count - 1
        }
        #expect(try links(item) == 3)
        #expect(try links("<title>Page</title>\(item)") == 1)
    }

    @Test(arguments: [
        (
            "a <a href=/1><img src=/s.png alt=A></a> <a href=/2><img src=/t.png></a>",
            "a [(image: A)][1] [2] [(image)][3] [4]"
        ),
        ("<a href=/u.png><img src=/u.png alt=U></a>", "[(image: U)][1]"),
        (
            "a <img src=/l.jpg alt=''> <img src=/b.jpg alt='' width=1024> <img src=/i.png alt='' height=16> b",
            "a [(image)][1] [(image)][2] b"
        ),
        ("<video><source src=/a.mp4><source src=/b.webm></video>", "[(video)][1] [2]"),
        (
            "https://b.example/ <a href=/1>one</a> https://c.example/x. <a href=/2>two</a> https://d.example/",
            "https://b.example/ [one][2] https://c.example/x. [two][4] https://d.example/"
        ),
        (
            "<a href=https://b.example/1>https://b.example/1</a><a href=https://c.example/2>https://c.example/2</a>",
            "https://b.example/1 https://c.example/2"
        ),
        (
            "see<a href=https://b.example/1>https://b.example/1</a>下, (<a href=https://c.example/2>https://c.example/2</a>)”",
            "see https://b.example/1 下, (https://c.example/2)”"
        ),
        (
            "<a href=https://b.example/Inc.>https://b.example/Inc.</a> <b><a href=https://c.example/>https://c.example/</a></b>x",
            "[https://b.example/Inc.][1] **[https://c.example/][2]**x"
        ),
        ("<code>&amp;lt;</code><code>adj</code> <a href=/1>one</a>", "`&lt;` `adj` [one][1]"),
        ("<svg><title>A drawing</title></svg>", "(image: A drawing)"),
        ("<a href='#'><img src=/p.jpg alt=Bridge></a>", "(image: Bridge) [1]"),
        ("<a href='#p'><img src=/p.jpg alt=Bridge></a>", "[(image: Bridge)][1] [2]"),
        ("x</p><h2>Part<a href='#p'><img src=/l.svg></a></h2><p>y", "x\n\n## Part\n\ny"),
        (
            "</p><pre>a <img src=/p.png alt=Plan> b</pre><p>",
            "```\na (image: Plan) b\n```\n\n[(image: Plan)][1]"
        ),
        (
            "</p><pre><a href=/b.png><img src=/p.png alt=Plan></a></pre><p>",
            "```\n(image: Plan)\n```\n\n[(image: Plan)][1] [(image: Plan)][2]"
        ),
        (
            "<img src=/l.png alt='By https://p.example'> <a href=/n>next</a>",
            "[(image: By https://p.example)][1] [next][3]"
        ),
        ("<a href='https:rel.html'>one</a> <a href='HTTPS:/x'>two</a>", "[one][1] [two][2]"),
        ("<noscript><img src=/n.png alt=N></noscript>", "[(image: N)][1]"),
        ("<img data-src=/l.png alt=L><noscript><img src=/l.png alt=L></noscript>", "[(image: L)][1]"),
        ("x</p><h2>Part<a href='#p'>¶</a></h2><p>y <a href='#n'>[1]</a>", "x\n\n## Part\n\ny [^1]"),
    ])
    func `each address has a number in the order of reading`(part: String, shown: String) throws {
        let found = try text("<article><p>p</p><p>\(part)</p></article>")
        #expect(found.hasPrefix("p\n\n\(shown)"), "\(found)")
        #expect(found.split(separator: "\n\n[1]: ")[0] == "p\n\n\(shown)", "\(found)")
    }

    @Test(arguments: [
        ("https:rel", "https://a.example/rel"), ("HTTPS:/x", "https://a.example/x"),
        ("https:foo:bar", "https://a.example/foo:bar"), ("https:?q", "https://a.example/?q"),
        ("https:\\\\b.example/", "https://b.example/"), ("https://b.example/", "https://b.example/"),
    ])
    func `a link with the scheme of the page leads where browsers go`(link: String, address: String) throws {
        let found = try text("<article><p>p</p><p><a href='\(link)'>one</a></p></article>")
        #expect(found.hasSuffix("[one][1]\n\n[1]: \(address)"), "\(found)")
    }

    @Test(arguments: ["word", "<img src=/i.png alt=word>"])
    func `links in links do not take twice the time each`(words: String) throws {
        let (open, end) = (
            String(repeating: "<a href='#k'><span>", count: 60), String(repeating: "</span></a>", count: 60)
        )
        #expect(try text("<article><p>p</p><p>\(open)\(words)\(end)</p></article>").contains("word"))
    }

    @Test func `a block of code that shows an address is not followed by it`() throws {
        let code = """
            <pre>A
            see <a href="https://b.example/s">https://b.example/s</a>
            then <a href="https://c.example/s">&lt;https://c.example/s&gt;</a> <a href="https://d.example/">d</a>
            </pre><p>End.</p>
            """
        let found = try text("<h1>X</h1>\(code)")
        #expect(found.contains("<https://c.example/s> d\n```\n\n[d]["), "\(found)")
    }

    @Test func `frames have links, in a page without words, too`() throws {
        #expect(try text("<p>Watch</p><iframe src=/v></iframe>").hasPrefix("Watch\n\n[(frame)][1]\n\n[1]: "))
        let page =
            "<!DOCTYPE html><html><title>t</title><frameset><frame src=/a><frame src=/b></frameset></html>"
        let found = try #require(WebPage(Array(page.utf8), address: "https://a.example/")).text
        #expect(found.hasSuffix("[1]: https://a.example/a\n[2]: https://a.example/b"), "\(found)")
    }

    @Test(arguments: [
        "<div role=navigation>L</div>", "<div role=complementary>L</div>", "<ul role=menu><li>L</ul>",
        "<div role=dialog>L</div>", "<div aria-hidden=true>L</div>", "<p hidden>L</p>",
        "<div style='display: none'>L</div>", "<p style='visibility:hidden'>L</p>", "<dialog>L</dialog>",
        "<nav>L</nav>", "<div class=share>L</div>", "<div role=banner hidden><p hidden>L</div>",
        "<header>L</header>", "<footer role=contentinfo>L</footer>", "<aside hidden>L</aside>",
        "<div role=complementary>No link.</div><p>L</p>",
    ])
    func `an article that another program found retains each link`(part: String) throws {
        let link = "<a href='https://b.example/x'>words</a>"
        let markup = "<p>Before.</p>" + part.replacing("L", with: link) + "<p>After.</p>"
        let item = try #require(WebPage(Array(markup.utf8), contentType: "text/html")).text
        #expect(!part.contains("No link.") || item.contains("No link."))
        #expect(item.contains("[words][1]") && item.hasSuffix("[1]: https://b.example/x"), "\(item)")
    }

    @Test(arguments: ["menu", "share", "sidebar", "social", "nav", "newsletter"])
    func `a list below a heading of the article is part of it, also with a name of boilerplate`(
        name: String
    ) throws {
        let list = "<ul class=\(name)><li><a href=/soup>Soup</a><li><a href=/cake>Cake</a></ul>"
        let prose = "<p>\(String(repeating: "The words of an article, with commas. ", count: 20))</p>"
        let found = try text("<article><h1>T</h1>\(prose)<h2>Today</h2>\(list)\(prose)\(list)</article>")
        #expect(found.contains("## Today\n\n- [Soup][1]\n- [Cake][2]\n"), "\(found)")
        #expect(found.ranges(of: "Soup").count == 1, "\(found)")
    }

    @Test func `buttons below a title, and an advertisement below a heading, are left out`() throws {
        let prose = "<p>\(String(repeating: "The words of an article, with commas. ", count: 20))</p>"
        let share = "<div class=share>Share: <a href=/f>Face</a> <a href=/t>Bird</a></div>"
        let ad = "<div class=ad><a href=/ad><img alt=Buy src=/b.png></a></div>"
        let found = try text("<article><h1>T</h1>\(share)\(prose)<h2>Two</h2>\(ad)\(prose)</article>")
        for word in ["Share", "Face", "Buy"] { #expect(!found.contains(word), "\(found)") }
    }
}
