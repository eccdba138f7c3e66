public import FoundationEssentials

/// A value of ``SharedDefaults``, with its type.
public enum SharedDefault: Hashable, Sendable {
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
        case .data: "[UInt8]"
        case .date: "Date"
        case .list: "[String]"
        }
    }
}

/// A type whose values ``SharedDefaults`` can store.
public protocol SharedDefaultConvertible: Sendable {
    var sharedDefault: SharedDefault { get }
    /// Creates a value; nil if the stored value has another type.
    init?(_ value: SharedDefault)
}

extension Bool: SharedDefaultConvertible {
    public var sharedDefault: SharedDefault { .bool(self) }
    public init?(_ value: SharedDefault) {
        guard case .bool(let bool) = value else { return nil }
        self = bool
    }
}

extension Int: SharedDefaultConvertible {
    public var sharedDefault: SharedDefault { .integer(Int64(self)) }
    public init?(_ value: SharedDefault) {
        guard case .integer(let integer) = value else { return nil }
        self.init(exactly: integer)
    }
}

extension Double: SharedDefaultConvertible {
    public var sharedDefault: SharedDefault { .real(self) }
    public init?(_ value: SharedDefault) {
        guard case .real(let real) = value else { return nil }
        self = real
    }
}

extension String: SharedDefaultConvertible {
    public var sharedDefault: SharedDefault { .text(self) }
    public init?(_ value: SharedDefault) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
}

extension Array: SharedDefaultConvertible where Element: SharedDefaultElement {
    public var sharedDefault: SharedDefault { Element.sharedDefault(self) }
    public init?(_ value: SharedDefault) {
        guard let elements = Element.elements(value) else { return nil }
        self = elements
    }
}

/// A type of which ``SharedDefaults`` can store arrays: strings and bytes.
public protocol SharedDefaultElement: Sendable {
    static func sharedDefault(_ elements: [Self]) -> SharedDefault
    /// Returns the elements; nil if the stored value has another type.
    static func elements(_ value: SharedDefault) -> [Self]?
}

extension UInt8: SharedDefaultElement {
    public static func sharedDefault(_ elements: [UInt8]) -> SharedDefault { .data(elements) }
    public static func elements(_ value: SharedDefault) -> [UInt8]? {
        if case .data(let bytes) = value { bytes } else { nil }
    }
}

extension String: SharedDefaultElement {
    public static func sharedDefault(_ elements: [String]) -> SharedDefault { .list(elements) }
    public static func elements(_ value: SharedDefault) -> [String]? {
        if case .list(let list) = value { list } else { nil }
    }
}

extension Data: SharedDefaultConvertible {
    public var sharedDefault: SharedDefault { .data([UInt8](self)) }
    public init?(_ value: SharedDefault) {
        guard case .data(let bytes) = value else { return nil }
        self.init(bytes)
    }
}

extension Date: SharedDefaultConvertible {
    public var sharedDefault: SharedDefault { .date(self) }
    public init?(_ value: SharedDefault) {
        guard case .date(let date) = value else { return nil }
        self = date
    }
}
