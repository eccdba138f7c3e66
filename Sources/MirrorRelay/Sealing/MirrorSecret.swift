/// The secret that the machines of a mirror share; every key derives from it.
public struct MirrorSecret: Hashable, Sendable {
    package let bytes: [UInt8]

    /// 128 bits: as strong as the cipher requires, and short enough to type.
    static let count = 16

    /// Creates a random secret.
    public init() { bytes = Sodium.random(Self.count) }

    /// Creates a known secret, for measurements.
    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a pairing code. Case, spaces, and hyphens do not matter, nor does O for 0, or I or L for 1.
    ///
    /// - Returns: Nil if a character or the checksum is wrong.
    public init?(code: String) {
        var bits = 0
        var value: UInt32 = 0
        var bytes: [UInt8] = []
        var checksum: UInt32 = 0
        let letters = code.uppercased().filter { $0 != "-" && !$0.isWhitespace }
        guard letters.count == Self.letterCount else { return nil }
        for letter in letters {
            guard let digit = Self.digit(letter) else { return nil }
            value = value << 5 | digit
            bits += 5
            if bytes.count == Self.count {
                checksum = value & 0xFFF
            } else if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(bits)))
            }
        }
        guard checksum == Self.checksum(bytes) else { return nil }
        self.bytes = bytes
    }

    /// The pairing code: seven groups of four characters, of which the last 12 bits are a checksum.
    public var code: String {
        var digits: [Character] = []
        var (value, bits) = (UInt32(0), 0)
        func add(_ part: UInt32, _ width: Int) {
            value = value << UInt32(width) | part
            bits += width
            while bits >= 5 {
                bits -= 5
                digits.append(Self.alphabet[Int(value >> UInt32(bits) & 31)])
            }
        }
        for byte in bytes { add(UInt32(byte), 8) }
        add(Self.checksum(bytes), 12)
        return stride(from: 0, to: digits.count, by: 4).map { String(digits[$0..<$0 + 4]) }
            .joined(separator: "-")
    }

    /// Crockford's base 32, without letters that resemble digits.
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    private static let letterCount = (count * 8 + 12) / 5

    private static func digit(_ letter: Character) -> UInt32? {
        let letter: Character = letter == "O" ? "0" : letter == "I" || letter == "L" ? "1" : letter
        return alphabet.firstIndex(of: letter).map(UInt32.init)
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        let hash = Sodium.hash(bytes, count: 16)
        return UInt32(hash[0]) << 4 | UInt32(hash[1]) >> 4
    }
}
