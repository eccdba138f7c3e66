import ClipsCore
import Foundation
import PersistentStore
import Terminal
import TestSupport
import Testing

@testable import ClipsTerminal

/// The marks of Markdown in the text of an open clip.
@Suite(.serialized) struct ShownTextTests {
    @Test func `backslashes before literal characters are not shown`() {
        func shown(_ text: String) -> String { ShownText(text, width: 80).text }
        #expect(shown(#"a \*b\* **c** \[d\]\[1\] \&amp;"#) == "a *b* c [d][1] &amp;")
        #expect(shown("a ***b*** c") == "a b c")
        #expect(shown("- ### a [b](c)\n\n  d\n\n> ## e\n> f\n1. # g\n> \\# h\n    # i").hasPrefix("- a "))
        #expect(
            shown("- ### a\n\n  d\n\n> ## e\n> f\n1. # g\n> \\# h\n    # i")
                == "- a\n\n  d\n\n> e\n> f\n1. g\n> # h\n    # i")
        #expect(shown(##"## A \*b\*"##) == "A *b*")
        #expect(shown("\\# no\n1\\. one\n2\\) b\n\\- two") == "# no\n1. one\n2) b\n- two")
        #expect(shown("in C:\\\\\nor \\d+\\\\.\\w, \\\\?") == "in C:\\\nor \\d+\\.\\w, \\?")
        #expect(shown("````\n```\n# a **b**\n````\n\\# **c** `d`") == "  ```\n  # a **b**\n# c d")
        #expect(shown(#"C:\path\\\* \\server\x"#) == #"C:\path\* \\server\x"#)
        #expect(shown("**foo**bar and *x* and **«q»**s") == "foobar and x and «q»s")
        #expect(shown(#"\~\~a\~\~ b\~\~c \~d C:\~e ~~f~~"#) == #"~~a~~ b~~c \~d C:\~e ~~f~~"#)
        #expect(shown("a | b\n--- | ---\n\\~\\~c\\~\\~ | d").contains("~~c~~"))
        let others = [#"C:\file a\.b \d+ \- x"#, #"\"#]
        #expect(shown(#"`\*a\*` ``b`c``"#) == #"\*a\* b`c"#)
        #expect(others.map(shown) == others)
    }

    private static func looks(_ text: String) -> [String] {
        let shown = ShownText(text, width: 80)
        return shown.marks.map { mark in
            let attributes = mark.attributes
            let name = [(Style.Attributes.bold, "b"), (.italic, "i"), (.underline, "u")]
                .filter { attributes.contains($0.0) }.map(\.1).joined()
            return String(decoding: Array(shown.text.utf8)[mark.range], as: UTF8.self) + " " + name
        }
    }

    @Test func `words within emphasis have both looks, and no stars are shown`() {
        func found(_ text: String) -> [String] { [ShownText(text, width: 80).text] + Self.looks(text) }
        #expect(found("**a *b* c**") == ["a b c", "a  b", "b bi", " c b"])
        #expect(found("*a **b** c*") == ["a b c", "a  i", "b bi", " c i"])
        #expect(found("***a** b*") == ["a b", "a bi", " b i"])
        #expect(found("**a *b***") == ["a b", "a  b", "b bi"])
        #expect(found("***a* b** *c*") == ["a b c", "a bi", " b b", "c i"])
        #expect(found("**a* b** *c **d e*") == ["a* b c **d e", "a* b b", "c **d e i"])
        #expect(found("***b***") == ["b", "b bi"])
        #expect(found("**a `*b` c**") == ["a *b c", "a  b", "*b b", " c b"])
        #expect(found("****a**** * b * \\* *c*") == ["****a**** * b * * c", "c i"])
    }

    @Test func `words within others have their look, also in scripts without spaces`() {
        func found(_ text: String) -> [String] { [ShownText(text, width: 80).text] + Self.looks(text) }
        #expect(found("这是**重要**的, *日*本") == ["这是重要的, 日本", "重要 b", "日 i"])
        #expect(found("**「要」**的") == ["「要」的", "「要」 b"])
        #expect(found("un**frigging**believable") == ["unfriggingbelievable", "frigging b"])
        #expect(found("2**3 and 4**5, a*b*c, src/**/x **y**") == ["2**3 and 4**5, a*b*c, src/**/x y", "y b"])
    }

    @Test(arguments: [
        "x = 2*3*4; int *p, *q; f(*a, *b); g(*c)", "int *p = a*b; *s++ = *t", "int *p=2*3, *q=(*p)*n",
        "*x and 3*4", "*2*3 2**3**4 *p=a*b", "char *a[] = {*b, *c};", "*.c and x*y.h", "kill -9 *a &*b",
        #"path C:\_tmp\*.txt and (D:\x\_y\_z.md)"#, #"\d+\.\d+"#,
    ])
    func `stars of programs and signs of paths are shown`(_ text: String) {
        #expect(ShownText(text, width: 80).text == text)
    }

    @Test func `a star within a word ends what begins in it`() {
        #expect(Self.looks("*un*believable *x*2 *a*日 *日*a") == ["un i", "x i", "a i", "日 i"])
    }

    @Test func `many rules do not multiply the size of a text`() {
        let rules = String(repeating: "---\n\n", count: 100_000)
        let shown = ShownText(rules, width: 80)
        #expect(shown.text.hasPrefix("───"))
        #expect(shown.text.utf8.count < 2 << 20)
    }

    @Test func `a rule is a line, and dashes below words make a heading`() {
        let line = String(repeating: "─", count: 20)
        #expect(
            ShownText("a\n\n---\nb\n\n> * * *\n", width: 20).text
                == "a\n\n\(line)\nb\n\n> \(line.dropLast(2))\n")
        #expect(Self.looks("A\n===\nb\n\nC\n---\n- x\n---") == ["A bu", "C b"])
    }

    @Test func `a heading at the beginning does not repeat the title`() {
        func shown(_ text: String) -> String { ShownText(text, width: 20, title: "A  *title*").text }
        #expect(shown("# A *title*\n\nb") == "b" && shown("# A title") == "")
        #expect(shown("# Another\n\nb") == "Another\n\nb" && shown("a\n\n# A title") == "a\n\nA title")
    }

    @Test(arguments: ["- ", "12. ", "> ", "> - "])
    func `code may begin an item or a quote`(_ sign: String) {
        let end = sign.hasPrefix(">") ? "> " : "  "
        let text = ShownText("\(sign)```\n\(end)x *y*\n\(end)```\n\n## After\n\n**b**", width: 80).text
        #expect(text.contains("x *y*") && !text.contains("`"), "\(text)")
        #expect(text.hasSuffix("After\n\nb"), "\(text)")
    }

    @Test func `headings have no signs, and code no fences`() {
        #expect(
            Self.looks("# A\n## B *c* ##\n### D #x\n####### e\n#f")
                == ["A bu", "B  b", "c bi", "D #x bi"])
        #expect(ShownText("# A\n## B *c* ##\n### D\n", width: 80).text == "A\nB c\nD\n")
        let code =
            "a\n\n```swift\n# x **y**\n\n  z | w\n--- | ---\n```\nb\n```\n```\n- c\n  ```\n  d\n  ```\n"
        #expect(
            ShownText(code, width: 80).text
                == "a\n\n  # x **y**\n\n    z | w\n  --- | ---\nb\n\n- c\n    d\n")
        let tildes = "a\n\n~~~ sh\nif *b* `c\n```\n~~~\n\n*d*\n"
        #expect(ShownText(tildes, width: 80).text == "a\n\n  if *b* `c\n  ```\n\nd\n")
        #expect(ShownText("```\n*x*", width: 80).text == "  *x*" && ShownText("```", width: 80).text == "")
    }

    @Test func `tables are aligned, their cells wrapped, and those without room are lines of cells`() {
        let text = "x\n| Name | *N* |\n|:--|--:|\n| a **b** | 3 |\n| long words | 120 |\n\ny | z"
        let shown = ShownText(text, width: 40)
        #expect(
            shown.text.split(separator: "\n", omittingEmptySubsequences: false) == [
                "x", "Name       │   N", "───────────┼────", "a b        │   3", "long words │ 120", "",
                "y | z",
            ])
        #expect(Self.looks(text) == ["Name b", "N bi", "b b"])
        // As a page is saved; cells are missing, one has a bar, and one is longer than the screen.
        let page = "A | B | C\n--- | --- | ---\n1 | four words, wrapped twice\n2\n| 3 | \\| é"
        let lines = ShownText(page, width: 22).text.split(separator: "\n")
        #expect(
            lines == [
                "A │ B              │ C", "──┼────────────────┼──", "1 │ four words,    │",
                "  │ wrapped twice  │", "2 │                │", "3 │ | é            │",
            ])
        for raw in [
            "a | b\n- | -x\nc | d", "a | b\n\n--- | ---", "a\u{1}c | b\n--- | ---\n1 | 2",
        ] {
            #expect(ShownText(raw, width: 80).text == raw)
        }
        let wide = (0..<9).map { "column \($0)" }.joined(separator: " | ")
        let table = wide + "\n" + String(repeating: "---|", count: 9) + "\n" + wide
        #expect(ShownText(table, width: 200).text.split(separator: "\n").count == 3)
        let records = (0..<9).map { "column \($0): column \($0)" }.joined(separator: "\n")
        #expect(ShownText(table, width: 40).text == records)
    }

    @Test func `a table that is too wide has a line for each cell, with its heading`() {
        let names = (1...5).map { "*Name* \($0)" }.joined(separator: " | ")
        let text = "a\n\n\(names)\n---|---|---|---|---\n1 | `a\\|b` | | 4\nx | y | z | | w\n\nb"
        let shown = ShownText(text, width: 30)
        #expect(
            shown.text
                == "a\n\nName 1: 1\nName 2: a|b\nName 4: 4\n\nName 1: x\nName 2: y\n"
                + "Name 3: z\nName 5: w\n\nb")
        let looks = shown.marks.map { String(decoding: Array(shown.text.utf8)[$0.range], as: UTF8.self) }
        #expect(looks.prefix(4) == ["Name", " 1", "Name", " 2"], "\(looks)")
        let (source, bytes) = (Array(text.utf8), Array(shown.text.utf8))
        for offset in source.indices where (0x61...0x7A).contains(source[offset]) {
            #expect(bytes[shown.shown(offset)] == source[offset])
            #expect(shown.source(shown.shown(offset)) == offset)
        }
        let many = Array(repeating: "c", count: 70).joined(separator: " | ")
        let dashes = Array(repeating: "---", count: 70).joined(separator: " | ")
        #expect(ShownText("\(many)\n\(dashes)\n\(many)", width: 400).text.hasPrefix("c: c\nc: c\n"))
        let headless = "| | | | | |\n---|---|---|---|---\n1 | two words | 3 | 4 | 5"
        #expect(ShownText(headless, width: 20).text == "1\ntwo words\n3\n4\n5")
    }

    @Test func `a table without headings begins with its first row, and code in cells has no backslashes`() {
        #expect(
            ShownText("| | |\n--- | ---\nk1 | one\nlong key | `c\\|d`", width: 40).text
                == "k1       │ one\nlong key │ c|d")
    }

    @Test func `offsets of the text and of the shown text lead to each other`() {
        let text = "# T\n\n**a** | [x]\n--- | ---:\nlonger words in a cell | b\n\n```\ncode\n```\nend"
        for width in [18, 30, 80] {
            let shown = ShownText(text, width: width)
            let (source, bytes) = (Array(text.utf8), Array(shown.text.utf8))
            for offset in source.indices where (0x61...0x7A).contains(source[offset]) {
                #expect(bytes[shown.shown(offset)] == source[offset], "\(width) \(offset)")
                #expect(shown.source(shown.shown(offset)) == offset)
            }
            #expect(shown.shown(source.count) == bytes.count && shown.source(bytes.count) == source.count)
        }
    }

    @Test func `headings, bold, and italic words have their look, also over lines`() {
        #expect(Self.looks("## A *b*\n**c d** *e* 2 * 3 * 4, a*b*c") == ["A  b", "b bi", "c d b", "e i"])
        #expect(Self.looks("```\n# x **y**\n```\n#no\n**a\n\nb**") == [])
        #expect(Self.looks(#"\*no\* *a\* b*, \*\*c**"#) == ["a* b i"])
        var state = AppState.showing(3)
        let layout = StoredObject.Layout(names: ["title", "url", "text"])
        let clip = Clip(
            StoredObject(
                id: ClipModel.objectID(2), version: 1, layout: layout,
                values: [
                    .text("T"), .text("https://a.example/"),
                    .text(
                        "some **bold words that are wrapped over two of the lines of this narrow screen, and more** end"
                    ),
                ]))
        state.reader.hasFocus = true
        state.reader.show(clip)
        state.reconcile()
        let runs = state.reader.lines.filter { $0.part == .text }.map(\.emphasis)
        #expect(
            runs.count == 2 && runs[0].first?.columns.lowerBound == 5
                && runs[1].first?.columns.lowerBound == 0)
        let frame = state.draw()
        #expect(frame.cell(row: 5, column: 8)?.style.attributes.contains(.bold) == true)
    }

    @Test func `the next match has its number, even if the text does not scroll`() async throws {
        try await RunningApp.open(size: Size(rows: 24, columns: 80)) { app in
            _ = try app.other { store in
                var draft = RunningApp.draft("Marks")
                draft.text = "a needle\n\nb needle\n\nc needle, needle"
                return try await store.add([draft])
            }
            try app.run(":wait count=1\n<Enter>\n:wait text=a needle\n/needle<Enter>\n:wait text=1/4 matches")
            try app.run("n\n:wait text=2/4 matches\nn\n:wait text=3/4 matches\n")
            try app.run("n\n:wait text=4/4 matches\nn\n:wait text=No match below; this is the first one.")
            try app.run("n\n:wait text=2/4 matches\nN\n:wait text=1/4 matches")
            try app.run(
                "N\n:wait text=No match above; this is the last one.\nn\n:wait text=this is the first")
            try app.run(
                "/nowhere<Enter>\n:wait text=No “nowhere” below.\n/needle<Enter>\n:wait text=/4 matches")
            try app.run("/marks<Enter>\n:wait text=1/2 matches\nn\n:wait text=2/2 matches")
        }
    }

    @Test func `the matches of a field and of a phrase are those on the screen`() async throws {
        try await RunningApp.open { app in
            _ = try app.other { store in
                var draft = RunningApp.draft("The vim book")
                (draft.note, draft.text, draft.url) = ("a vim note", "blue\n\nwhale vim\n\nblue\nwhale", "")
                return try await store.add([draft])
            }
            let filters = [
                ("note:vim", 1), ("title:vim", 1), ("text:vim", 1), ("\"blue whale\"", 1), ("vim", 3),
            ]
            for (filter, count) in filters {
                let words = "\(count) \(count == 1 ? "match" : "matches")"
                try app.run(":wait count=1\n/\(filter)<Enter>\n:wait idle\n<Enter>\n:wait text=· \(words)")
                try app.run("n\n:wait idle")
                #expect(app.state.reader.found?.number != nil)
                try app.run("<Esc><Esc>\n:wait idle")
            }
        }
    }

    @Test func `the matches of a filter are counted in the open clip, too`() async throws {
        try await RunningApp.open { app in
            _ = try app.other { store in
                var draft = RunningApp.draft("Needles")
                draft.text = (1...40).map { "Line \($0) with a needle" }.joined(separator: "\n\n")
                return try await store.add([draft])
            }
            try app.run(":wait count=1\n/needle<Enter>\n:wait idle\n<Enter>\n:wait text=42 matches")
            try app.run("n\n:wait text=2/42 matches\nn\n:wait text=3/42 matches")
            // Another prompt says nothing of words that the text lacks.
            try app.run(
                "<Esc><Esc>\n:wait idle\n/40<Enter>\n:wait count=1\n<Enter>\n:wait text=· 1 match\nt")
            #expect(!app.lines.contains { $0.contains(" 0 matches") })
        }
    }

    @Test func `a match is found and highlighted over the end of a wrapped line`() async throws {
        try await RunningApp.open(size: Size(rows: 24, columns: 80)) { app in
            _ = try app.other { store in
                var draft = RunningApp.draft("Marks")
                draft.text = String(repeating: "word ", count: 14) + "split phrase"
                return try await store.add([draft])
            }
            try app.run(":wait count=1\n<Enter>\n:wait text=split\n/split phrase<Enter>")
            try app.run(":wait text=1/1 match\nn\n:wait text=No match below; this is the first one.")
            let row = try #require(app.lines.firstIndex { $0.hasPrefix(" phrase") })
            let frame = app.state.draw()
            #expect(frame.cell(row: row, column: 1)?.style == app.state.theme[.match])
            #expect(frame.cell(row: row - 1, column: 1)?.style != app.state.theme[.match])
        }
    }

    @Test func `a phrase is found and highlighted over the lines of a wrapped cell`() async throws {
        let text =
            "Name | Remark\n---|---\nfirst | " + String(repeating: "word ", count: 12)
            + "split phrase here\nlast | split phrase"
        try await RunningApp.open(size: Size(rows: 24, columns: 80)) { app in
            try app.add(text)
            try app.run(":wait count=1\n<Enter>\n:wait text=Remark\n:resize 82x24\n:wait idle")
            var splits = 0
            for columns in 70...90 {
                try app.run(":resize \(columns)x24\n:wait idle\n/split phrase<Enter>\n:wait text=1/2 matches")
                let frame = app.state.draw()
                let line = app.lines.firstIndex { $0.contains("│ phrase here") }
                if let row = line {
                    splits += 1
                    let before = app.lines[row].prefix { $0 != "│" }.count
                    #expect(frame.cell(row: row, column: before + 2)?.style == app.state.theme[.match])
                    #expect(frame.cell(row: row, column: before + 9)?.style != app.state.theme[.match])
                    #expect(frame.cell(row: row, column: before)?.style != app.state.theme[.match])
                }
                try app.run("n\n:wait text=2/2 matches\nN\n:wait text=1/2 matches")
            }
            #expect(splits > 0)
        }
    }

    @Test func `words are found, highlighted, and copied where they are shown`() async throws {
        let text =
            "# Heading\n\n**bold *and* words**\n\n| Name | Remark |\n|---|--:|\n| apple | a needle |\n\n"
            + "```\nlet needle = 1\n```\n" + String(repeating: "line\n", count: 40) + "a needle"
        try await RunningApp.open(size: Size(rows: 24, columns: 90)) { app in
            try app.add(text)
            try app.run(":wait count=1\n<Enter>\n:wait text=Heading\n/needle<Enter>\n:wait text=3 matches")
            try app.run("g\n:wait text=apple")
            let row = try #require(app.lines.firstIndex { $0.contains("apple │ a needle") })
            let frame = app.state.draw()
            let column = try #require(
                app.lines[row].firstIndex(of: "n").map {
                    app.lines[row].distance(from: app.lines[row].startIndex, to: $0)
                })
            #expect(frame.cell(row: row, column: column)?.style == app.state.theme[.match])
            #expect(frame.cell(row: row, column: column - 1)?.style != app.state.theme[.match])
            try app.run("/bold and words<Enter>\n:wait text=1 match\ng\n:wait text=apple")
            let code = try #require(app.lines.firstIndex { $0.hasPrefix("   let needle") })
            try app.run("\(code)jvy\n:wait text=Copied the selected lines: let needle = 1")
        }
    }
}
