/// A reference to a record, as a property of another record.
///
/// ```swift
/// struct Todo: Record {
///     var title: String
///     var list: RecordReference<TodoList>
///
///     static let entity = RecordEntity<Todo>("Todo") {
///         RecordAttribute(\.title)
///         RecordAttribute(\.list, onDeletion: .cascade)
///     }
/// }
/// ```
public struct RecordReference<R: Record>: Hashable, Sendable {
    /// The object, which the same context may have inserted and not saved.
    public let id: ObjectID

    /// Creates a reference. If the object is of another entity, saving the reference is an error.
    public init(_ id: ObjectID) { self.id = id }

    public init(_ record: StoredRecord<R>) { id = record.id }
}

extension RecordReference: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(ObjectID.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(id)
    }
}

extension RecordReference: AttributeConvertible {
    /// The key of the object. A blob, which no reference equals, stands for an object of another entity.
    public static var attributeForm: AttributeForm<RecordReference> {
        AttributeForm(.integer) {
            $0.id.entity == R.entity.name ? .reference($0.id) : .blob([])
        } from: {
            RecordReference(stored: $0, in: .none)
        }
    }
}

extension RecordReference: ReferenceValue {
    static var target: String { R.entity.name }
}

/// A type of values that are references, of which an attribute stores the key alone.
protocol ReferenceValue: AttributeConvertible {
    static var target: String { get }
    var id: ObjectID { get }
    init(_ id: ObjectID)
}

/// The reason for which a reference cannot be saved.
struct InvalidReference: Error {
    let reason: String
}

extension ReferenceValue {
    init?(stored value: AttributeValue, in store: StoreDigest) {
        guard case .integer(let key) = value else { return nil }
        self.init(ObjectID(referring: key, to: Self.target, in: store))
    }

    /// Returns the value to save in a store.
    func value(in store: StoreDigest) throws -> AttributeValue {
        guard id.entity == Self.target else {
            throw InvalidReference(reason: "it refers to an object of \(id.entity)")
        }
        guard store == .none || id.isValid(in: store) else { throw StoreError.objectOfAnotherStore(id) }
        return .reference(id)
    }
}

extension AttributeConvertible {
    /// Creates a value that a store returned.
    static func converted(_ value: AttributeValue, in store: StoreDigest) -> Self? {
        guard !value.isNull, let type = NonOptional.self as? any ReferenceValue.Type else {
            return Self(attributeValue: value)
        }
        return type.init(stored: value, in: store) as? Self
    }
}

extension RecordAttribute {
    /// Creates an attribute for a reference to a record, with an index.
    ///
    /// - Parameters:
    ///   - path: The property.
    ///   - name: The name of the attribute, if it differs from that of the property.
    ///   - rule: The effect of the deletion of the record to which it refers; only an optional reference can be
    ///     nullified.
    ///   - isUnique: Whether at most one record may refer to the same one.
    ///   - history: The values that the history retains.
    ///   - renamedFrom: The names that the attribute had in earlier versions of the model, newest first.
    public init<Value: AttributeConvertible & Codable, Target: Record>(
        _ path: any KeyPath<R, Value> & Sendable, name: String? = nil,
        onDeletion rule: AttributeDescription.DeletionRule, isUnique: Bool = false,
        history: Set<AttributeDescription.History> = [], renamedFrom: [String] = []
    ) where Value.NonOptional == RecordReference<Target> {
        self.init(path, name: name, isUnique: isUnique, history: history, renamedFrom: renamedFrom)
        self.rule = rule
    }

    /// The description with the entity of a reference, which may be the one that is being initialized.
    var resolved: AttributeDescription {
        guard let target else { return description }
        return AttributeDescription(
            description.name, referencing: target.target,
            onDeletion: rule ?? (description.isOptional ? .nullify : .deny),
            isOptional: description.isOptional, isUnique: description.isUnique, history: description.history,
            renamedFrom: description.renamedFrom)
    }
}

/// Returns a condition that the property refers to an object, by its ID.
public func == <R: Record, Value: AttributeConvertible, Target: Record>(
    path: KeyPath<R, Value>, id: ObjectID
) -> RecordPredicate<R> where Value.NonOptional == RecordReference<Target> {
    path.compared(.equal, RecordReference<Target>(id).attributeValue)
}
