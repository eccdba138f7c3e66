public import FoundationEssentials
import Platform

/// A type of a record's properties that an attribute can store.
///
/// `String`, the integers, `Double`, `Float`, `Bool`, `Date`, `UUID`, `URL`, `Data`, and `[UInt8]` are such
/// types; for others, ``RecordAttribute`` stores JSON if it is created with `json:`. An enumeration with a raw value of one of them only declares its conformance:
///
/// ```swift
/// enum Priority: Int, Codable, AttributeConvertible { case low, normal, high }
/// ```
public protocol AttributeConvertible: Sendable {
    /// The type of the values other than nil: of an optional, what it wraps.
    associatedtype NonOptional: AttributeConvertible = Self

    /// The conversion to and from the values of an attribute.
    static var attributeForm: AttributeForm<Self> { get }
}

/// The conversion between a type of a record's properties and the values of an attribute.
///
/// ```swift
/// extension Money: AttributeConvertible {
///     static var attributeForm: AttributeForm<Money> {
///         AttributeForm(.integer) { .integer($0.cents) } from: { $0.integerValue.map(Money.init(cents:)) }
///     }
/// }
/// ```
public struct AttributeForm<Value>: Sendable {
    let kind: AttributeDescription.Kind
    let stored: @Sendable (Value) -> AttributeValue
    let value: @Sendable (AttributeValue) -> Value?

    /// Creates a conversion.
    ///
    /// - Parameters:
    ///   - kind: The values that the attribute stores.
    ///   - stored: A closure that returns the stored form of a value.
    ///   - value: A closure that returns the value of a stored form; nil if that is not valid.
    public init(
        _ kind: AttributeDescription.Kind, to stored: @escaping @Sendable (Value) -> AttributeValue,
        from value: @escaping @Sendable (AttributeValue) -> Value?
    ) {
        (self.kind, self.stored, self.value) = (kind, stored, value)
    }
}

extension AttributeConvertible {
    /// The stored form of this value.
    package var attributeValue: AttributeValue { Self.attributeForm.stored(self) }

    /// Creates a value from its stored form; nil if that is not valid.
    package init?(attributeValue: AttributeValue) {
        guard let value = Self.attributeForm.value(attributeValue) else { return nil }
        self = value
    }
}

extension AttributeConvertible where Self: RawRepresentable, RawValue: AttributeConvertible {
    public static var attributeForm: AttributeForm<Self> {
        AttributeForm(
            RawValue.attributeForm.kind, to: { $0.rawValue.attributeValue },
            from: { RawValue(attributeValue: $0).flatMap(Self.init) })
    }
}

extension String: AttributeConvertible {
    public static var attributeForm: AttributeForm<String> {
        AttributeForm(.text, to: { .text($0) }, from: { if case .text(let text) = $0 { text } else { nil } })
    }
}

extension AttributeConvertible where Self: FixedWidthInteger {
    /// An integer, or a real number that no integer attribute accepts and every comparison takes as greater.
    public static var attributeForm: AttributeForm<Self> {
        AttributeForm(
            .integer, to: { Int64(exactly: $0).map(AttributeValue.integer) ?? .real(Double($0)) },
            from: { if case .integer(let integer) = $0 { Self(exactly: integer) } else { nil } })
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
    public static var attributeForm: AttributeForm<Self> {
        AttributeForm(.real, to: { .real(Double($0)) }, from: { $0.realValue.map { Self($0) } })
    }
}

extension Double: AttributeConvertible {}
extension Float: AttributeConvertible {}

extension Bool: AttributeConvertible {
    public static var attributeForm: AttributeForm<Bool> {
        AttributeForm(.integer, to: { .boolean($0) }, from: { $0.integerValue.map { $0 != 0 } })
    }
}

/// Stored in whole milliseconds since 1970-01-01 UTC, as ``AttributeDescription/Default/now``. A date more
/// than 250,000 years away is an error of the insertion.
extension Date: AttributeConvertible {
    public static var attributeForm: AttributeForm<Date> {
        AttributeForm(.integer) { date in
            if let stored = date.storedMillisecond { return .integer(stored) }
            // No integer, but in a predicate later or earlier than all dates that are stored.
            let seconds = date.timeIntervalSince1970
            return .real(seconds.isNaN ? seconds : seconds > 0 ? .infinity : -.infinity)
        } from: {
            $0.integerValue.map { Date(milliseconds: $0) }
        }
    }
}

/// Stored as lowercase text, as ``AttributeDescription/Default/uuid``.
extension UUID: AttributeConvertible {
    public static var attributeForm: AttributeForm<UUID> {
        AttributeForm(.text, to: { .text($0.text) }, from: { $0.textValue.flatMap { UUID(text: $0) } })
    }
}

/// Stored as its text, which need not be absolute.
extension URL: AttributeConvertible {
    public static var attributeForm: AttributeForm<URL> {
        AttributeForm(
            .text, to: { .text($0.relativeString) }, from: { $0.textValue.flatMap { URL(string: $0) } })
    }
}

extension AttributeConvertible where Self: RangeReplaceableCollection, Element == UInt8 {
    public static var attributeForm: AttributeForm<Self> {
        AttributeForm(.blob, to: { .blob([UInt8]($0)) }, from: { $0.blobValue.map { Self($0) } })
    }
}

extension Data: AttributeConvertible {}
extension [UInt8]: AttributeConvertible {}

/// Nil is stored as null.
extension Optional: AttributeConvertible where Wrapped: AttributeConvertible {
    public typealias NonOptional = Wrapped

    public static var attributeForm: AttributeForm<Wrapped?> {
        let form = Wrapped.attributeForm
        return AttributeForm(
            form.kind, to: { $0.map(form.stored) ?? .null },
            from: { if case .null = $0 { .some(nil) } else { form.value($0).map(Optional.some) } })
    }
}

/// The text of a UUID, read and written once per record: Foundation's functions for it take 20 times as long.
extension UUID {
    private static let hyphens = [8, 13, 18, 23]

    /// Returns the UUID of a text in either case; nil for any other text.
    package init?(text: String) {
        var text = text
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let isValid = withUnsafeMutableBytes(of: &bytes) { bytes in
            text.withUTF8 { utf8 in
                guard utf8.count == 36 else { return false }
                var half = 0
                for (index, character) in utf8.enumerated() {
                    if Self.hyphens.contains(index) {
                        guard character == UInt8(ascii: "-") else { return false }
                        continue
                    }
                    guard let digit = character.hexadecimalValue else { return false }
                    bytes[half / 2] = bytes[half / 2] << 4 | digit
                    half += 1
                }
                return true
            }
        }
        guard isValid else { return nil }
        self.init(uuid: bytes)
    }

    /// The text in lowercase.
    package var text: String { withUnsafeBytes(of: uuid) { $0.uuidText } }
}
