import CHTMLTags
import Platform

/// Character references as `&amp;` and `&#233;`.
enum MarkupReferences {
    /// The longest name of HTML 4 has 8 letters.
    private static let longest = 32

    /// Unknown names and names without a semicolon remain: in a URL, `&copy=2` is a parameter.
    static func replaced(_ bytes: [UInt8], in dialect: MarkupTokenizer.Dialect) -> String {
        guard bytes.contains(0x26) else { return String(decoding: bytes, as: UTF8.self) }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while let start = bytes[index...].firstIndex(of: 0x26) {
            result += bytes[index..<start]
            index = start + 1
            let end =
                bytes[index...].prefix(longest).firstIndex { !$0.isASCIIAlphanumeric && $0 != 0x23 } ?? index
            let hasEnd = end < bytes.count && bytes[end] == 0x3B
            let name = bytes[index..<max(end, index)]
            let isNumber = name.first == 0x23
            guard !name.isEmpty, hasEnd || isNumber && dialect == .html && end > index,
                let scalar = isNumber ? number(name.dropFirst()) : named(name, dialect)
            else {
                result.append(0x26)
                continue
            }
            result += Array(String(scalar).utf8)
            index = hasEnd ? end + 1 : end
        }
        result += bytes[index...]
        return String(decoding: result, as: UTF8.self)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Unicode.Scalar? {
        let isHexadecimal = digits.first.map { $0 | 0x20 } == 0x78
        let text = String(decoding: isHexadecimal ? digits.dropFirst() : digits, as: UTF8.self)
        guard !text.isEmpty, text.utf8.allSatisfy({ isHexadecimal || $0 < 0x3A }) else { return nil }
        guard let value = UInt32(text, radix: isHexadecimal ? 16 : 10), value > 0 else { return "\u{FFFD}" }
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }

    private static func named(_ name: ArraySlice<UInt8>, _ dialect: MarkupTokenizer.Dialect) -> Unicode
        .Scalar?
    {
        switch String(decoding: name, as: UTF8.self) {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos": "'"
        case let name where dialect == .html:
            Unicode.Scalar(html_entity(name)).flatMap { $0.value == 0 ? nil : $0 }
        default: nil
        }
    }
}
