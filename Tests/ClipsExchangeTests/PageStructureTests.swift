import ClipsExchange
import Testing

/// The links, tables, and lists of a page in its text.
@Suite struct PageStructureTests {
    private func text(_ body: String) throws -> String {
        let page = "<!DOCTYPE html><html><title>t</title><body><article><p>p</p>\(body)</article></html>"
        let text = try #require(WebPage(Array(page.utf8), address: "https://a.example/")).text
        return text.hasPrefix("p\n\n") ? String(text.dropFirst(3)) : text
    }

    @Test func `links in code and links without words are in the text, in the order of reading`() throws {
        let code = "<pre>call <a href=/f>f</a>(<a href=/g>*g*\n h</a>)\n<a href=/f>f</a></pre>"
        #expect(
            try text("<p><a href=/s>S</a><a href=/e></a></p>\(code)<p><a href=/t>T</a><a href=/t></a></p>")
                == """
                [S][1]

                ```
                call f(*g*
                 h)
                f
                ```

                [f][2] [\\*g\\* h][3]

                [T][4]

                [(link)][5]

                [1]: https://a.example/s
                [2]: https://a.example/f
                [3]: https://a.example/g
                [4]: https://a.example/t
                [5]: https://a.example/e
                """)
    }

    @Test func `a button is left out, unless it is a link`() throws {
        let buttons =
            "<button>Copy</button> <a href=/a><button>A</button></a> <button><a href=/b>B</a></button>"
        #expect(
            try text("<p>Get it: \(buttons)</p>")
                == "Get it: [A][1] [B][2]\n\n[1]: https://a.example/a\n[2]: https://a.example/b")
    }

    @Test(arguments: [
        (
            "<tr><th>A<th>B<th>C<tr><td rowspan=2>r<td>b1<td>c1<tr><td>b2<td>c2<tr><td colspan=2>w<td>c3",
            "A | B | C\n--- | --- | ---\nr | b1 | c1\n| | b2 | c2\nw | | c3"
        ),
        (
            "<tr><th>A<th>B<tbody><tr><td>a<td rowspan=0>b<tr><td>c<tbody><tr><td>d<td>e",
            "A | B\n--- | ---\na | b\nc\nd | e"
        ),
        (
            "<tr><th>A<th rowspan=3 colspan=2>B<th>D<tr><td>a<td>d<tr><td>e<td>f",
            "A | B | | D\n--- | --- | --- | ---\na | | | d\ne | | | f"
        ),
        (
            "<tr><td>k<td>one<br>two<tr><td>long key<td>v",
            "| | |\n--- | ---\nk | one two\nlong key | v"
        ),
        ("<tr><th>k<td>v<tr><th>l<td>w", "| | |\n--- | ---\nk | v\nl | w"),
    ])
    func `a cell is below the heading of its column`(rows: String, text: String) throws {
        #expect(try self.text("<table>\(rows)</table>") == text)
    }

    @Test(arguments: [
        ("<ol reversed><li>a<li>b<li>c</ol>", "3. a\n2. b\n1. c"),
        ("<ol reversed start=10><li>a<li value=4>b<li>c</ol>", "10. a\n4. b\n3. c"),
        (
            "<ol start=5><li>a<li>b<ol reversed><li>c<li>d</ol><li>e</ol>",
            "5. a\n6. b\n   2. c\n   1. d\n7. e"
        ),
    ])
    func `an ordered list has the numbers of the page`(list: String, text: String) throws {
        #expect(try self.text(list) == text)
    }

    @Test(arguments: ["- 5", "+ 5", "# 5", "> 5", "~~~5", "1. x"])
    func `a sign that begins a line has a backslash, unless empty cells precede it`(words: String) throws {
        let literal = words.replacing(">", with: "&gt;")
        #expect(
            try text("<table><tr><th>a<th>b<tr><td><td>\(literal)</table>")
                == "a | b\n--- | ---\n| | \(words)")
        #expect(
            try text("<table><tr><td><td>\(literal)<tr><td>a<td>\(literal)</table>")
                == "| | |\n--- | ---\n| | \(words)\na | \(words)")
        for body in ["<table><tr><th>a<th>b<tr><td>\(literal)<td>b</table>", "<ul><li>\(literal)</ul>"] {
            let line = try text(body).split(separator: "\n").last ?? ""
            #expect(line.contains("\\") && line.replacing("\\", with: "").contains(words))
        }
    }
}
