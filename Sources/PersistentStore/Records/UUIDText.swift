import FoundationEssentials

/// The text of a UUID, read and written once per record: Foundation's functions for it take 20 times as long.
extension UUID {
    private static let digits = Array("0123456789abcdef".utf8)
    private static let hyphens = [8, 13, 18, 23]

    /// Returns the UUID of a text in either case; nil for any other text.
    init?(text: String) {
        var text = text
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let isValid = withUnsafeMutableBytes(of: &bytes) { bytes in
            text.withUTF8 { utf8 in
                guard utf8.count == 36 else { return false }
                var half = 0
                for (index, character) in utf8.enumerated() {
                    if Self.hyphens.contains(index) {
                        guard character == UInt8(ascii: "-") else { return false }
                        continue
                    }
                    guard let digit = Self.value(of: character) else { return false }
                    bytes[half / 2] = bytes[half / 2] << 4 | digit
                    half += 1
                }
                return true
            }
        }
        guard isValid else { return nil }
        self.init(uuid: bytes)
    }

    /// The text in lowercase.
    var text: String {
        String(unsafeUninitializedCapacity: 36) { buffer in
            withUnsafeBytes(of: uuid) { bytes in
                var next = 0
                for byte in bytes {
                    if Self.hyphens.contains(next) {
                        buffer[next] = UInt8(ascii: "-")
                        next += 1
                    }
                    buffer[next] = Self.digits[Int(byte >> 4)]
                    buffer[next + 1] = Self.digits[Int(byte & 15)]
                    next += 2
                }
                return next
            }
        }
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
