import SearchIndex
import Testing

/// Texts without the marks of Markdown, and the excerpts of them.
@Suite struct ReadTextTests {
    @Test(arguments: [
        ("a **b** *c* ***d*** ~~e~~ f", "a b c d e f"), ("**a *b* c** ***d* e**", "a b c d e"),
        ("2 * 3 * 4, a*b*c, x**y, **kwargs", "2 * 3 * 4, a*b*c, x**y, **kwargs"),
        (
            "see [the manual][1], [x](https://a.example/x_(y)), ![pic](p.png) [no][zed] [0]",
            "see the manual, x, pic [no][zed] [0]"
        ),
        ("[y][Zed] and [zed]bar\n\n[zed]: https://z.example/\n[1]: mailto:a@a.example", "y and zed bar"),
        ("# A *b* ##\n\ntext\nmore\n---\nC\n===", "A b text more C"),
        ("> quote\n> - one\n> - two\n\n1. three\n2. four", "quote · one · two · 1. three · 2. four"),
        ("A | B\n--- | ---\n1 | `c\\|d`\n| 2 | |\n\nx | y", "A · B · 1 · c|d · 2 x | y"),
        (
            "```swift\nlet a = [b][1] // **c**\n```\nend `**d**` ``e`f``",
            "let a = [b][1] // **c** end **d** e`f"
        ),
        (
            "> x\n>\n> ```\n> alpha\n> > beta\n> ```\n>\n> *y* **z**\n\n> ```\n> c\n\n**b**",
            "x alpha > beta y z c b"
        ),
        ("> k | v\n> --- | ---\n> 1 | 2\n> - a | b", "k · v · 1 · 2 · a | b"),
        (#"*p, *q; f(*a) 2**3**4 C:\_x\*.txt"#, #"*p, *q; f(*a) 2**3**4 C:\_x\*.txt"#),
        (#"\*a\* snake\_case C:\file 1\. x"#, #"*a* snake_case C:\file 1\. x"#),
    ])
    func `a text is read without marks`(_ text: String, _ shown: String) {
        #expect(ReadText.line(text) == shown)
    }

    @Test func `the first line with words is a title`() {
        #expect(ReadText.firstLine("\n## Only **h2**\n\npara") == "Only h2")
        #expect(ReadText.firstLine("```sh\nmake all\n```") == "make all")
        #expect(ReadText.firstLine("[1]: https://a.example/") == "" && ReadText.firstLine("") == "")
    }

    @Test(arguments: 20...80)
    func `an excerpt contains the match as it is read`(_ length: Int) throws {
        let filler = "Words of [another][1] paragraph, **bold** ones.\n\n"
        let table = "Name | Value\n--- | ---\nsize | the needle of `hay\\|stack`\n\n"
        let lists = "[1]: https://a.example/\n[2]: https://needlework.example/path"
        func excerpt(_ query: String, _ text: String) throws -> String {
            let excerpt = try #require(SearchQuery(query).readExcerpt(of: text, in: .text, length: length))
            #expect(!excerpt.matches.isEmpty)
            for match in excerpt.matches { #expect(excerpt.text[match].count >= 3) }
            let marks = ["**", "](", "][", "---", "```", "|---", " | "]
            for mark in marks { #expect(!excerpt.text.contains(mark), "\(excerpt.text)") }
            return excerpt.text
        }
        let text = filler + filler + table + filler + lists
        #expect(try excerpt("needle", text).contains("needle"))
        #expect(try excerpt("needlework", text).contains("needlework"))
        #expect(try excerpt("\"needle of hay\"", text).contains("needle of hay"))
        #expect(try excerpt("needle", "a [link](https://needle.example/) b").contains("needle"))
        let long = "“" + String(repeating: "長", count: 300) + "needle" + String(repeating: "長", count: 300)
        #expect(try excerpt("needle", long).contains("needle"))
        let far = String(repeating: filler, count: 20_000) + "a **needle**"
        if length == 20 { #expect(try excerpt("needle", far).contains("needle")) }
        // A query for marks finds them.
        #expect(SearchQuery("\"**bold**\"").readExcerpt(of: filler, in: .text, length: length) != nil)
    }

    @Test func `an excerpt contains another form of the word`() throws {
        func excerpt(_ query: String, _ text: String) -> SearchExcerpt? {
            SearchQuery(query).readExcerpt(of: text, in: .text, length: 40, hasForms: true)
        }
        let far = String(repeating: "some other words, ", count: 30_000)
        for text in ["One **paragraph** here", far + "\n\nOne paragraph here"] {
            let found = try #require(excerpt("paragraphs", text))
            #expect(found.matches.map { String(found.text[$0]) } == ["paragraph"], "\(found.text)")
        }
        #expect(excerpt("summarize", "by Summarizing it")?.text == "by Summarizing it")
        #expect(excerpt("libraries", "a library")?.text == "a library")
        #expect(excerpt("paragraphs", "a parade") == nil && excerpt("\"paragraphs\"", "a paragraph") == nil)
    }

    @Test func `brackets after a word are those of code, and not of a link`() {
        for line in ["f(x)[1][2] = 3", "x = a[0][1] + b[i][2]"] { #expect(ReadText.firstLine(line) == line) }
        #expect(ReadText.firstLine("See [the manual][2] (or [it][1])") == "See the manual (or it)")
    }
}
