import Terminal
import Testing

struct KeyNameTests {
    @Test(arguments: [
        "j", "G", "é", "中", "<Space>", "<lt>", ">", "<Enter>", "<Tab>", "<S-Tab>", "<Esc>", "<BS>", "<Del>",
        "<Ins>",
        "<Up>", "<Down>", "<Left>", "<Right>", "<PgUp>", "<PgDn>", "<Home>", "<End>", "<F1>", "<F12>",
        "<C-d>",
        "<C-Space>", "<C-\\>", "<A-x>", "<A->>", "<A-->", "<A-lt>", "<C-Left>", "<S-C-d>", "<C-A-S-Up>",
        "<C-S-Tab>", "<C-A-S-Tab>",
        "<Resize>",
        "<Unknown>", "<Press:3,10>", "<WheelUp:0,0>", "<WheelDown:1,2>", "<Paste:a b\\n\\>\\\\>",
        "<PasteCut:7>",
    ])
    func `a key's name reads back as the key`(name: String) throws {
        let key = try #require(Key(named: name))
        #expect(key.name == name)
        #expect(Key(named: key.name) == key)
    }

    @Test func `alternative names of a key are accepted`() {
        #expect(Key(named: "<cr>") == .enter)
        #expect(Key(named: "<C-m>") == .enter)
        #expect(Key(named: "<C-[>") == .escape)
        #expect(Key(named: "<c-D>") == .control("d"))
        #expect(Key(named: "<M-x>") == .modified(.alt, .character("x")))
        #expect(Key(named: "<gt>") == .character(">"))
        for name in ["<S-C-Tab>", "<C-BackTab>", "<C-S-BackTab>"] {
            #expect(Key(named: name) == .modified(.control, .backTab))
        }
    }

    @Test(arguments: [
        "a\n\u{483}", "\u{600}\n>", "\u{301}", "a-", "a->", "\\\u{301}>", "\u{600}>\u{301}n", "--",
    ])
    func `a paste is read back, with any marks and signs in it`(text: String) {
        let key = Key.paste(text)
        #expect(Key(named: key.name).map { Array($0.name.unicodeScalars) } == Array(key.name.unicodeScalars))
        #expect(Key(named: key.name) == key)
    }

    @Test func `a script's text is a sequence of keys`() throws {
        #expect(
            try KeyParser.keys(in: "5j<Enter>/x<Esc>")
                == [.character("5"), .character("j"), .enter, .character("/"), .character("x"), .escape])
    }

    @Test func `a wrong name is reported with the valid ones`() {
        let unknown = #expect(throws: KeyParserError.self) { try KeyParser.keys(in: "j<Entr>") }
        #expect(unknown?.description.contains("Unknown key <Entr>.") == true)
        #expect(unknown?.description.contains("<Enter>") == true)
        let open = #expect(throws: KeyParserError.self) { try KeyParser.keys(in: "a<b") }
        #expect(open?.description.contains("<lt>") == true)
        #expect(throws: KeyParserError.self) { try KeyParser.keys(in: "a\u{1B}b") }
    }
}
