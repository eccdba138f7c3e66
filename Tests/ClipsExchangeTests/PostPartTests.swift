import ClipsExchange
import Testing

/// The parts of a post that have the elements or names of navigation, and links that only a browser reads.
struct PostPartTests {
    private static let words = "Words, in a sentence of a paragraph that is long enough to be read. "
    private static let prose = String(repeating: "<p>\(words)\(words)\(words)</p>", count: 8)

    private func text(_ body: String, head: String = "", address: String = "https://a.example/x") throws
        -> String
    {
        let page = "<!DOCTYPE html><html><head><title>t</title>\(head)</head><body>\(body)</body></html>"
        return try #require(WebPage(Array(page.utf8), address: address)).text
    }

    @Test(
        arguments: [
            ("<aside><p>Note: see <a href=https://b.example/>B</a>.</p></aside>", "Note: see [B][1]."),
            ("<aside><a href=https://b.example/>The manual</a></aside>", "[The manual][1]"),
            ("<div class=comment-note>See <a href=https://b.example/>B</a></div>", "See [B][1]"),
            ("<div class=sidebar-note>Side <a href=https://b.example/>B</a></div>", "Side [B][1]"),
            ("<div class=related-links><a href=https://b.example/>B</a></div>", "[B][1]"),
            ("<footer>Discuss on <a href=https://b.example/>B</a></footer>", "Discuss on [B][1]"),
        ], ["article", "div class=post", "section", "main"])
    func `a note of a post with a link to another site is retained`(
        part: (html: String, shown: String), wrapper: String
    ) throws {
        let end = wrapper.prefix { $0 != " " }
        let post = "<\(wrapper)><h1>T</h1>\(Self.prose)\(part.html)<p>The end of it.</p></\(end)>"
        let text = try text("<nav><a href=/>Home</a></nav>\(post)<footer>Imprint</footer>")
        #expect(text.contains("read.\n\n\(part.shown)\n\nThe end of it."), "\(text.suffix(200))")
        #expect(!text.contains("Home") && !text.contains("Imprint"))
    }

    @Test(
        arguments: [
            "<div class=share-links><a href='https://b.example/share?u=1'>Share</a></div>",
            "<div class=social><a href=https://b.example/>Follow</a></div>",
            "<div class=ad-box><a href=https://b.example/>Buy</a></div>",
            "<div class=related-posts><h3>Related</h3><a href=/2>Second</a> <a href=/3>Third</a></div>",
            "<div class=comments><div class=comment><a href=https://b.example/>ann</a>: hi</div></div>",
            "<footer><a href=/2>Imprint</a></footer>", "<aside><ul><li><a href=/2>Second</a></ul></aside>",
        ])
    func `menus, comments, and buttons in an element with a post are omitted`(part: String) throws {
        let text = try text("<div class=post>\(Self.prose)\(part)</div>")
        #expect(text.hasPrefix("Words") && text.hasSuffix("read."), "\(text.suffix(200))")
    }

    @Test(arguments: ["", "<h1>T</h1>"])
    func `an embedded page next to a paragraph is a link, even of a short text`(heading: String) throws {
        let part = "<p>A talk:</p><iframe src=https://v.example/1></iframe><p><a href=/s>Slides</a></p>"
        let shown = "A talk:\n\n[(frame)][1]\n\n[Slides][2]"
        #expect(try text(heading + part).contains(shown))
        #expect(try text("<div>\(heading)\(part)</div>").contains(shown))
        let apart = "<p>A talk</p><div><div><div><div><iframe src=/1></iframe>"
        #expect(try text("<h1>T</h1>\(apart)").contains("frame"))
        #expect(
            try !text(
                "<h1>T</h1>\(apart)</div></div></div></div>" + String(repeating: "<p>w w</p>", count: 80)
            ).contains("frame"))
    }

    @Test func `a heading at the end of a post is retained before an omitted element`() throws {
        let post = "\(Self.prose)<h2>To <a href=/1>do</a></h2>"
        #expect(try text(post + "<footer>Imprint</footer>").contains("\n\n## To [do][1]\n\n[1]: "))
    }

    @Test func `a list below a paragraph of a post is retained with headings that are links`() throws {
        let items = (0..<5).map { "<li><h3><a href=/\($0)>Story \($0)</a></h3><p>\(Self.words)</p>" }.joined()
        let text = try text("<main>\(Self.prose)<p>Read:</p><ul>\(items)</ul></main>")
        #expect(text.contains("Read:\n\n- ### [Story 0][1]") && text.contains("[Story 4][5]"), "\(text)")
    }

    @Test(
        arguments: [
            ("", "https://a.example/x#f"), ("<base href='/x'>", "https://a.example/x#f"),
            ("<base href='/x#a'>", "https://a.example/x#f"),
            ("<base href='/y/'>", "https://a.example/y/#f"),
            ("<base href='https://b.example/'>", "https://b.example/#f"),
        ])
    func `a fragment is relative to the base of the page`(head: String, address: String) throws {
        let text = try text("<article><p>See <a href='#f'>it</a></p></article>", head: head)
        #expect(text == "See [it][1]\n\n[1]: \(address)")
    }

    @Test(arguments: [
        "https://b.example/a\n  b", " https://b.\texample/a\r\nb\n", "https://b.example/a&#10;b",
    ])
    func `line ends and tabs in an address are removed`(address: String) throws {
        let link = try text("<article><p><a href='\(address)'>B</a></p></article>")
        let path = address.contains("  ") ? "a%20%20b" : "ab"
        #expect(link == "[B][1]\n\n[1]: https://b.example/\(path)")
    }
}
