/// The role of a scalar of folded text in the index.
enum ScalarKind {
    /// Part of a word between separators.
    case word
    /// A token by itself: scripts written without spaces, and emoji.
    case single
    case separator

    init(_ scalar: UInt32) {
        switch scalar {
        case 0x30...0x39, 0x61...0x7A, 0x41...0x5A: self = .word
        case ..<0xAA: self = .separator
        case 0xAB...0xB1, 0xB4, 0xB6...0xB8, 0xBB...0xBF, 0xD7, 0xF7: self = .separator
        case ..<0xE00: self = .word
        case 0xE00...0xEFF, 0x1000...0x109F, 0x1780...0x17FF: self = .single
        case ..<0x2000: self = .word
        case 0x2000...0x206F: self = .separator
        case ..<0x2190: self = .word
        case 0x2190...0x2BFF: self = .single
        case ..<0x2E80: self = .word
        case 0x3000...0x3004, 0x3008...0x3020, 0x3030, 0x303D, 0x30A0, 0x30FB, 0xFF00...0xFF65:
            self = .separator
        case 0x2E80...0xA4CF, 0xAC00...0xD7AF, 0xF900...0xFAFF, 0x1F000...0x1FAFF, 0x20000...0x3FFFF:
            self = .single
        default: self = .word
        }
    }
}

extension UInt8 {
    /// Whether a byte is punctuation of ASCII, before which a backslash of Markdown has a meaning.
    package var isPunctuation: Bool {
        switch self {
        case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }
}

extension UTF8 {
    /// Returns the scalar that begins at an index of valid UTF-8, and its length.
    static func scalar(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> (value: UInt32, length: Int) {
        let byte = bytes[index]
        guard byte >= 0xC0 else { return (UInt32(byte), 1) }
        let length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
        guard index + length <= bytes.count else { return (0xFFFD, bytes.count - index) }
        var scalar = UInt32(byte) & (0xFF >> UInt32(length + 1))
        for next in 1..<length { scalar = scalar << 6 | UInt32(bytes[index + next] & 0x3F) }
        return (scalar, length)
    }
}
