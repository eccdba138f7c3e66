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

/// The conversion of a type, which is not part of the members that a program sees of it.
protocol StoredDefault {
    var sharedDefault: SharedDefault { get }
    /// Creates a value; nil if the stored value has another type.
    init?(_ value: SharedDefault)
}

extension SharedDefault {
    /// The stored form of a value; nil for a type that cannot be stored.
    init?(of value: some SharedDefaultConvertible) {
        if let value = value as? any StoredDefault {
            self = value.sharedDefault
        } else if let raw = (value as? any RawRepresentable)?.rawValue as? any StoredDefault {
            self = raw.sharedDefault
        } else {
            return nil
        }
    }

    /// Returns the value; nil if it has another type.
    func value<Value: SharedDefaultConvertible>(as type: Value.Type) -> Value? {
        if let type = type as? any StoredDefault.Type { return type.init(self) as? Value }
        return (type as? any RawRepresentable.Type).flatMap { raw($0) as? Value }
    }

    private func raw<Raw: RawRepresentable>(_ type: Raw.Type) -> Raw? {
        guard let stored = Raw.RawValue.self as? any StoredDefault.Type else { return nil }
        return (stored.init(self) as? Raw.RawValue).flatMap(Raw.init)
    }
}

extension Bool: StoredDefault {
    var sharedDefault: SharedDefault { .bool(self) }
    init?(_ value: SharedDefault) {
        guard case .bool(let bool) = value else { return nil }
        self = bool
    }
}

extension Int: StoredDefault {
    var sharedDefault: SharedDefault { .integer(Int64(self)) }
    init?(_ value: SharedDefault) {
        guard case .integer(let integer) = value else { return nil }
        self.init(exactly: integer)
    }
}

extension Double: StoredDefault {
    var sharedDefault: SharedDefault { .real(self) }
    init?(_ value: SharedDefault) {
        guard case .real(let real) = value else { return nil }
        self = real
    }
}

extension String: StoredDefault {
    var sharedDefault: SharedDefault { .text(self) }
    init?(_ value: SharedDefault) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
}

extension [String]: StoredDefault {
    var sharedDefault: SharedDefault { .list(self) }
    init?(_ value: SharedDefault) {
        guard case .list(let texts) = value else { return nil }
        self = texts
    }
}

extension Data: StoredDefault {
    var sharedDefault: SharedDefault { .data([UInt8](self)) }
    init?(_ value: SharedDefault) {
        guard case .data(let bytes) = value else { return nil }
        self.init(bytes)
    }
}

extension Date: StoredDefault {
    var sharedDefault: SharedDefault { .date(self) }
    init?(_ value: SharedDefault) {
        guard case .date(let date) = value else { return nil }
        self = date
    }
}
