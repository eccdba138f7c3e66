import ClipsCore
import ClipsExchange
import TestSupport
import Testing

struct WebPageTests {
    private func page(_ html: String) throws -> WebPage { try #require(WebPage(Array(html.utf8))) }

    static let article = """
        <!DOCTYPE html><html><head><meta charset="utf-8"><title>The  title
         &amp; more</title><script>var a = "<p>never</p>";</script><style>p { color: red }</style>
        <meta name="Description" content="About &quot;it&quot;"><link rel="canonical" href="https://example.org/a">
        <meta property="og:title" content="Other"></head><body>
        <nav><a href="/">Home</a></nav><header><h1>Site name</h1></header>
        <div class="cookie-banner">We use cookies, accept them all, and read our long policy about them.</div>
        <article><header><h1>Heading</h1></header>
        <p>First <b>bold</b>,   spaced<br>line two&nbsp;&hellip; <a href="x">a link</a>.</p>
        <div class="share">Share this</div><p hidden>secret</p><p style="display: none">secret</p>
        <ul><li>one</li><li>two <i>x</i></li></ul><pre>  code
            indented</pre><table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>
        <noscript>Turn on scripts</noscript><form><button>Send</button></form>
        <p>Last paragraph, which is long enough to be what a reader of this page wants to read.</p></article>
        <aside>Related posts</aside><footer>Imprint</footer></body></html>
        """

    @Test func `title, description, address, and the text of an article without its surroundings`() throws {
        let page = try page(Self.article)
        #expect(page.title == "The title & more" && page.description == "About \"it\"")
        #expect(page.url == "https://example.org/a")
        #expect(
            page.text == """
                # Heading

                First **bold**, spaced
                line two … [a link][1].

                - one
                - two *x*

                ```
                  code
                    indented
                ```

                a | b
                c

                Turn on scripts

                Last paragraph, which is long enough to be what a reader of this page wants to read.

                [1]: https://example.org/x
                """, "\(page.text)")
    }

    @Test func `links of other programs are listed, and scripts and files of the reader are not`() throws {
        let links = [
            "ftp://a.example/b", "tel:+4930123", "magnet:?xt=urn:btih:ab", "gemini://a.example/",
            "file:///etc/passwd",
            "data:text/plain,a", "JavaScript:alert(1)", "blob:https://a.example/1",
        ]
        let body = links.map {
            "<p>A paragraph of some length that has a <a href='\($0)'>link</a> in it.</p>"
        }.joined()
        let page = try #require(
            WebPage(Array("<html><body>\(body)</html>".utf8), address: "https://a.example/x"))
        for link in links.prefix(4) {
            #expect(page.text.contains("]: \(link)\n") || page.text.hasSuffix(link))
        }
        for link in links.dropFirst(4) { #expect(!page.text.contains("]: \(link)")) }
    }

    @Test func `a page keeps its structure, and loses no link`() throws {
        let body = """
            <article><h2>Part <em>one</em></h2><p>See <a href="/b?x=1&amp;y">the <b>manual</b></a>, <a href="#top">up</a>,
            <a href="javascript:alert(1)">run</a>, <a href="https://c.example/">https://c.example/</a>, and
            <a href="b?x=1&y">again</a><a href="img.html"><img src=a.png></a>.</p>
            <img src=p.png alt="A picture, described"><ol start=3><li>three<ul><li>inner</ul><li><p>four</p></ol>
            <blockquote><p>Said by</p><p>two <code>f(x)</code></p></blockquote><p><b></b><i> x </i>end</p></article>
            """
        let page = try #require(
            WebPage(Array("<!DOCTYPE html><html><body>\(body)</html>".utf8), address: "https://a.example/x"))
        #expect(
            page.text == """
                ## Part *one*

                See [the **manual**][1], [up][2], run, https://c.example/, and [again][1] [(image)][4] [5].

                [(image: A picture, described)][6]

                3. three
                   - inner
                4. four

                > Said by
                >
                > two `f(x)`

                *x* end

                [1]: https://a.example/b?x=1&y
                [2]: https://a.example/x#top
                [3]: https://c.example/
                [4]: https://a.example/img.html
                [5]: https://a.example/a.png
                [6]: https://a.example/p.png
                """, "\(page.text)")
    }

    @Test
    func
        `images, recordings, and embedded players are links of a page, decoration and advertisements are not`()
        throws
    {
        let body = """
            <article><p>Words.</p><img src=one.png><img src=two.png alt="" width=16><img src=three.png width=1>
            <a href="/big"><img src=small.png alt=Small></a><a href="/icon"></a><a href="/more"><img src=x.png> more</a>
            <video title="A film"><source src="film.webm"><source src="film.mp4">No video.</video>
            <audio controls src="talk.ogg"></audio><iframe src="https://v.example/embed/1" allowfullscreen></iframe>
            <iframe src="https://ads.example/"></iframe><video hidden src="no.webm"></video><p>End.</p></article>
            """
        let page = try #require(
            WebPage(Array("<!DOCTYPE html><html><body>\(body)</html>".utf8), address: "https://a.example/x"))
        #expect(
            page.text == """
                Words.

                [(image)][1] [(image: Small)][2] [3] [(image) more][4] [5]
                [(video: A film)][6] [7]
                [(audio)][8]
                [(frame)][9]

                End.

                [(link)][10]

                [1]: https://a.example/one.png
                [2]: https://a.example/big
                [3]: https://a.example/small.png
                [4]: https://a.example/more
                [5]: https://a.example/x.png
                [6]: https://a.example/film.webm
                [7]: https://a.example/film.mp4
                [8]: https://a.example/talk.ogg
                [9]: https://v.example/embed/1
                [10]: https://a.example/icon
                """, "\(page.text)")
    }

    @Test(arguments: ["embed", "source", "track", "wbr", "param", "keygen", "command", "br", "img"])
    func `an element without an end tag contains nothing`(name: String) throws {
        let text = "Words of a paragraph, of some length"
        let end = try page(
            "<html><body><article><p>\(text)</p><\(name) x=y><p>A<\(name)>b</p><p>End</p></article>")
        #expect(end.text.hasSuffix("\n\nEnd"), "\(end.text)")
        let part = try page("<html><body><div><p>\(text)<\(name)/></p></div><div>and</div>end")
        #expect(part.text == "\(text)\n\nand\n\nend", "\(part.text)")
        let inline = try page("<html><body><p>one<wbr>word, <wbr>two</p>")
        #expect(inline.text == "oneword, two")
    }

    @Test func `the links of a page are bounded, and relative to its base`() throws {
        let links = (0..<2000).map { "<a href='\($0)'>\($0)</a>" }.joined(separator: " ")
        let head = "<!DOCTYPE html><html><head><base href='/\(String(repeating: "b", count: 3000))/'></head>"
        let text = try #require(
            WebPage(Array("\(head)<body><p>\(links)</p></html>".utf8), address: "https://a.example/x")
        ).text
        // About 3,020 bytes each, of at most 3 MB.
        #expect(text.contains("[1039][1040] 1040 1041"))
        #expect(text.contains("\n\n(960 more links of the page have no number.)\n\n[1]: https://a.example/b"))
        #expect(text.utf8.count < 4_000_000)
        let many = (Array(0..<100_050) + (99_990..<100_050)).map { "<a href='/\($0)'>\($0)</a>" }.joined(
            separator: " ")
        let page = try #require(
            WebPage(
                Array("<html><body><p>\(many)</p></html>".utf8),
                address: "https://a.example/")
        )
        #expect(page.text.contains("[99998][99999] 99999 100000"))
        #expect(page.text.contains("\n\n(51 more links of the page have no number.)\n\n[1]: "))
        #expect(page.text.hasSuffix("\n[99999]: https://a.example/99998"))
    }

    @Test func `without an article, the part with long paragraphs and few links`() throws {
        let links = (0..<40).map { "<li><a href=\"/\($0)\">A link to another page number \($0)</a></li>" }
            .joined()
        let words = String(repeating: "Words, in a sentence that is long enough. ", count: 6)
        let text = try page(
            "<html><body><div id=x><ul>\(links)</ul></div><div><p>\(words)</p><p>\(words)</p></div></body></html>"
        ).text
        #expect(text.hasPrefix("Words, in") && !text.contains("A link"), "\(text)")
    }

    @Test func `a class that misleads does not hide the text`() throws {
        let words = String(repeating: "Words of the only comment. ", count: 20)
        #expect(
            try page("<html><body><div class=comments>\(words)</div></body></html>").text.hasPrefix(
                "Words of"))
        let list =
            "<html><body><h1>Links</h1><ul><li><a href=x>One</a><li><a href=y>Two</a></ul></body></html>"
        #expect(try page(list).text == "# Links\n\n- One\n- Two" && page(list).title == "Links")
    }

    @Test(
        arguments: [
            ("<meta charset=windows-1251>", [0xCF, 0xF0, 0xE8], "При"),
            ("<meta http-equiv=Content-Type content='text/html; charset=Shift_JIS'>", [0x93, 0xFA], "日"),
            ("", [0xE9], "é"), ("<meta charset=latin1>", [0xC3, 0xA9], "é"),
        ] as [(String, [UInt8], String)])
    func `the encoding is the declared one, unless the bytes are UTF-8`(
        meta: String, bytes: [UInt8], text: String
    )
        throws
    {
        let page = WebPage(
            Array("<html><head>\(meta)<title>".utf8) + bytes + Array("</title><p>a</html>".utf8))
        #expect(page?.title == text)
        let marked: [UInt8] =
            [0xFF, 0xFE] + "<html><title>é</title>".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        #expect(WebPage(marked)?.title == "é")
    }

    @Test(arguments: ["plain text", "", "a < b", "{\"a\":1}", "<rss><channel/></rss>", "# Title\n<b>x</b>"])
    func `other text is not a page`(text: String) { #expect(WebPage(Array(text.utf8)) == nil) }

    @Test func `the parts of a page do not replace given ones`() throws {
        var draft = ClipDraft()
        (draft.url, draft.title, draft.note) = ("https://u", "T", "N")
        try page(Self.article).fill(&draft)
        #expect(draft.url == "https://u" && draft.title == "T" && draft.note == "N" && !draft.text.isEmpty)
        var empty = ClipDraft()
        try page(Self.article).fill(&empty)
        #expect(empty.url == "https://example.org/a" && empty.note == "About \"it\"")
        #expect(try page("<html><link rel=canonical href='javascript:x'>").url.isEmpty)
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "<div>", "<b>", "</i>", "<a href=x>", "<table><tr><td>", "&", "<", "<!--", "<p class=nav>",
            "<![CDATA[", "<div class=nav>a", "<section id=cookies><h2>a</h2><p>",
            "<sup>", "<noscript>a", "<div class=comment>a",
        ])
    func `thousands of tags inside each other cost time in proportion`(tag: String) throws {
        let count = LongProof.count(20_000, of: 200_000, "tags \(tag) inside each other")
        let time = try processorTime {
            let page = try page("<html><title>t</title><p>first" + String(repeating: tag, count: count))
            #expect(page.title == "t" && page.text.hasPrefix("first"))
        }
        #expect(isProportional(time, to: count), "\(time)")
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["<div>", "<table><tr><td>"])
    func `thousands of elements in hundreds of others cost time in proportion`(outer: String) throws {
        let count = LongProof.count(4_000, of: 20_000, "elements in 80 \(outer)")
        let html = String(repeating: outer, count: 80) + String(repeating: "<p>a</p>", count: count)
        let time = try processorTime {
            let text = try page("<html><p>first\(html)").text
            #expect(text.hasSuffix("a"))
        }
        #expect(isProportional(time, to: count), "\(time)")
    }

    @Test(arguments: ["<font>", "<div>", "<b>", "<div><font>", "<blockquote>", "<sup>"])
    func `the text and links after a thousand elements inside each other remain`(tag: String) throws {
        let text = try page(
            """
            <html><title>t</title><body><main><h1>Title</h1><p>First paragraph of the page.</p>
            \(String(repeating: tag + "word ", count: 1000))
            <p>Last words, and <a href="https://a.example/">a link</a>.</p></main></body></html>
            """
        ).text
        #expect(text.hasPrefix("# Title\n\nFirst paragraph of the page."))
        #expect(text.split { $0.isWhitespace || "*>()^".contains($0) }.count { $0 == "word" } == 1000)
        #expect(text.contains("Last words, and [a link][1]") && text.hasSuffix("[1]: https://a.example/"))
    }

    @Test func `no script and no markup remains, however a page is damaged`() throws {
        var random = SeededRandom(seed: 16)
        let bytes = Array(Self.article.utf8)
        for round in 0..<LongProof.count(100, of: 400, "damaged pages") {
            var changed = bytes
            for _ in 0...Int.random(in: 0...6, using: &random) {
                let start = Int.random(in: 0..<changed.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: changed[start] = .random(in: 0 ... .max, using: &random)
                case 1: changed.removeSubrange(start..<min(changed.count, start + 30))
                default:
                    changed.insert(contentsOf: bytes[start / 2..<start / 2 + min(40, start / 2)], at: start)
                }
            }
            guard let page = WebPage(changed) else { continue }
            #expect(!page.text.contains("\0") && page.text.utf8.count <= 3 * changed.count, "round \(round)")
        }
    }
}
