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
    private var next = 0

    init(_ layout: StoredObject.Layout) { self.layout = layout }

    mutating func rewind() { next = 0 }

    /// Makes the last attribute the next one again.
    mutating func stepBack() { next -= 1 }

    mutating func skip() { next += 1 }

    /// Returns the index of an attribute; nil if there is none of that name.
    mutating func index(of name: String) -> Int? {
        if next < layout.names.count, layout.names[next] == name {
            next += 1
            return next - 1
        }
        guard let index = layout.index(of: name) else { return nil }
        next = index + 1
        return index
    }
}
