/// A value of a JSON document.
package enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The member with a key; nil if there is none, or it is null.
    package subscript(_ key: String) -> JSONValue? {
        guard case .object(let members) = self, let value = members[key] else { return nil }
        if case .null = value { return nil }
        return value
    }

    package var string: String? { if case .string(let text) = self { text } else { nil } }
    package var isObject: Bool { if case .object = self { true } else { false } }

    /// Whether it contains no information.
    package var isEmpty: Bool {
        switch self {
        case .null: true
        case .bool(let value): !value
        case .integer, .number: false
        case .string(let text): text.isEmpty
        case .array(let values): values.isEmpty
        case .object(let members): members.isEmpty
        }
    }

    package var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }

    /// A text, or a number or Boolean as text.
    package var word: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .number(let number): Int64(exactly: number).map(String.init) ?? "\(number)"
        case .bool(let value): value ? "true" : "false"
        case .null, .array, .object: nil
        }
    }
}

/// A parser of JSON (RFC 8259) that retains the values before an error, so that a truncated file still yields
/// most of its clips. `JSONDecoder` rejects such a file as a whole.
package struct JSONParser {
    package struct Problem: Sendable {
        package let line: Int
        package let reason: String
    }

    package struct Result: Sendable {
        /// The value, as far as it could be read.
        package let value: JSONValue?
        package let problem: Problem?
        /// Whether U+FFFD replaces half of a surrogate pair.
        package let hasReplacement: Bool
    }

    /// The default maximum number of values.
    package static let maxValues = 8_000_000

    private let bytes: [UInt8]
    private var offset = 0
    private var problem: Problem?
    private var hasReplacement = false

    private static let maxDepth = 512

    private init(_ bytes: [UInt8], _ maxValues: Int) {
        self.bytes = bytes
        left = maxValues
    }

    /// The number of values that may still be read. A value may take far more memory than its bytes.
    private var left: Int

    package static func parse(_ bytes: [UInt8], maxValues: Int = Self.maxValues) -> Result {
        var parser = JSONParser(bytes, maxValues)
        parser.skipSpace()
        let value = parser.value(depth: 0)
        parser.skipSpace()
        if parser.problem == nil && parser.offset < bytes.count { parser.fail("something follows the JSON") }
        return Result(value: value, problem: parser.problem, hasReplacement: parser.hasReplacement)
    }

    private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func fail(_ reason: String) {
        guard problem == nil else { return }
        let line = 1 + bytes[..<min(offset, bytes.count)].count { $0 == UInt8(ascii: "\n") }
        problem = Problem(line: line, reason: reason)
    }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        offset += 1
        return true
    }

    private mutating func value(depth: Int) -> JSONValue? {
        guard depth < Self.maxDepth else {
            fail("it is nested deeper than \(Self.maxDepth) levels")
            return nil
        }
        left -= 1
        guard left > 0 else {
            fail("it has too many values")
            return nil
        }
        switch current {
        case UInt8(ascii: "{"): return object(depth: depth)
        case UInt8(ascii: "["): return array(depth: depth)
        case UInt8(ascii: "\""): return string().map(JSONValue.string)
        case UInt8(ascii: "t"): return word("true", .bool(true))
        case UInt8(ascii: "f"): return word("false", .bool(false))
        case UInt8(ascii: "n"): return word("null", .null)
        case nil: fail("it ends in the middle")
        default: return number()
        }
        return nil
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) -> JSONValue? {
        let end = offset + word.utf8CodeUnitCount
        guard end <= bytes.count, word.withUTF8Buffer({ $0.elementsEqual(bytes[offset..<end]) }) else {
            fail("it is not JSON")
            return nil
        }
        offset = end
        return value
    }

    private mutating func number() -> JSONValue? {
        let start = offset
        while let byte = current,
            (0x30...0x39).contains(byte) || byte == 0x2B || byte == 0x2D || byte == 0x2E
                || byte | 0x20 == 0x65
        {
            offset += 1
        }
        let digits = String(decoding: bytes[start..<offset], as: UTF8.self)
        // Exact, where a Double is not: nanoseconds since 1970.
        if let number = Int64(digits) { return .integer(number) }
        guard let number = Double(digits), number.isFinite else {
            fail("it is not JSON")
            return nil
        }
        return .number(number)
    }

    private mutating func array(depth: Int) -> JSONValue {
        var values: [JSONValue] = []
        offset += 1
        skipSpace()
        if skip(UInt8(ascii: "]")) { return .array([]) }
        while problem == nil {
            skipSpace()
            if let value = value(depth: depth + 1) { values.append(value) }
            skipSpace()
            if problem != nil || skip(UInt8(ascii: "]")) { break }
            if !skip(UInt8(ascii: ",")) {
                fail(current == nil ? "it ends in the middle" : "a comma is missing")
            }
        }
        return .array(values)
    }

    private mutating func object(depth: Int) -> JSONValue {
        var members: [String: JSONValue] = [:]
        offset += 1
        skipSpace()
        if skip(UInt8(ascii: "}")) { return .object([:]) }
        while problem == nil {
            skipSpace()
            guard current == UInt8(ascii: "\""), let key = string() else {
                fail(current == nil ? "it ends in the middle" : "a key is missing")
                break
            }
            skipSpace()
            guard skip(UInt8(ascii: ":")) else {
                fail("a colon is missing")
                break
            }
            skipSpace()
            if let value = value(depth: depth + 1) { members[key] = value }
            skipSpace()
            if problem != nil || skip(UInt8(ascii: "}")) { break }
            if !skip(UInt8(ascii: ",")) {
                fail(current == nil ? "it ends in the middle" : "a comma is missing")
            }
        }
        return .object(members)
    }

    private mutating func string() -> String? {
        offset += 1
        var start = offset
        var text: [UInt8] = []
        while true {
            offset = endOfPlainText()
            switch current {
            case UInt8(ascii: "\""):
                let rest = bytes[start..<offset]
                offset += 1
                let string =
                    text.isEmpty
                    ? String(validating: rest, as: UTF8.self) : String(validating: text + rest, as: UTF8.self)
                if string == nil { fail("a text in it is not UTF-8") }
                return string
            case UInt8(ascii: "\\"):
                text += bytes[start..<offset]
                offset += 1
                guard let scalar = escape() else { return nil }
                text += Array(String(scalar).utf8)
                start = offset
            default:
                fail("it ends in the middle")
                return nil
            }
        }
    }

    /// Returns the index of the next quotation mark or backslash, or that of the end.
    private func endOfPlainText() -> Int {
        bytes.withUnsafeBufferPointer { bytes in
            var index = offset
            while index < bytes.count, bytes[index] != 0x22, bytes[index] != 0x5C { index += 1 }
            return index
        }
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard let byte = current else {
            fail("it ends in the middle")
            return nil
        }
        offset += 1
        switch byte {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "u"): break
        default:
            fail("a text in it has an escape that JSON does not have")
            return nil
        }
        guard let first = unit() else { return nil }
        guard first & 0xFC00 == 0xD800 else { return Unicode.Scalar(first) ?? replacement() }
        let start = offset
        guard skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")), let second = unit(),
            second & 0xFC00 == 0xDC00
        else {
            offset = start
            return replacement()
        }
        return Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF)
    }

    private mutating func replacement() -> Unicode.Scalar {
        hasReplacement = true
        return "\u{FFFD}"
    }

    private mutating func unit() -> UInt32? {
        // A sign is not a digit.
        guard offset + 4 <= bytes.count, bytes[offset] != UInt8(ascii: "+"),
            bytes[offset] != UInt8(ascii: "-"),
            let unit = UInt32(String(decoding: bytes[offset..<offset + 4], as: UTF8.self), radix: 16)
        else {
            fail("a text in it has an escape that JSON does not have")
            return nil
        }
        offset += 4
        return unit
    }
}
