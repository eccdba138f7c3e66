import CTerminal

/// The glyphs that stand for one grapheme cluster on the screen.
///
/// Terminals, ncurses and the C library disagree about the width of clusters, and strangers' text holds
/// controls. The form is what all agree on: no control, nothing invisible, emoji sequences as their first
/// emoji, flags as their two letters, every other spacing character in a cell of its own.
///
/// Text that runs from right to left stays in the order in which it was written, and no mark of direction is put
/// behind it: most terminals show it so, those that reorder a line do it themselves, and these drop such marks (they
/// are no part of a cell in level 1 of terminal-wg's "BiDi in Terminal Emulators"). To reorder here and switch them
/// off (BDSM, ECMA-48 8.3.16) would leave Arabic unjoined.
struct DisplayForm {
    private(set) var first: Glyph?
    private(set) var rest: [Glyph] = []

    var columns: Int { rest.reduce(Int(first?.columns ?? 0)) { $0 + Int($1.columns) } }

    init(ascii: UInt8) { first = Glyph.ascii[Int(ascii)] }

    init(_ character: Character) {
        if let ascii = character.asciiValue {
            first = Glyph.ascii[Int(ascii)]
            return
        }
        // Letters, rules, blocks and the signs of our own screens need no look into the tables of Unicode.
        let scalars = character.unicodeScalars
        if let scalar = scalars.first, scalars.index(after: scalars.startIndex) == scalars.endIndex,
            scalar.isNarrowAndShown
        {
            first = Glyph(scalar, columns: 1)
            return
        }
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
            case 0 where !scalar.isMark && (rest.last ?? first ?? .replacement) == .replacement:
                start(.replacement)
            case 0: addMark(scalar)
            case 1: start(Glyph(scalar, columns: 1))
            case 2: start(Glyph(scalar, columns: 2))
            default: start(.replacement)
            }
        }
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

    /// Surely one column and no emoji: Latin beyond ASCII but for the soft hyphen, bullet and ellipsis, box drawing
    /// and blocks.
    fileprivate var isNarrowAndShown: Bool {
        switch value {
        case 0xAD: false
        case 0xA1..<0x300, 0x2022, 0x2026, 0x2500..<0x25A0: true
        default: false
        }
    }

    /// A vowel or final of Hangul has no column either, but joins only its own kind.
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .spacingMark: true
        default: false
        }
    }

    /// Where RFC 5892 (A.1, A.2) lets the two joiners stand: after a virama, and the non-joiner in Arabic.
    fileprivate func isJoiner(after previous: Unicode.Scalar?) -> Bool {
        guard value == 0x200C || value == 0x200D, let previous else { return false }
        if previous.properties.canonicalCombiningClass == .virama { return true }
        return value == 0x200C && (0x620...0x6D3).contains(previous.value)
    }
}
