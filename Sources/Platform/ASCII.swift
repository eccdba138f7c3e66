/// The classes of a byte of UTF-8.
extension UInt8 {
    @inlinable package var isASCIIDigit: Bool { self &- 0x30 < 10 }
    @inlinable package var isASCIILetter: Bool { (self | 0x20) &- 0x61 < 26 }
    @inlinable package var isASCIIAlphanumeric: Bool { isASCIIDigit || isASCIILetter }

    /// Whether it is a letter or digit of ASCII, or a part of any other character.
    @inlinable package var isOfWord: Bool { isASCIIAlphanumeric || self >= 0x80 }
}

extension String {
    /// Whether it has 1 to 64 characters that are letters and digits of ASCII, `_`, and `-`.
    package var isPlainName: Bool {
        (1...64).contains(utf8.count)
            && utf8.allSatisfy {
                $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
            }
    }
}
