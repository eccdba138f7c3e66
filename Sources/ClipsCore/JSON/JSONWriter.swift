/// JSON that is safe to show on a terminal.
///
/// JSON itself escapes only the controls below U+0020. Terminals also interpret those from U+007F to U+009F,
/// and display text after a direction mark in another order.
package enum TerminalSafeJSON {
    /// Returns the same JSON with these characters escaped, which occur only in strings.
    package static func text(_ json: String) -> String {
        guard has(isUnsafe, json) else { return json }
        var safe = String.UnicodeScalarView()
        for scalar in json.unicodeScalars {
            switch scalar.value {
            case 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069:
                let digits = String(scalar.value, radix: 16)
                safe.append(
                    contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)"
                        .unicodeScalars)
            default: safe.append(scalar)
            }
        }
        return String(safe)
    }

    /// Whether a byte of UTF-8 may begin one of these characters.
    fileprivate static func isUnsafe(_ byte: UInt8) -> Bool {
        byte >= 0x7F && (byte == 0x7F || byte == 0xC2 || byte == 0xD8 || byte == 0xE2)
    }

    /// Whether a text has a byte of a kind; in one loop over its memory, because most texts have none.
    fileprivate static func has(_ kind: (UInt8) -> Bool, _ text: String) -> Bool {
        var text = text
        return text.withUTF8 { $0.contains(where: kind) }
    }
}

/// A JSON object under construction, whose strings are safe to show on a terminal.
package struct JSONWriter: Sendable {
    private var members = [UInt8(ascii: "{")]

    package init() { members.reserveCapacity(512) }

    package var text: String { String(decoding: members + [UInt8(ascii: "}")], as: UTF8.self) }

    /// Returns a text as a JSON string.
    package static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.members = []
        writer.appendQuoted(text)
        return String(decoding: writer.members, as: UTF8.self)
    }

    /// Returns an array of JSON values.
    package static func array(_ values: [String]) -> String { "[" + values.joined(separator: ",") + "]" }

    /// Adds a number, a Boolean, null, or the text of another writer.
    package mutating func add(_ key: String, literal: String) {
        begin(key)
        members += literal.utf8
    }

    package mutating func add(_ key: String, _ text: String) {
        begin(key)
        appendQuoted(text)
    }

    package mutating func add(_ key: String, _ texts: [String]) {
        begin(key)
        members.append(UInt8(ascii: "["))
        for index in texts.indices {
            if index > 0 { members.append(UInt8(ascii: ",")) }
            appendQuoted(texts[index])
        }
        members.append(UInt8(ascii: "]"))
    }

    private mutating func begin(_ key: String) {
        if members.count > 1 { members.append(UInt8(ascii: ",")) }
        members.append(UInt8(ascii: "\""))
        members += key.utf8
        members.append(UInt8(ascii: "\""))
        members.append(UInt8(ascii: ":"))
    }

    private mutating func appendQuoted(_ text: String) {
        let isEscaped = TerminalSafeJSON.has(
            { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C || TerminalSafeJSON.isUnsafe($0) }, text)
        members.append(UInt8(ascii: "\""))
        members += isEscaped ? Self.escaped(text).utf8 : text.utf8
        members.append(UInt8(ascii: "\""))
    }

    private static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            switch byte {
            case 0x22, 0x5C: bytes += [0x5C, byte]
            case 0x0A: bytes += Array("\\n".utf8)
            case 0x0D: bytes += Array("\\r".utf8)
            case 0x09: bytes += Array("\\t".utf8)
            case 0x08: bytes += Array("\\b".utf8)
            case 0x0C: bytes += Array("\\f".utf8)
            case ..<0x20:
                bytes += Array((byte < 0x10 ? "\\u000" : "\\u00").utf8) + Array(String(byte, radix: 16).utf8)
            default: bytes.append(byte)
            }
        }
        return TerminalSafeJSON.text(String(decoding: bytes, as: UTF8.self))
    }
}
