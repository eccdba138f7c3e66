import Platform
package import SQLite

/// A value of an attribute, in one of SQLite's storage classes.
public enum AttributeValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// Returns 1 for true and 0 for false.
    package static func boolean(_ value: Bool) -> AttributeValue { .integer(value ? 1 : 0) }

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
    package var booleanValue: Bool { integerValue.map { $0 != 0 } ?? false }

    package var isNull: Bool { self == .null }
}

extension AttributeValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByFloatLiteral {
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(stringLiteral value: String) { self = .text(value) }
    public init(floatLiteral value: Double) { self = .real(value) }
}

extension AttributeValue: Bindable {
    package func bind(to statement: borrowing Statement, at index: Int) throws(SQLiteError) {
        switch self {
        case .null: try statement.bindNull(at: index)
        case .integer(let value): try statement.bind(value, at: index)
        case .real(let value): try statement.bind(value, at: index)
        case .text(let value): try statement.bind(value, at: index)
        case .blob(let value): try statement.bind(value, at: index)
        }
    }
}

extension Connection {
    /// Returns a statement with its first parameters bound.
    func prepare(_ sql: String, binding values: [AttributeValue]) throws(SQLiteError) -> Statement {
        let statement = try prepare(sql)
        for (index, value) in values.enumerated() { try value.bind(to: statement, at: index + 1) }
        return statement
    }
}

extension Statement {
    func value(_ column: Int) -> AttributeValue {
        switch type(column) {
        case .null: .null
        case .integer: .integer(integer(column))
        case .real: .real(real(column))
        case .text: .text(text(column))
        case .blob: .blob(blob(column))
        }
    }

    /// Returns a value that RETURNING reports: an integer in a real column is not converted there yet.
    func value(_ column: Int, of kind: AttributeDescription.Kind) -> AttributeValue {
        if kind == .real, type(column) == .integer { .real(real(column)) } else { value(column) }
    }

    func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }
    func optionalInteger(_ column: Int) -> Int64? { isNull(column) ? nil : integer(column) }
}

extension AttributeValue {
    /// Whether SQLite's JSON functions return the value of ``quotedJSON``.
    var isExactInJSON: Bool {
        switch self {
        case .integer: true
        case .text(let text): !text.utf8.contains(0)
        case .null, .real, .blob: false
        }
    }

    /// The JSON form of a text or an integer for SQLite's JSON functions, which end a text at NUL.
    var quotedJSON: String? {
        switch self {
        case .text(let text): JSONEscaping.required.quoted(text)
        case .integer(let number): String(number)
        case .null, .real, .blob: nil
        }
    }
}

/// Values that SQLite would store as others.
extension AttributeDescription {
    /// Checks that the store returns a value as it is saved.
    ///
    /// A value of another type is left to SQLite.
    ///
    /// - Parameter mayBeUnsaved: Whether a reference may be to an object that the same save inserts.
    func check(
        _ value: AttributeValue, of entity: String, mayBeUnsaved: Bool = false
    ) throws(StoreError) {
        if mayBeUnsaved, reference != nil, case .integer = value { return }
        if let reason = invalidity(of: value) {
            throw .invalidValue(attribute: name, entity: entity, reason: reason)
        }
    }

    private func invalidity(of value: AttributeValue) -> String? {
        switch (value, kind) {
        case (.real(let real), _) where real.isNaN: "it is not a number, which the store would save as null"
        case (.integer(let integer), _) where ObjectID.isTemporary(key: integer) && reference == nil:
            "it is the key of an unsaved object; save that object first, and use its permanent ID"
        case _ where isAttached: nil
        // Whole numbers of a real column are stored as integers, which have one zero.
        case (.real(let real), .real) where real == 0 && real.sign == .minus:
            "it is a negative zero, which the store would save without its sign"
        case (.real(let real), .integer) where Int64(exactly: real) == nil: "it is not an integer of 64 bits"
        case (.integer(let integer), .real) where Double(exactly: integer) == nil:
            "it has more digits than a real number"
        case (.integer(let integer), _) where ObjectID.isTemporary(key: integer) && reference != nil:
            "it refers to an unsaved object that is not inserted in the same save"
        default: nil
        }
    }
}

extension AttributeValue {
    /// The kind of attribute that stores the value unchanged; nil for null.
    var kind: AttributeDescription.Kind? {
        switch self {
        case .null: nil
        case .integer: .integer
        case .real: .real
        case .text: .text
        case .blob: .blob
        }
    }
}

extension EntityDescription {
    /// Checks the names and the values of attributes.
    func check(_ values: [String: AttributeValue], mayBeUnsaved: Bool = false) throws(StoreError) {
        for (name, value) in values {
            guard let index = index(of: name) else { throw .unknownAttribute(name, entity: self.name) }
            try attributes[index].check(value, of: self.name, mayBeUnsaved: mayBeUnsaved)
        }
    }
}
