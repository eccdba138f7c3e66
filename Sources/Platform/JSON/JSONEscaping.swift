/// Quotes texts as strings of JSON.
package struct JSONEscaping: Sendable {
    /// The escapes that JSON requires.
    package static let required = JSONEscaping(isForTerminal: false)
    /// In addition, escapes of the characters that a terminal interprets, and short ones.
    ///
    /// JSON itself escapes only the controls below U+0020. Terminals also interpret those from U+007F to U+009F,
    /// and display text after a direction mark in another order.
    package static let forTerminal = JSONEscaping(isForTerminal: true)

    private let isForTerminal: Bool

    /// Adds a text with quotation marks.
    package func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        // In one loop over its memory, because most texts have nothing to escape.
        let isEscaped = Self.has(text) { byte in
            byte < 0x20 || byte == 0x22 || byte == 0x5C || (isForTerminal && Self.isUnsafe(byte))
        }
        if isEscaped { appendEscaped(text, to: &bytes) } else { bytes += text.utf8 }
        bytes.append(UInt8(ascii: "\""))
    }

    private func appendEscaped(_ text: String, to bytes: inout [UInt8]) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": bytes += [UInt8(ascii: "\\"), UInt8(ascii: scalar)]
            case "\n" where isForTerminal: bytes += "\\n".utf8
            case "\r" where isForTerminal: bytes += "\\r".utf8
            case "\t" where isForTerminal: bytes += "\\t".utf8
            case "\u{8}" where isForTerminal: bytes += "\\b".utf8
            case "\u{C}" where isForTerminal: bytes += "\\f".utf8
            case _ where scalar.value < 0x20 || (isForTerminal && Self.isUnsafe(scalar)):
                bytes += Self.escape(scalar).utf8
            default: bytes += String(scalar).utf8
            }
        }
    }

    /// Returns JSON with the characters escaped that a terminal interprets, which occur only in strings.
    package static func terminalSafe(_ json: String) -> String {
        guard has(json, isUnsafe) else { return json }
        var safe = String.UnicodeScalarView()
        for scalar in json.unicodeScalars {
            if isUnsafe(scalar) { safe += escape(scalar).unicodeScalars } else { safe.append(scalar) }
        }
        return String(safe)
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Whether a byte of UTF-8 may begin one of these characters.
    private static func isUnsafe(_ byte: UInt8) -> Bool {
        byte >= 0x7F && (byte == 0x7F || byte == 0xC2 || byte == 0xD8 || byte == 0xE2)
    }

    private static func has(_ text: String, _ kind: (UInt8) -> Bool) -> Bool {
        var text = text
        return text.withUTF8 { $0.contains(where: kind) }
    }
}
