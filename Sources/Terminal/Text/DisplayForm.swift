import CTerminal

/// The glyphs that represent one grapheme cluster on the screen.
///
/// Terminals, ncurses, and the C library disagree about the width of clusters, and untrusted text may contain
/// controls. The form is one on which they agree: no control or invisible character, the first emoji of an
/// emoji sequence, the two letters of a flag, and a separate cell for every other spacing character.
///
/// Right-to-left text remains in logical order, without direction marks after it: most terminals show it in
/// this order. Terminals that reorder a line do so themselves and drop such marks (they are not part of a
/// cell in level 1 of terminal-wg's "BiDi in Terminal Emulators"). Reordering here and disabling theirs
/// (BDSM, ECMA-48 8.3.16) would leave Arabic unjoined.
struct DisplayForm: Equatable {
    private(set) var first: Glyph?
    private(set) var rest: [Glyph] = []

    var columns: Int { rest.reduce(Int(first?.columns ?? 0)) { $0 + Int($1.columns) } }

    init(ascii: UInt8) { self.init(Glyph.ascii[Int(ascii)]) }

    private init(_ glyph: Glyph) { first = glyph }

    init(_ character: Character) {
        if let ascii = character.asciiValue {
            self.init(ascii: ascii)
            return
        }
        let scalars = character.unicodeScalars
        if let scalar = scalars.first, scalars.index(after: scalars.startIndex) == scalars.endIndex,
            let columns = scalar.knownColumns
        {
            self.init(Glyph(scalar, columns: columns))
            return
        }
        self.init(byTables: character)
    }

    /// Creates the form from the Unicode tables, which is about 100 times slower.
    init(byTables character: Character) {
        var previous: Unicode.Scalar?
        for scalar in character.unicodeScalars {
            append(scalar, after: previous)
            if scalar.properties.isEmoji, scalar.value > 0xFF, !scalar.isRegionalIndicator {
                return
            }
            previous = scalar
        }
    }

    static func glyph(ascii: UInt8) -> Glyph {
        switch ascii {
        case 0x20..<0x7F: Glyph(Unicode.Scalar(ascii), columns: 1)
        case 0x09, 0x0A, 0x0D: .space
        case 0x7F: Glyph("\u{2421}", columns: 1)
        default: Glyph(Unicode.Scalar(0x2400 + UInt32(ascii)) ?? "\u{FFFD}", columns: 1)
        }
    }

    private mutating func append(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar?) {
        if scalar.isASCII {
            return start(Glyph.ascii[Int(scalar.value)])
        }
        if scalar.isRegionalIndicator {
            let letter = Unicode.Scalar(0x41 + scalar.value - 0x1F1E6) ?? "?"
            return start(Glyph(letter, columns: 1))
        }
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint {
            if scalar.isJoiner(after: previous) { addMark(scalar) }
            return
        }
        if properties.isEmojiModifier {
            if first == nil { start(.replacement) }
            return
        }
        switch properties.generalCategory {
        case .control, .format, .surrogate, .unassigned:
            start(.replacement)
        case .lineSeparator, .paragraphSeparator:
            start(.space)
        case .spaceSeparator where scalar.value != 0x3000:
            start(.space)
        default:
            switch scalar.value < 0x300 ? 1 : terminal_columns(scalar.value) {
            case 0 where !scalar.isMark && !mayJoin(after: previous):
                start(.replacement)
            case 0: addMark(scalar)
            case 1: start(Glyph(scalar, columns: 1))
            case 2: start(Glyph(scalar, columns: 2))
            default: start(.replacement)
            }
        }
    }

    /// Returns whether a Hangul vowel or final joins the previous scalar; not a filler, which is omitted.
    private func mayJoin(after previous: Unicode.Scalar?) -> Bool {
        (rest.last ?? first ?? .replacement) != .replacement
            && previous?.properties.isDefaultIgnorableCodePoint != true
    }

    private mutating func start(_ glyph: Glyph) {
        if first == nil {
            first = glyph
        } else {
            rest.append(glyph)
        }
    }

    private mutating func addMark(_ mark: Unicode.Scalar) {
        if first == nil { first = Glyph("\u{25CC}", columns: 1) }
        if rest.isEmpty {
            first?.append(mark)
        } else {
            rest[rest.count - 1].append(mark)
        }
    }
}

extension Unicode.Scalar {
    var isRegionalIndicator: Bool { (0x1F1E6...0x1F1FF).contains(value) }

    /// The columns of common letters and signs, and of those on the app's screens; nil if the tables are
    /// required.
    fileprivate var knownColumns: Int8? {
        switch value {
        // Latin beyond ASCII except the soft hyphen, Greek, Cyrillic.
        case 0xA1...0xAC, 0xAE...0x2FF, 0x391...0x3A1, 0x3A3...0x3C9, 0x401, 0x410...0x44F, 0x451: 1
        // Dashes, quotation marks, bullet, ellipsis, rules, blocks.
        case 0x2013, 0x2014, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2026, 0x2500...0x259F: 1
        // Kana, ideographs, Hangul.
        case 0x3041...0x3096, 0x30A1...0x30FA, 0x4E00...0x9FEF, 0xAC00...0xD7A3: 2
        default: nil
        }
    }

    /// Whether the scalar is a mark. A Hangul vowel or final has no column either, but joins only Hangul.
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .spacingMark: true
        default: false
        }
    }

    /// Returns whether RFC 5892 (A.1, A.2) allows this joiner: after a virama, and the non-joiner also in
    /// Arabic.
    fileprivate func isJoiner(after previous: Unicode.Scalar?) -> Bool {
        guard value == 0x200C || value == 0x200D, let previous else { return false }
        if previous.properties.canonicalCombiningClass == .virama { return true }
        return value == 0x200C && (0x620...0x6D3).contains(previous.value)
    }
}
