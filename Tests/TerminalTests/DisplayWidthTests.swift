import Terminal
import Testing

struct DisplayWidthTests {
    @Test(arguments: ["plain", "漢字 and été", "e\u{301}👩‍👩‍👧x\t\u{7}", ""])
    func `the columns before offsets are those of the text up to them`(text: String) {
        let ends = text.indices.map { text.utf8.distance(from: text.startIndex, to: $0) } + [text.utf8.count]
        let columns = DisplayWidth.columns(of: text, before: ends)
        #expect(
            columns
                == ends.map {
                    DisplayWidth.columns(of: String(decoding: text.utf8.prefix($0), as: UTF8.self))
                }
        )
    }

    @Test(arguments: [
        ("a", "a", 1), ("é", "é", 1), ("e\u{301}", "e\u{301}", 1), ("中", "中", 2), ("👍", "👍", 2),
        ("👍🏽", "👍", 2),
        ("👨‍👩‍👧", "👨", 2), ("❤️", "❤", 1), ("1️⃣", "1\u{20E3}", 1), ("🇩🇪", "DE", 2), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴", 2), ("कि", "कि", 2),
        ("한", "한", 2),
        ("\u{1112}\u{1161}\u{11AB}", "\u{1112}\u{1161}\u{11AB}", 2),
        ("\u{1112}\u{1160}\u{11AB}", "\u{1112}\u{FFFD}", 3), ("\u{301}", "\u{25CC}\u{301}", 1),
        ("\u{1F3FD}", "\u{FFFD}", 1), ("\u{378}", "\u{FFFD}", 1), ("\u{FFFF}", "\u{FFFD}", 1),
        ("می\u{200C}خ", "می\u{200C}خ", 3), ("a\u{200C}b", "ab", 2), ("\u{3000}", "\u{3000}", 2),
        ("\u{A0}", " ", 1),
    ])
    func `a cluster has one form and width`(text: String, form: String, columns: Int) {
        #expect(SafeText.line(text).unicodeScalars.elementsEqual(form.unicodeScalars))
        #expect(DisplayWidth.columns(of: text) == columns)
        #expect(DisplayWidth.columns(of: form) == columns)
    }
}
