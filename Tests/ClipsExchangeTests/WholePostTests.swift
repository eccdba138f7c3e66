import ClipsExchange
import TestSupport
import Testing

/// Posts of any blocks, in any usual wrapper, of which the text contains each block and each link.
struct WholePostTests {
    typealias Random = SeededRandom

    private static let sentence = "The harbor, which is old, has forty bridges, and each opens at night. "

    /// A block with its own words at its start and its end, and the address of a link between them.
    private struct Block {
        let number: Int
        let html: String
        let length: Int

        init(_ number: Int, _ random: inout Random) {
            self.number = number
            let count = [0, 0, 0, 1, 2, 5, 14].randomElement(using: &random) ?? 0
            let words = String(repeating: sentence, count: count)
            let link = "<a href='https://link\(number).example/'>link\(number)</a>"
            let (start, end) = ("first\(number)x", "last\(number)x")
            let text = "\(start) \(words)\(link) \(end)"
            html =
                switch Int.random(in: 0..<14, using: &random) {
                case 0: "<blockquote><p>\(text)</p></blockquote>"
                case 1: "<blockquote>\(start) \(words)<p>\(words)\(link)</p><p>\(end)</p></blockquote>"
                case 2: "<pre>\(start) \(words)\n\(link)\n\(end)</pre>"
                case 3: "<ul><li>\(start) \(words)</li><li>\(link)</li><li>\(end)</li></ul>"
                case 4: "<ol><li><p>\(start) \(words)</p></li><li>\(link) \(end)</li></ol>"
                case 5: "<table><tr><th>\(start)<th>\(link)<tr><td>\(words)<td>\(end)</table>"
                case 6: "<h2>\(start) \(link)</h2><p>\(words)\(end)</p>"
                case 7: "<h3>\(text)</h3>"
                case 8: "<dl><dt>\(start)</dt><dd>\(words)\(link)</dd><dd>\(end)</dd></dl>"
                case 9: "<div>\(text)</div>"
                case 10: "<figure><p>\(words)\(start)</p><figcaption>\(link) \(end)</figcaption></figure>"
                default: "<p>\(text)</p>"
                }
            length = count * sentence.utf8.count
        }

        func isIn(_ text: String) -> Bool {
            ["first\(number)x", "last\(number)x", "https://link\(number).example/"].allSatisfy(text.contains)
        }
    }

    private static let wrappers = [
        ("", ""), ("<div>", "</div>"), ("<div class=entry>", "</div>"), ("<section>", "</section>"),
        ("<table><tr><td>", "</td></tr></table>"), ("<article>", "</article>"), ("<main>", "</main>"),
        ("<dl><dt>Monday</dt><dd>", "</dd></dl>"), ("<div id=content><div class=post>", "</div></div>"),
        ("<main><article>", "</article></main>"), ("<div><div><div>", "</div></div></div>"),
    ]
    private static let forms = [
        ("", ""), ("<div>", "</div>"), ("<div class=message><div class=body>", "</div></div>"),
        ("<section>", "</section>"), ("<div class=qa><h2><a href=/u>Who</a></h2>", "</div>"),
        ("<article class=answer>", "</article>"), ("<ul><li class=item>", "</li></ul>"),
    ]
    /// An article declares that the post is in it.
    private static let mixed = forms.filter { !$0.0.contains("article") }
    private static let links = (0..<7).map { "<li><a href=/o\($0)>outside \($0)</a></li>" }.joined()
    private static let others = links.replacing("outside", with: "other")
    private static let surroundings = [
        ("", ""), ("<nav><ul>\(links)</ul></nav>", "<footer><p>outside, <a href=/o>of it</a></p></footer>"),
        ("<header><h1>outside</h1></header>", "<aside><p>The outside, in <a href=/o>words</a></p></aside>"),
        (
            "<div class=masthead><a href=/>outside</a></div><ul class=menu>\(links)</ul>",
            "<div class=sidebar><p>A text outside, of some length, by its class.</p><ul>\(links)</ul></div>"
        ),
        ("<div><ul>\(others)</ul></div>", "<div><ul>\(others)</ul><p>Imprint</p></div>"),
        (
            "<table><tr><td>\(others)</td></tr></table>",
            "<div><h3><a href=/o>A story</a></h3><p>Words</p></div>"
        ),
        ("<div class=navigation>\(links)</div>", "<div id=footer>outside <a href=/imprint>Imprint</a></div>"),
    ]
    private static let pages = [("", ""), ("<div id=page>", "</div>"), ("<div><div>", "</div></div>")]

    @Test(arguments: 0..<wrappers.count) func `a post loses no block and no link`(wrapper: Int) throws {
        var lost: [String] = []
        var random = Random(seed: UInt64(wrapper + 1))
        let wrapper = Self.wrappers[wrapper]
        let rounds = LongProof.count(40, of: 1000, "posts in \(wrapper.0)")
        for round in 0..<rounds {
            let form = Bool.random(using: &random) ? Self.forms[0] : Self.forms.randomElement(using: &random)!
            let blocks = (0..<Int.random(in: 2...7, using: &random)).map { Block($0, &random) }
            let (before, after) = Self.surroundings.randomElement(using: &random)!
            let page = Self.pages.randomElement(using: &random)!
            let isMixed = Int.random(in: 0..<3, using: &random) == 0
            let post = blocks.map { block in
                let form = isMixed ? Self.mixed.randomElement(using: &random)! : form
                return form.0 + block.html + form.1
            }.joined(separator: "\n")
            let whole = wrapper.0 + post + wrapper.1
            // Next to paragraphs in an element of their own, a header is that of the post.
            let isPage = !wrapper.0.isEmpty && !wrapper.0.hasPrefix("<dl>")
            let body =
                isPage
                ? page.0 + before + whole + after + page.1 : before + page.0 + whole + page.1 + after
            let html = "<!DOCTYPE html><html><title>t</title><body>\(body)</body></html>"
            let text = try #require(WebPage(Array(html.utf8), address: "https://a.example/")).text
            let missing = blocks.filter { !$0.isIn(text) }.map(\.number)
            // The names of the parts of a short page are not used.
            let isLong = blocks.reduce(0) { $0 + $1.length } > 300
            if !missing.isEmpty || isLong && text.contains("outside") {
                lost.append("\(round): blocks \(missing) of\n\(body)\nare missing in\n\(text)")
            }
        }
        #expect(lost.isEmpty, "\(lost.count): \(lost.min { $0.utf8.count < $1.utf8.count } ?? "")")
    }
}
