import Platform

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

/// A parser of JSON that retains the values before an error, so that a truncated file still yields most of its
/// clips. `JSONDecoder` rejects such a file as a whole.
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
    private static let maxDepth = 512

    /// The number of values that may still be read. A value may take far more memory than its bytes.
    private var left: Int

    package static func parse(_ bytes: [UInt8], maxValues: Int = Self.maxValues) -> Result {
        var (parser, reader, value) = (JSONParser(left: maxValues), JSONReader(bytes), JSONValue?.none)
        var problem: Problem?
        do throws(JSONError) {
            try parser.read(&value, from: &reader)
            guard reader.isAtEnd() else { throw JSONError("something follows the JSON") }
        } catch {
            let line = 1 + bytes[..<min(reader.offset, bytes.count)].count { $0 == UInt8(ascii: "\n") }
            problem = Problem(line: line, reason: error.reason)
        }
        return Result(value: value, problem: problem, hasReplacement: reader.hasReplacement)
    }

    /// Reads into `value`, which then has what precedes an error.
    private mutating func read(
        _ value: inout JSONValue?, from reader: inout JSONReader, depth: Int = 0
    ) throws(JSONError) {
        guard depth < Self.maxDepth else {
            throw JSONError("it is nested deeper than \(Self.maxDepth) levels")
        }
        left -= 1
        guard left > 0 else { throw JSONError("it has too many values") }
        switch try reader.peek() {
        case UInt8(ascii: "{"):
            var members: [String: JSONValue] = [:]
            defer { value = .object(members) }
            try reader.object { reader, key throws(JSONError) in
                var member: JSONValue?
                defer { if let member { members[key] = member } }
                try read(&member, from: &reader, depth: depth + 1)
            }
        case UInt8(ascii: "["):
            var elements: [JSONValue] = []
            defer { value = .array(elements) }
            try reader.array { reader, _ throws(JSONError) in
                var element: JSONValue?
                defer { if let element { elements.append(element) } }
                try read(&element, from: &reader, depth: depth + 1)
            }
        case UInt8(ascii: "\""): value = .string(try reader.text())
        case UInt8(ascii: "t"):
            try reader.word("true")
            value = .bool(true)
        case UInt8(ascii: "f"):
            try reader.word("false")
            value = .bool(false)
        case UInt8(ascii: "n"):
            try reader.word("null")
            value = .null
        default: value = try Self.number(try reader.digits())
        }
    }

    private static func number(_ digits: String) throws(JSONError) -> JSONValue {
        // Exact, where a Double is not: nanoseconds since 1970.
        if let number = Int64(digits) { return .integer(number) }
        guard let number = Double(digits), number.isFinite else { throw JSONError("it is not JSON") }
        return .number(number)
    }
}
