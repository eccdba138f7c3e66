import ClipsExchange
import Testing

/// The characters and the marks of a page in its text.
struct PageTextTests {
    private func text(_ body: String) throws -> String {
        let page = "<!DOCTYPE html><html><head><title>t</title></head><body>\(body)</body></html>"
        return try #require(WebPage(Array(page.utf8))).text
    }

    @Test func `references to characters 128 to 159 are those of Windows-1252, and controls are removed`()
        throws
    {
        let body = "&#8249;a&#155; &#147;b&#x94; c&#129;d&#27;e\u{8D}f\u{1B}[0m <code>&#150;&#x9D;</code>"
        let text = try text("<article><p>\(body)</p></article>")
        #expect(text == "‹a› “b” cdef[0m `–`", "\(text.unicodeScalars.map(\.value))")
        let page = WebPage(Array("<html><title>a&#151;b&#128;&#144;</title><p>a</html>".utf8))
        #expect(page?.title == "a—b€")
    }

    @Test func `an item has its mark however deep it is`() throws {
        let depth = 24
        let open = (1...depth).map { "<ul><li>in \($0)" }.joined()
        let close = (1...depth).reversed().map { "<li>out \($0)</ul>" }.joined()
        let lines = try text("<article><p>p</p>\(open)\(close)</article>").split(separator: "\n").dropFirst()
        #expect(lines.count == 2 * depth)
        #expect(
            lines.allSatisfy { $0.drop { $0 == " " }.hasPrefix("- ") }, "\(lines.joined(separator: "\n"))")
        #expect(lines.last == "- out 1" && lines.contains("  - in 2") && lines.contains("  - out 2"))
    }
}
