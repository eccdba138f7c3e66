/// A value of a JSON document.
enum JSONValue {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    subscript(_ key: String) -> JSONValue? {
        guard case .object(let members) = self, let value = members[key] else { return nil }
        if case .null = value { return nil }
        return value
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }
    var isObject: Bool { if case .object = self { true } else { false } }

    /// Whether there is nothing in it that could be read.
    var isEmpty: Bool {
        switch self {
        case .null: true
        case .bool(let value): !value
        case .number: false
        case .string(let text): text.isEmpty
        case .array(let values): values.isEmpty
        case .object(let members): members.isEmpty
        }
    }

    var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }

    /// A text, or a number or truth value as text.
    var word: String? {
        switch self {
        case .string(let text): text
        case .number(let number):
            Int64(exactly: number).map(String.init) ?? "\(number)"
        case .bool(let value): value ? "true" : "false"
        case .null, .array, .object: nil
        }
    }
}

/// Reads JSON (RFC 8259). What comes before a mistake is kept: a file that was cut off still has most of its
/// clips.
struct JSONParser {
    struct Problem {
        let line: Int
        let reason: String
    }

    private let bytes: [UInt8]
    private var place = 0
    private var problem: Problem?

    private static let deepest = 512

    private init(_ bytes: [UInt8], _ maxValues: Int) {
        self.bytes = bytes
        left = maxValues
    }

    /// Values that may still be read: each costs memory that its bytes do not show.
    private var left: Int

    static func parse(
        _ bytes: [UInt8], maxValues: Int = ImportLimits().values
    ) -> (value: JSONValue?, problem: Problem?) {
        var parser = JSONParser(bytes, maxValues)
        parser.skipSpace()
        let value = parser.value(depth: 0)
        parser.skipSpace()
        if parser.problem == nil && parser.place < bytes.count { parser.fail("something follows the JSON") }
        return (value, parser.problem)
    }

    private var current: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func fail(_ reason: String) {
        guard problem == nil else { return }
        let line = 1 + bytes[..<min(place, bytes.count)].count { $0 == UInt8(ascii: "\n") }
        problem = Problem(line: line, reason: reason)
    }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        place += 1
        return true
    }

    private mutating func value(depth: Int) -> JSONValue? {
        guard depth < Self.deepest else {
            fail("it is nested deeper than \(Self.deepest) levels")
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
        let end = place + word.utf8CodeUnitCount
        guard end <= bytes.count, Array(bytes[place..<end]) == Array("\(word)".utf8) else {
            fail("it is not JSON")
            return nil
        }
        place = end
        return value
    }

    private mutating func number() -> JSONValue? {
        let start = place
        while let byte = current,
            (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(byte)
        {
            place += 1
        }
        guard place > start, let number = Double(String(decoding: bytes[start..<place], as: UTF8.self)),
            number.isFinite
        else {
            fail("it is not JSON")
            return nil
        }
        return .number(number)
    }

    private mutating func array(depth: Int) -> JSONValue {
        var values: [JSONValue] = []
        place += 1
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array([]) }
        while problem == nil {
            skipSpace()
            if let value = value(depth: depth + 1) { values.append(value) }
            skipSpace()
            if problem != nil || take(UInt8(ascii: "]")) { break }
            if !take(UInt8(ascii: ",")) {
                fail(current == nil ? "it ends in the middle" : "a comma is missing")
            }
        }
        return .array(values)
    }

    private mutating func object(depth: Int) -> JSONValue {
        var members: [String: JSONValue] = [:]
        place += 1
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object([:]) }
        while problem == nil {
            skipSpace()
            guard current == UInt8(ascii: "\""), let key = string() else {
                fail(current == nil ? "it ends in the middle" : "a key is missing")
                break
            }
            skipSpace()
            guard take(UInt8(ascii: ":")) else {
                fail("a colon is missing")
                break
            }
            skipSpace()
            if let value = value(depth: depth + 1) { members[key] = value }
            skipSpace()
            if problem != nil || take(UInt8(ascii: "}")) { break }
            if !take(UInt8(ascii: ",")) {
                fail(current == nil ? "it ends in the middle" : "a comma is missing")
            }
        }
        return .object(members)
    }

    private mutating func string() -> String? {
        place += 1
        var start = place
        var text: [UInt8] = []
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                let rest = bytes[start..<place]
                place += 1
                guard !text.isEmpty else { return String(decoding: rest, as: UTF8.self) }
                return String(decoding: text + rest, as: UTF8.self)
            case UInt8(ascii: "\\"):
                text += bytes[start..<place]
                place += 1
                guard let scalar = escape() else { return nil }
                text += Array(String(scalar).utf8)
                start = place
            default: place += 1
            }
        }
        fail("it ends in the middle")
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard let byte = current else {
            fail("it ends in the middle")
            return nil
        }
        place += 1
        switch byte {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "u"): break
        default:
            fail("an escape in a text is none that JSON has")
            return nil
        }
        guard let first = unit() else { return nil }
        guard first & 0xFC00 == 0xD800 else { return Unicode.Scalar(first) ?? "\u{FFFD}" }
        let start = place
        guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")), let second = unit(),
            second & 0xFC00 == 0xDC00
        else {
            place = start
            return "\u{FFFD}"
        }
        return Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF)
    }

    private mutating func unit() -> UInt32? {
        guard place + 4 <= bytes.count,
            let unit = UInt32(String(decoding: bytes[place..<place + 4], as: UTF8.self), radix: 16)
        else {
            fail("an escape in a text is none that JSON has")
            return nil
        }
        place += 4
        return unit
    }
}
