import CPlatform

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

    /// Returns a text with quotation marks.
    package func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Adds a text with quotation marks.
    package func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        // In one loop over its memory, because most texts have nothing to escape.
        if isEscaped(text) {
            appendEscaped(text, to: &bytes)
        } else {
            bytes += text.utf8
        }
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
                bytes += Self.escape(scalar.value).utf8
            default: bytes += String(scalar).utf8
            }
        }
    }

    /// Returns the escape of a unit of UTF-16.
    package static func escape(_ unit: UInt32) -> String { "\\u" + unit.hexadecimal(digits: 4) }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Whether a byte of a text must be escaped, or may begin an unsafe character.
    private func isEscaped(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return false }
            return platform_escaped_index(start, bytes.count, isForTerminal ? 1 : 0) < bytes.count
        }
    }
}
