public import FoundationEssentials

/// A type of a record's properties that an attribute can store.
///
/// `String`, the integers, `Double`, `Float`, `Bool`, `Date`, `UUID`, `URL`, `Data`, and `[UInt8]` are such
/// types; for others, ``RecordAttribute`` stores JSON if it is created with `json:`. An enumeration with a raw value of one of them only declares its conformance:
///
/// ```swift
/// enum Priority: Int, Codable, AttributeConvertible { case low, normal, high }
/// ```
public protocol AttributeConvertible: Sendable {
    /// The values that the attribute stores.
    static var attributeKind: AttributeDescription.Kind { get }
    /// The stored form of this value.
    var attributeValue: AttributeValue { get }
    /// Creates a value from its stored form; nil if that is not valid.
    init?(attributeValue: AttributeValue)
}

extension AttributeConvertible where Self: RawRepresentable, RawValue: AttributeConvertible {
    public static var attributeKind: AttributeDescription.Kind { RawValue.attributeKind }
    public var attributeValue: AttributeValue { rawValue.attributeValue }

    public init?(attributeValue: AttributeValue) {
        guard let rawValue = RawValue(attributeValue: attributeValue) else { return nil }
        self.init(rawValue: rawValue)
    }
}

extension String: AttributeConvertible {
    public static var attributeKind: AttributeDescription.Kind { .text }
    public var attributeValue: AttributeValue { .text(self) }

    public init?(attributeValue: AttributeValue) {
        guard case .text(let text) = attributeValue else { return nil }
        self = text
    }
}

extension AttributeConvertible where Self: FixedWidthInteger {
    public static var attributeKind: AttributeDescription.Kind { .integer }
    /// An integer, or a real number that no integer attribute accepts and every comparison takes as greater.
    public var attributeValue: AttributeValue {
        Int64(exactly: self).map(AttributeValue.integer) ?? .real(Double(self))
    }

    public init?(attributeValue: AttributeValue) {
        guard case .integer(let integer) = attributeValue else { return nil }
        self.init(exactly: integer)
    }
}

/// A value above `Int64.max` is an error of the insertion: SQLite cannot store it.
extension UInt64: AttributeConvertible {}
extension UInt: AttributeConvertible {}
extension Int: AttributeConvertible {}
extension Int64: AttributeConvertible {}
extension Int32: AttributeConvertible {}
extension Int16: AttributeConvertible {}
extension Int8: AttributeConvertible {}
extension UInt32: AttributeConvertible {}
extension UInt16: AttributeConvertible {}
extension UInt8: AttributeConvertible {}

extension AttributeConvertible where Self: BinaryFloatingPoint {
    public static var attributeKind: AttributeDescription.Kind { .real }
    public var attributeValue: AttributeValue { .real(Double(self)) }

    public init?(attributeValue: AttributeValue) {
        guard let real = attributeValue.realValue else { return nil }
        self.init(real)
    }
}

extension Double: AttributeConvertible {}
extension Float: AttributeConvertible {}

extension Bool: AttributeConvertible {
    public static var attributeKind: AttributeDescription.Kind { .integer }
    public var attributeValue: AttributeValue { .boolean(self) }

    public init?(attributeValue: AttributeValue) {
        guard case .integer(let integer) = attributeValue else { return nil }
        self = integer != 0
    }
}

/// Stored in whole milliseconds since 1970-01-01 UTC, as ``AttributeDescription/Default/now``. A date more
/// than 250,000 years away is an error of the insertion.
extension Date: AttributeConvertible {
    public static var attributeKind: AttributeDescription.Kind { .integer }
    public var attributeValue: AttributeValue {
        if let stored = storedMillisecond { return .integer(stored) }
        // No integer, but in a predicate later or earlier than all dates that are stored.
        let seconds = timeIntervalSince1970
        return .real(seconds.isNaN ? seconds : seconds > 0 ? .infinity : -.infinity)
    }

    public init?(attributeValue: AttributeValue) {
        guard case .integer(let milliseconds) = attributeValue else { return nil }
        self.init(milliseconds: milliseconds)
    }
}

/// Stored as lowercase text, as ``AttributeDescription/Default/uuid``.
extension UUID: AttributeConvertible {
    public static var attributeKind: AttributeDescription.Kind { .text }
    public var attributeValue: AttributeValue { .text(text) }

    public init?(attributeValue: AttributeValue) {
        guard case .text(let text) = attributeValue else { return nil }
        self.init(text: text)
    }
}

/// Stored as its text, which need not be absolute.
extension URL: AttributeConvertible {
    public static var attributeKind: AttributeDescription.Kind { .text }
    public var attributeValue: AttributeValue { .text(relativeString) }

    public init?(attributeValue: AttributeValue) {
        guard case .text(let text) = attributeValue else { return nil }
        self.init(string: text)
    }
}

extension Data: AttributeConvertible {
    public static var attributeKind: AttributeDescription.Kind { .blob }
    public var attributeValue: AttributeValue { .blob([UInt8](self)) }

    public init?(attributeValue: AttributeValue) {
        guard case .blob(let bytes) = attributeValue else { return nil }
        self.init(bytes)
    }
}

extension [UInt8]: AttributeConvertible {
    public static var attributeKind: AttributeDescription.Kind { .blob }
    public var attributeValue: AttributeValue { .blob(self) }

    public init?(attributeValue: AttributeValue) {
        guard case .blob(let bytes) = attributeValue else { return nil }
        self = bytes
    }
}
