import TestSupport
import Testing

@testable import ClipsTerminal

/// Tables and code in quotes and lists of an open clip.
@Suite struct ShownBlockTests {
    private static func shown(_ text: String, width: Int = 60) -> String {
        ShownText(text, width: width).text
    }

    @Test(arguments: ["✔️", "⚠️ x", "❤️", "🇩🇪", "👍🏽", "1️⃣", "a\u{200D}b", "a\u{200E}", "\u{FEFF}a"])
    func `a cell with an emoji or invisible characters is one of a table`(cell: String) {
        let lines = Self.shown("A | B\n--- | ---\n\(cell) | c\nlong words | d").split(separator: "\n")
        #expect(lines.count == 4 && lines[1] == "───────────┼──" && lines[3] == "long words │ d")
        #expect(lines[2].hasPrefix(cell) && lines[2].hasSuffix(" │ c"), "\(lines)")
        let narrow = Self.shown("A | B\n--- | ---\n\(cell) word and more words | c", width: 14)
        #expect(narrow.contains("\n") && !narrow.contains("---"), "\(narrow)")
    }

    @Test func `the first cell of a row has no backslashes for a line`() {
        #expect(
            Self.shown("No | Name\n--- | ---\n1\\. | \\d+\\.\n\\# 2 | b")
                == "No  │ Name\n────┼──────\n1.  │ \\d+\\.\n# 2 │ b")
        #expect(Self.shown("> A | B\n> --- | ---\n> 1\\) | b") == "> A  │ B\n> ───┼──\n> 1) │ b")
    }

    @Test func `the words of an item, a quote, or a description have no backslashes for a line`() {
        #expect(
            Self.shown("- 1\\. one\n- \\- dash\n4. \\# tag\n- 2024\\. A year\n- [ ] \\+ task\n  \\- next")
                == "- 1. one\n- - dash\n4. # tag\n- 2024. A year\n- [ ] + task\n  - next")
        #expect(Self.shown("> 1\\. in quote\n> - \\- item") == "> 1. in quote\n> - - item")
        #expect(Self.shown("term\n: \\- def") == "term\n: - def")
        #expect(Self.shown("- \\d+\\.x\n> a \\- b\na\\.b") == "- \\d+\\.x\n> a \\- b\na\\.b")
    }

    @Test func `tables may be in quotes, and have one column`() {
        #expect(
            Self.shown("> k | v\n> --- | ---\n> long | 1\n>\n> after\n\nx")
                == "> k    │ v\n> ─────┼──\n> long │ 1\n>\n> after\n\nx")
        #expect(Self.shown("> a | b\n> --- | ---\n> 1 | 2\nx | y") == "> a │ b\n> ──┼──\n> 1 │ 2\nx | y")
        #expect(
            Self.shown("| A |\n|---|\n| line1 \\| pipe |\n") == "A\n────────────\nline1 | pipe\n")
        #expect(
            Self.shown("> key | value\n> --- | ---\n> a | b c d e f g", width: 16)
                == "> key │ value\n> ────┼─────────\n> a   │ b c d e\n>     │ f g")
    }

    @Test func `a table in a list has its indent, and ends before the next item`() {
        let text = "1. First:\n\n   | A | B |\n   |---|---|\n   | 1 | 2 |\n2. Second | x\n3. Third"
        #expect(
            Self.shown(text)
                == "1. First:\n\n   A │ B\n   ──┼──\n   1 │ 2\n2. Second | x\n3. Third")
        #expect(
            Self.shown("- A | B\n  --- | ---\n  1 | 2\n- next") == "- A │ B\n  ──┼──\n  1 │ 2\n- next")
    }

    @Test func `a line without a bar ends a table, unless a row follows`() {
        #expect(Self.shown("A | B\n--- | ---\n1 | 2\nwords") == "A │ B\n──┼──\n1 │ 2\nwords")
        #expect(Self.shown("A | B\n--- | ---\n1\n2 | 3\nwords") == "A │ B\n──┼──\n1 │\n2 │ 3\nwords")
    }

    @Test func `code in a quote is indented behind its sign, and ends with it`() {
        #expect(
            Self.shown("> x\n>\n> ```sh\n> alpha\n>\n>   > beta\n> ```\n>\n> **y**")
                == "> x\n>\n>   alpha\n>\n>     > beta\n>\n> y")
        #expect(Self.shown("> ```\n> alpha\n\n**y**") == ">   alpha\n\ny")
        #expect(Self.shown("> > ```\n> > a\n> > ```\n> b") == "> >   a\n> b")
        #expect(Self.shown("```\n> a\n```\nb") == "  > a\nb")
    }
}
