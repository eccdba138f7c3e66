import FoundationEssentials

/// The order of a record type's attributes, and the conversion of each.
struct RecordPlan: Sendable {
    let entity: String
    let layout: StoredObject.Layout
    let codecs: [any AttributeCodec]

    init(entity: String, attributes: [(name: String, codec: any AttributeCodec)]) {
        self.entity = entity
        // The first of two equal names; the model rejects such an entity.
        var names: Set<String> = []
        let distinct = attributes.filter { names.insert($0.name).inserted }
        layout = StoredObject.Layout(names: distinct.map(\.name))
        codecs = distinct.map(\.codec)
    }

    func invalid(_ attribute: String?, _ reason: String) -> StoreError {
        .invalidValue(attribute: attribute, entity: entity, reason: reason)
    }
}

/// The conversion of an attribute, whose type the generic code of a coder finds by a cast: of classes, because
/// that of values takes ten times as long.
protocol AttributeCodec: AnyObject, Sendable {}

final class Codec<Value>: AttributeCodec {
    let read: @Sendable (AttributeValue, StoreDigest) -> Value?
    let write: @Sendable (Value, StoreDigest) throws -> AttributeValue

    init() where Value: AttributeConvertible {
        if Value.self is any ReferenceValue.Type {
            read = { Value.converted($0, in: $1) }
            write = { try ($0 as? any ReferenceValue)?.value(in: $1) ?? .null }
        } else {
            let form = Value.attributeForm
            read = { value, _ in form.value(value) }
            write = { value, _ in form.stored(value) }
        }
    }

    /// Creates the conversion to and from a JSON text.
    init(json type: Value.Type) where Value: Codable & Sendable {
        read = { stored, _ in
            stored.textValue.flatMap { try? JSONDecoder().decode(Value.self, from: Data($0.utf8)) }
        }
        write = { value, _ in
            let encoder = JSONEncoder()
            // Equal values have equal texts.
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return .text(String(decoding: try encoder.encode(value), as: UTF8.self))
        }
    }
}

/// A cursor over the attributes of a plan. Synthesized code uses the keys in the order of their declaration,
/// so the next one usually is the one after the last.
struct AttributeCursor {
    private let layout: StoredObject.Layout
    private let entity: String
    private var next = 0

    init(_ plan: RecordPlan) { (layout, entity) = (plan.layout, plan.entity) }

    mutating func rewind() { next = 0 }

    /// Makes the last attribute the next one again.
    mutating func stepBack() { next -= 1 }

    mutating func skip() { next += 1 }

    /// Returns the index of an attribute.
    ///
    /// - Throws: ``StoreError/unknownAttribute(_:entity:)`` if there is none of that name.
    mutating func index(of name: String) throws(StoreError) -> Int {
        if next < layout.names.count, layout.names[next] == name {
            next += 1
            return next - 1
        }
        guard let index = layout.index(of: name) else { throw .unknownAttribute(name, entity: entity) }
        next = index + 1
        return index
    }
}

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
        cursor = AttributeCursor(plan)
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
        values[try cursor.index(of: name)] = value
    }

    /// Converts by the codec of the attribute, for a type that only the record knows.
    fileprivate func convert<Value>(_ value: Value, _ name: String) throws(StoreError) {
        let index = try cursor.index(of: name)
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
}

private struct RowContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: RecordEncoder

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { try encoder.set(.null, key.stringValue) }

    // Without the cost of finding the codec.

    func encode(_ value: String, forKey key: Key) throws { try set(value, key) }
    func encode(_ value: Int, forKey key: Key) throws { try set(value, key) }
    func encode(_ value: Int64, forKey key: Key) throws { try set(value, key) }
    func encode(_ value: Double, forKey key: Key) throws { try set(value, key) }
    func encode(_ value: Bool, forKey key: Key) throws { try set(value, key) }

    private func set(_ value: some AttributeConvertible, _ key: Key) throws(StoreError) {
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
