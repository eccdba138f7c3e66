import Terminal
import TestSupport
import Testing

struct SafeJSONTests {
    @Test func `no invisible scalar reaches a terminal in JSON`() {
        // Few scalars of planes 4 to 13 are assigned.
        if !LongProof.isWhole { LongProof.omits("63 of 64 scalars of planes 4 to 13") }
        for value in UInt32(0x7F)...0x10FFFF {
            if !LongProof.isWhole, (0x40000..<0xE0000).contains(value), value % 64 > 0 { continue }
            guard let scalar = Unicode.Scalar(value) else { continue }
            let properties = scalar.properties
            let isInvisible: Bool =
                switch properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .surrogate: true
                default: properties.isDefaultIgnorableCodePoint || properties.isVariationSelector
                }
            guard isInvisible else { continue }
            if !SafeText.isHidden(scalar) { Issue.record("U+\(String(value, radix: 16))") }
        }
    }

    @Test(arguments: [
        ("\u{200B}", "\\u200b"), ("\u{2060}", "\\u2060"), ("\u{FEFF}", "\\ufeff"), ("\u{FFF9}", "\\ufff9"),
        ("\u{E0041}", "\\udb40\\udc41"), ("\u{1D173}", "\\ud834\\udd73"), ("\u{7F}", "\\u007f"),
        ("é漢😀\u{1F3}", "é漢😀\u{1F3}"),
    ])
    func `an invisible scalar is escaped, and a letter is unchanged`(text: String, escaped: String) {
        #expect(SafeText.json("{\"a\":\"\(text)\"}") == "{\"a\":\"\(escaped)\"}")
    }
}
