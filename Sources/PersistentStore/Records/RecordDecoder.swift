import SQLite

/// Decodes records from rows; one instance serves all rows of a fetch.
final class RecordDecoder: Decoder {
    private let plan: RecordPlan
    private var row: [AttributeValue] = []
    /// The store of the objects to which the records refer.
    private var store: StoreDigest
    private var cursor: AttributeCursor

    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    init(_ plan: RecordPlan, _ store: StoreDigest = .none) {
        (self.plan, self.store) = (plan, store)
        cursor = AttributeCursor(plan)
        row.reserveCapacity(plan.codecs.count)
    }

    /// Returns the record of a row whose columns after the first two are the attributes of the plan.
    func record<R: Record>(_ type: R.Type, _ statement: borrowing Statement) throws(StoreError) -> R {
        row.removeAll(keepingCapacity: true)
        for index in plan.codecs.indices { row.append(statement.value(index + 2)) }
        return try record(type)
    }

    func record<R: Record>(_ type: R.Type, _ object: StoredObject) throws(StoreError) -> R {
        guard object.id.entity == plan.entity else {
            throw plan.invalid("id", "the object is of the entity \(object.id.entity)")
        }
        store = object.id.store
        if object.layout === plan.layout || object.layout == plan.layout {
            row = object.stored
        } else {
            row.removeAll(keepingCapacity: true)
            for name in plan.layout.names {
                guard let index = object.layout.index(of: name) else {
                    throw plan.invalid(name, "it was not fetched")
                }
                row.append(object.stored[index])
            }
        }
        return try record(type)
    }

    private func record<R: Record>(_ type: R.Type) throws(StoreError) -> R {
        cursor.rewind()
        do {
            return try R(from: self)
        } catch let error as StoreError {
            throw error
        } catch {
            // An initializer of the record itself rejected the values; its text may contain them.
            throw plan.invalid((error as? DecodingError)?.attribute, "\(Swift.type(of: error))")
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(RowContainer<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw isNested(nil) }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw isNested(nil) }

    fileprivate var names: [String] { plan.layout.names }

    fileprivate func isNested(_ attribute: String?) -> StoreError {
        plan.invalid(attribute, "a record has only attributes")
    }

    fileprivate func isNull(_ name: String) throws(StoreError) -> Bool {
        let index = try cursor.index(of: name)
        // The same attribute follows.
        defer { cursor.stepBack() }
        return if case .null = row[index] { true } else { false }
    }

    fileprivate func value<Value: AttributeConvertible>(_ name: String) throws(StoreError) -> Value {
        let stored = row[try cursor.index(of: name)]
        guard let value = Value(attributeValue: stored) else { throw invalid(name, stored, Value.self) }
        return value
    }

    fileprivate func optional<Value: AttributeConvertible>(_ name: String) throws(StoreError) -> Value? {
        let stored = row[try cursor.index(of: name)]
        if case .null = stored { return nil }
        guard let value = Value(attributeValue: stored) else { throw invalid(name, stored, Value.self) }
        return value
    }

    /// Converts by the codec of the attribute, for a type that only the record knows.
    fileprivate func converted<Value>(_ name: String) throws(StoreError) -> Value {
        let index = try cursor.index(of: name)
        guard let value = (plan.codecs[index] as? Codec<Value>)?.read(row[index], store) else {
            throw invalid(name, row[index], Value.self)
        }
        return value
    }

    fileprivate func optionalConverted<Value>(_ name: String) throws(StoreError) -> Value? {
        guard try !isNull(name) else {
            cursor.skip()
            return nil
        }
        // Not of the optional type itself, for which there is no codec.
        let value: Value = try converted(name)
        return value
    }

    private func invalid(_ name: String, _ stored: AttributeValue, _ type: Any.Type) -> StoreError {
        plan.invalid(name, stored == .null ? "it is null" : "it is not a valid \(type)")
    }
}

private struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: RecordDecoder

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { decoder.names.compactMap(Key.init(stringValue:)) }

    /// A property without an attribute is an error, not a missing value.
    func contains(_ key: Key) -> Bool { true }

    func decodeNil(forKey key: Key) throws -> Bool { try decoder.isNull(key.stringValue) }

    // Without the cost of finding the codec.

    func decode(_ type: String.Type, forKey key: Key) throws -> String { try decoder.value(key.stringValue) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try decoder.value(key.stringValue) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try decoder.value(key.stringValue) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try decoder.value(key.stringValue) }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder.value(key.stringValue) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoder.converted(key.stringValue)
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try optional(key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optional(key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try optional(key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try optional(key) }
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try optional(key) }

    private func optional<Value: AttributeConvertible>(_ key: Key) throws(StoreError) -> Value? {
        try decoder.optional(key.stringValue)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try decoder.optionalConverted(key.stringValue)
    }

    func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) throws
        -> KeyedDecodingContainer<Nested>
    {
        throw decoder.isNested(key.stringValue)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw decoder.isNested(key.stringValue)
    }

    func superDecoder() throws -> any Decoder { throw decoder.isNested("super") }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw decoder.isNested(key.stringValue) }
}

extension DecodingError {
    fileprivate var attribute: String? {
        switch self {
        case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
            .valueNotFound(_, let context):
            context.codingPath.last?.stringValue
        @unknown default: nil
        }
    }
}
