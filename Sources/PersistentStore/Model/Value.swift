/// A value of an attribute, in one of SQLite's storage classes.
public enum Value: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// Returns 1 for true and 0 for false.
    public static func boolean(_ value: Bool) -> Value { .integer(value ? 1 : 0) }

    /// Returns a text, or null for nil.
    public static func optionalText(_ value: String?) -> Value { value.map(Value.text) ?? .null }

    public var integerValue: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    public var realValue: Double? {
        switch self {
        case .real(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }

    public var textValue: String? {
        if case .text(let value) = self { value } else { nil }
    }

    public var blobValue: [UInt8]? {
        if case .blob(let value) = self { value } else { nil }
    }

    /// Whether the value is an integer other than 0.
    public var booleanValue: Bool { integerValue.map { $0 != 0 } ?? false }

    public var isNull: Bool { self == .null }
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(stringLiteral value: String) { self = .text(value) }
    public init(floatLiteral value: Double) { self = .real(value) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    public init(nilLiteral: ()) { self = .null }
}
