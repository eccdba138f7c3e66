import Terminal
import TestSupport
import Testing

struct WrappedTextTests {
    private func wrap(_ text: String, _ width: Int?) -> [String] {
        var wrapped = WrappedText(text, width: width)
        return wrapped.lines(0..<1_000)
    }

    @Test(arguments: [
        ("the quick brown fox", 10, ["the quick", "brown fox"]), ("the quick", 9, ["the quick"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]), ("a\n\nb\r\nc\n", 5, ["a", "", "b", "c"]), ("", 5, [""]),
        ("  indented text", 10, ["  indented", "text"]), ("ab    cd", 3, ["ab", "cd"]),
        ("中文字漢字", 5, ["中文", "字漢", "字"]),
        ("中文。字，「漢」字", 6, ["中文。", "字，", "「漢」", "字"]), ("中文。字", 5, ["中", "文。", "字"]),
        ("中文”字. 漢", 4, ["中", "文”", "字.", "漢"]), ("中。", 2, ["中", "。"]), ("字「漢」", 4, ["字", "「漢", "」"]),
        ("see 中文字", 7, ["see 中", "文字"]), ("中", 1, ["…"]), ("a\u{2028}b", 9, ["a", "b"]),
        ("x\u{1B}[31m", 3, ["x␛[", "31m"]),
        ("abc\ndef", 3, ["abc", "def"]), ("abc \ndef", 3, ["abc", "def"]),
        ("e\u{301}e\u{301}e\u{301}", 2, ["e\u{301}e\u{301}", "e\u{301}"]),
    ])
    func `lines break at words`(text: String, width: Int, lines: [String]) {
        #expect(wrap(text, width) == lines)
    }

    @Test(arguments: [
        ("- one two three\nnext", 9, ["- one two", "  three", "next"]),
        ("  12. one two", 12, ["  12. one", "      two"]),
        ("> > a quote of words", 10, ["> > a", "> > quote", "> > of", "> > words"]),
        (": one two three", 8, [": one", "  two", "  three"]),
        ("plain words", 6, ["plain", "words"]), ("- abcdefgh", 4, ["-", "  ab", "  cd", "  ef", "  gh"]),
        ("-------- x", 4, ["----", "----", "x"]), ("          deep", 8, ["", "    deep"]),
    ])
    func `further lines of a list item and of a quote hang below its first one`(
        text: String, width: Int, lines: [String]
    ) {
        var wrapped = WrappedText(text, width: width, hangs: true)
        #expect(wrapped.lines(0..<1_000) == lines)
        for line in lines.indices {
            #expect(wrapped.isShown(line, as: lines[line]))
            #expect(wrapped.line(at: wrapped.offset(ofLine: line)) == line)
        }
    }

    @Test func `a number of a link remains next to the last word of it`() {
        var text = WrappedText("see the link [12], x", width: 12)
        #expect(text.lines(0..<4) == ["see the", "link [12], x"])
        var other = WrappedText("see the link [1 2] x", width: 14)
        #expect(other.lines(0..<4) == ["see the link", "[1 2] x"])
        var long = WrappedText("abcdefghijkl [3]", width: 12)
        #expect(long.lines(0..<4).joined().hasPrefix("abcdefghijkl"))
    }

    @Test func `without a width only line ends break`() {
        #expect(wrap("a long line of words\nb", nil) == ["a long line of words", "b"])
    }

    @Test func `twenty megabytes are read only as far as shown`() {
        let text = String(repeating: "Some words of a long page, und ein paar Wörter mehr. ", count: 400_000)
        var wrapped = WrappedText(text, width: 40)
        #expect(wrapped.lines(100..<150).count == 50)
        #expect(!wrapped.isComplete)
        #expect(wrapped.count(upTo: 200) == 200)
    }

    @Test func `megabytes of invisible text terminate`() {
        var wrapped = WrappedText(String(repeating: "\u{200B}", count: 500_000), width: 10)
        #expect(wrapped.lines(0..<2) == ["", ""])
    }

    @Test func `a position is stable while the width changes`() {
        let text = "one two three four five six seven"
        var narrow = WrappedText(text, width: 9)
        let offset = narrow.offset(ofLine: 2)
        var wide = WrappedText(text, width: 16)
        let line = wide.line(at: offset)
        #expect(narrow.lines(2..<3) == ["four five"])
        #expect(wide.lines(line..<line + 1) == ["four five six"])
        #expect(narrow.offset(ofLine: 99) == narrow.offset(ofLine: 3))
        #expect(wide.line(at: 9_999) == 2)
    }

    @Test func `no line is wider than requested and no letter is lost`() {
        let seed: UInt64 = 20_260_803
        var random = SeededRandom(seed: seed)
        for _ in 0..<LongProof.count(500, of: 2000, "random texts to wrap") {
            let text = random.text(length: 40)
            for width in [1, 2, 3, 7, 20] {
                let lines = wrap(text, width)
                for line in lines {
                    #expect(DisplayWidth.columns(of: line) <= width, "\(text.debugDescription)")
                }
                guard width > 6 else { continue }
                let letters = { (text: String) in
                    text.unicodeScalars.filter { (0x4E00...0x4EFF).contains($0.value) }.count
                }
                #expect(
                    letters(lines.joined()) == letters(text),
                    "seed \(seed), width \(width): \(text.debugDescription)")
            }
        }
    }
}
