import TestSupport
import Testing

@testable import Terminal

struct SafeTextTests {
    @Test func `controls are shown and not interpreted`() {
        #expect(SafeText.line("a\u{1B}[31mb\u{7F}c\u{9B}d\0") == "a␛[31mb␡c\u{FFFD}d␀")
        #expect(SafeText.line("a\tb\r\nc\nd\u{2028}e\u{85}") == "a b c d e\u{FFFD}")
    }

    @Test func `invisible and direction characters are removed`() {
        for scalar
            in "\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}\u{2066}\u{2067}\u{2068}\u{2069}\u{200E}\u{200F}\u{61C}"
            .unicodeScalars
            + "\u{200B}\u{200C}\u{200D}\u{FEFF}\u{2060}\u{AD}\u{34F}\u{3164}\u{E0041}".unicodeScalars
        {
            #expect(SafeText.line("a\(scalar)b") == "ab", "\(scalar.escaped(asASCII: true))")
        }
    }

    @Test(arguments: [
        ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("中文字", 5, "中文…"), ("中文字", 4, "中…"), ("中文", 4, "中文"),
        ("abc", 0, ""),
        ("abc", -3, ""), ("中", 1, "…"), ("", 3, ""), ("abc", Int.max, "abc"), ("🇩🇪🇫🇷", 3, "DE…"),
        ("a\u{301}bc", 2, "a\u{301}…"), ("é", Int.max, "é"), ("éabc", 3, "éa…"), ("abéx", 3, "ab…"),
    ])
    func `a truncated text shows that it is truncated`(text: String, columns: Int, cut: String) {
        #expect(SafeText.cut(text, to: columns) == cut)
    }

    @Test func `making any text safe twice changes nothing more`() {
        var random = SeededRandom(seed: 20_260_801)
        for _ in 0..<3_000 {
            let text = random.text(length: 12)
            let safe = SafeText.line(text)
            #expect(SafeText.line(safe) == safe, "\(text.debugDescription)")
            #expect(
                DisplayWidth.columns(of: safe) == DisplayWidth.columns(of: text), "\(text.debugDescription)")
            #expect(!safe.unicodeScalars.contains { $0.properties.generalCategory == .control })
            for columns in 0...8 {
                let cut = SafeText.cut(text, to: columns)
                #expect(DisplayWidth.columns(of: cut) <= columns)
                #expect(cut == safe || columns == 0 || cut.hasSuffix("…"))
                guard cut != safe, columns > 0 else { continue }
                // The longest beginning of whole clusters that leaves a column for the ellipsis.
                var (longest, used) = ("", 0)
                for form in DisplayForms(text) {
                    used += form.columns
                    guard used < columns else { break }
                    longest.append(form)
                }
                #expect(cut == longest + "…", "\(text.debugDescription) to \(columns)")
            }
        }
    }
}
