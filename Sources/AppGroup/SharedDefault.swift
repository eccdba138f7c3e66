public import FoundationEssentials

/// A value of ``SharedDefaults``, with its type.
enum SharedDefault: Hashable, Sendable {
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case text(String)
    case data([UInt8])
    case date(Date)
    case list([String])

    /// The name of the type in error messages.
    var typeName: String {
        switch self {
        case .bool: "Bool"
        case .integer: "Int"
        case .real: "Double"
        case .text: "String"
        case .data: "Data"
        case .date: "Date"
        case .list: "[String]"
        }
    }
}

/// A type whose values ``SharedDefaults`` can store.
///
/// `Bool`, `Int`, `Double`, `String`, `[String]`, `Data`, and `Date` are such types. An enumeration with a raw
/// value of one of them only declares its conformance; values of all other types cannot be set.
public protocol SharedDefaultConvertible: Sendable {}

extension Bool: SharedDefaultConvertible {}
extension Int: SharedDefaultConvertible {}
extension Double: SharedDefaultConvertible {}
extension String: SharedDefaultConvertible {}
extension [String]: SharedDefaultConvertible {}
extension Data: SharedDefaultConvertible {}
extension Date: SharedDefaultConvertible {}

extension SharedDefault {
    /// The stored form of a value; nil for a type that cannot be stored.
    init?(of value: some SharedDefaultConvertible) {
        self.init(plain: (value as? any RawRepresentable)?.rawValue ?? value)
    }

    private init?(plain value: Any) {
        switch value {
        case let value as Bool: self = .bool(value)
        case let value as Int: self = .integer(Int64(value))
        case let value as Double: self = .real(value)
        case let value as String: self = .text(value)
        case let value as [String]: self = .list(value)
        case let value as Data: self = .data([UInt8](value))
        case let value as Date: self = .date(value)
        default: return nil
        }
    }

    private var plain: Any {
        switch self {
        case .bool(let value): value
        case .integer(let value): Int(exactly: value) as Any
        case .real(let value): value
        case .text(let value): value
        case .data(let value): Data(value)
        case .date(let value): value
        case .list(let value): value
        }
    }

    /// Returns the value; nil if it has another type.
    func value<Value: SharedDefaultConvertible>(as type: Value.Type) -> Value? {
        if let type = type as? any RawRepresentable.Type { return raw(type) as? Value }
        return plain as? Value
    }

    private func raw<Raw: RawRepresentable>(_ type: Raw.Type) -> Raw? {
        (plain as? Raw.RawValue).flatMap(Raw.init)
    }
}
