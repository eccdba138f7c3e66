@testable import Terminal
import Testing

struct DisplayFormTests {
    @Test func `results without the tables equal those of the tables`() {
        for scalar in (0x80...0xFFFF).compactMap({ Unicode.Scalar($0 as UInt32) }) {
            let (known, looked) = (
                DisplayForm(Character(scalar)), DisplayForm(byTables: Character(scalar))
            )
            if known != looked { Issue.record("U+\(String(scalar.value, radix: 16)): \(known), \(looked)") }
        }
    }

    @Test func `runs of plain letters are the letters that are forms by themselves`() {
        for text in [
            "", "plain", "cafe\u{301} x", "a中b", "中文", "x\u{200D}y", "e\u{301}", "tab\tend", "ab👍🏽cd",
        ] {
            var whole = ""
            var forms = DisplayForms(text)
            while true {
                let run = forms.nextPlainRun()
                #expect(run.utf8.count == run.count)
                whole += run
                guard let form = forms.next() else { break }
                whole.append(form)
            }
            #expect(whole == DisplayForms(text).reduce(into: "") { $0.append($1) })
        }
    }
}
