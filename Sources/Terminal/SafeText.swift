/// Text from strangers made fit to show: no control, direction or invisible character is left to obey.
package enum SafeText {
    /// On one line: line ends and tabs are spaces, controls are visible signs.
    package static func line(_ text: String) -> String {
        if text.isPlain { return String(text) }
        var safe = ""
        var forms = DisplayForms(text)
        while true {
            safe += forms.nextPlainRun()
            guard let form = forms.next() else { return safe }
            safe.append(form)
        }
    }

    /// The same for a text of several lines, which stay lines.
    package static func lines(_ text: String) -> String {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { line(String($0)) }.joined(separator: "\n")
    }

    /// On one line of at most `columns`, with `…` in place of what does not fit.
    package static func cut(_ text: String, to columns: Int) -> String {
        guard columns > 0 else { return "" }
        let text = text.beginning(for: columns)
        if text.isPlain {
            return text.utf8.count <= columns ? String(text) : String(text.prefix(columns - 1)) + "…"
        }
        var safe = ""
        var used = 0
        // How much of it leaves a column for the ellipsis.
        var kept = 0
        for form in DisplayForms(text) {
            if used + form.columns > columns { return safe.prefix(utf8Count: kept) + "…" }
            safe.append(form)
            used += form.columns
            if used < columns { kept = safe.utf8.count }
        }
        return safe
    }
}

extension StringProtocol {
    /// Printable ASCII only: every byte is a character of one column, and safe.
    var isPlain: Bool { utf8.allSatisfy { $0 &- 0x20 < 0x5F } }
}

extension String {
    mutating func append(_ form: DisplayForm) {
        guard let first = form.first else { return }
        append(first)
        for glyph in form.rest { append(glyph) }
    }

    private mutating func append(_ glyph: Glyph) {
        glyph.forEachScalar { if let scalar = Unicode.Scalar($0) { unicodeScalars.append(scalar) } }
    }

    fileprivate func prefix(utf8Count count: Int) -> String {
        String(self[..<utf8.index(startIndex, offsetBy: count)])
    }
}
