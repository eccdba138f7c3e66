/// Functions that make untrusted text safe to show, without control, direction, or invisible characters.
package enum SafeText {
    /// Returns the text as one line: line ends and tabs become spaces, controls become visible signs.
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

    /// Returns the text as it is, for a file or a program, except controls other than tabs and line ends, which become
    /// visible signs, and signs for the direction of writing, which are replaced.
    package static func stored(_ text: String) -> String {
        var stored = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x09, 0x0A: stored.append(scalar)
            case 0..<0x20: stored.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
            case 0x7F: stored.append("\u{2421}")
            case 0x80..<0xA0, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069:
                stored.append("\u{FFFD}")
            default: stored.append(scalar)
            }
        }
        return String(stored)
    }

    /// Returns the text with each line made safe; line ends are retained.
    package static func lines(_ text: String) -> String {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { line(String($0)) }.joined(separator: "\n")
    }

    /// Returns the text as one line of at most `columns`, with `…` for the part that does not fit.
    package static func cut(_ text: String, to columns: Int) -> String {
        guard columns > 0 else { return "" }
        let columns = min(columns, 1 << 32)
        let text = text.beginning(for: columns)
        if text.isPlain {
            guard text.utf8.count > columns else { return String(text) }
            return String(Substring(text.utf8.prefix(columns - 1))) + "…"
        }
        var safe = ""
        var used = 0
        // The length that leaves a column for the ellipsis.
        var fitting = 0
        var forms = DisplayForms(text)
        while used <= columns {
            let letters = forms.nextPlainRun().utf8.prefix(columns - used + 1)
            if used < columns { fitting = safe.utf8.count + min(letters.count, columns - 1 - used) }
            safe += Substring(letters)
            used += letters.count
            guard used <= columns, let form = forms.next() else { break }
            safe.append(form)
            used += form.columns
            if used < columns { fitting = safe.utf8.count }
        }
        return used > columns ? safe.prefix(utf8Count: fitting) + "…" : safe
    }

    /// Cuts a sentence after a word, unless the last word is longer than half of the columns.
    package static func cutAtWord(_ text: String, to columns: Int) -> String {
        let cut = cut(text, to: columns)
        guard cut.hasSuffix("…"), !text.hasPrefix(cut),
            Self.cut(text, to: columns + 1).dropFirst(cut.count - 1).first != " ",
            let space = cut.lastIndex(of: " "),
            DisplayWidth.columns(of: String(cut[..<space])) * 2 >= columns
        else { return cut }
        return cut[..<space] + "…"
    }
}

extension StringProtocol {
    /// Whether the text is printable ASCII: every byte is a safe character of one column.
    var isPlain: Bool {
        utf8.withContiguousStorageIfAvailable { $0.allSatisfy(\.isPlain) } ?? utf8.allSatisfy(\.isPlain)
    }
}

extension UInt8 {
    /// Whether the byte is a printable ASCII character.
    var isPlain: Bool { self &- 0x20 < 0x5F }
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
