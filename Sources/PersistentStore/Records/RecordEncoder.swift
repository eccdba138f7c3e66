/// Encodes records as the values of their attributes; one instance serves any number of records.
final class RecordEncoder: Encoder {
    private let plan: RecordPlan
    /// The store of the objects to which the records refer; none for any store.
    private let store: StoreDigest
    /// The values in the order of the plan; nil for a property that the record did not encode.
    private var values: [AttributeValue?] = []
    private var cursor: AttributeCursor
    /// Whether the record is encoded as something that has no attributes.
    private var isRejected = false

    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    init(_ plan: RecordPlan, _ store: StoreDigest = .none) {
        (self.plan, self.store) = (plan, store)
        cursor = AttributeCursor(plan.layout)
    }

    /// Returns the values of the attributes in the order of the plan; null for nil.
    func values(of record: some Record) throws(StoreError) -> [AttributeValue] {
        values = Array(repeating: nil, count: plan.codecs.count)
        cursor.rewind()
        isRejected = false
        do {
            try record.encode(to: self)
        } catch let error as StoreError {
            throw error
        } catch {
            throw plan.invalid(nil, "\(type(of: error))")
        }
        guard !isRejected else { throw plan.invalid(nil, "a record has only attributes") }
        return values.map { $0 ?? .null }
    }

    /// Returns the values in which a record differs from an earlier one; all, if there is none.
    func changes<R: Record>(from old: R?, to new: R) throws(StoreError) -> [String: AttributeValue] {
        let (old, new) = (
            try old.map { record throws(StoreError) in try values(of: record) }, try values(of: new)
        )
        var changes: [String: AttributeValue] = [:]
        for (index, name) in plan.layout.names.enumerated()
        where old.map({ !new[index].isSame(as: $0[index]) }) ?? true {
            changes[name] = new[index]
        }
        return changes
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(RowContainer<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { rejected() }
    func singleValueContainer() -> any SingleValueEncodingContainer { rejected() }

    fileprivate func rejected() -> RejectedContainer {
        isRejected = true
        return RejectedContainer(encoder: self)
    }

    fileprivate func set(_ value: AttributeValue, _ name: String) throws(StoreError) {
        values[try index(of: name)] = value
    }

    /// Converts by the codec of the attribute, for a type that only the record knows.
    fileprivate func convert<Value>(_ value: Value, _ name: String) throws(StoreError) {
        let index = try index(of: name)
        guard let codec = plan.codecs[index] as? Codec<Value> else {
            throw plan.invalid(name, "its property is a \(Value.self)")
        }
        do {
            values[index] = try codec.write(value, store)
        } catch let error as InvalidReference {
            throw plan.invalid(name, error.reason)
        } catch let error as StoreError {
            throw error
        } catch {
            throw plan.invalid(name, "it cannot be JSON: \(type(of: error))")
        }
    }

    private func index(of name: String) throws(StoreError) -> Int {
        guard let index = cursor.index(of: name) else {
            throw .unknownAttribute(name, entity: plan.entity)
        }
        return index
    }
}

private struct RowContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: RecordEncoder

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { try encoder.set(.null, key.stringValue) }

    // Without the cost of finding the codec.

    func encode(_ value: String, forKey key: Key) throws {
        try encoder.set(value.attributeValue, key.stringValue)
    }
    func encode(_ value: Int, forKey key: Key) throws {
        try encoder.set(value.attributeValue, key.stringValue)
    }
    func encode(_ value: Int64, forKey key: Key) throws {
        try encoder.set(value.attributeValue, key.stringValue)
    }
    func encode(_ value: Double, forKey key: Key) throws {
        try encoder.set(value.attributeValue, key.stringValue)
    }
    func encode(_ value: Bool, forKey key: Key) throws {
        try encoder.set(value.attributeValue, key.stringValue)
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try encoder.convert(value, key.stringValue)
    }

    // Synthesized code encodes an optional with these, and nil must not skip the check of its name.

    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeOptional(value, key) }

    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        try encodeOptional(value, key)
    }

    private func encodeOptional<Value: Encodable>(_ value: Value?, _ key: Key) throws {
        if let value {
            try encoder.convert(value, key.stringValue)
        } else {
            try encoder.set(.null, key.stringValue)
        }
    }

    func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested>
    {
        encoder.rejected().nestedContainer(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder.rejected() }
    func superEncoder() -> any Encoder { encoder.rejected().superEncoder() }
    func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}

/// The container of a record that is not encoded as attributes, and is rejected after it is encoded.
private struct RejectedContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let encoder: RecordEncoder

    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    func encodeNil() throws {}
    func encode<Value: Encodable>(_ value: Value) throws {}

    func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder.container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func superEncoder() -> any Encoder { encoder }
}
