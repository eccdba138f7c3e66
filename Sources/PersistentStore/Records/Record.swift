/// A type whose values are the objects of one entity.
///
/// A record is a `Codable` structure that declares its entity once. The entity lists the stored properties,
/// from which it derives the names, types, and optionality of the attributes:
///
/// ```swift
/// struct Note: Record {
///     var title: String
///     var rank = 0
///     var body: String?
///     var created = Date()
///
///     static let entity = RecordEntity<Note>("Note") {
///         RecordAttribute(\.title, history: [.preservesValueOnDeletion])
///         RecordAttribute(\.rank, isIndexed: true)
///         RecordAttribute(\.body)
///         RecordAttribute(\.created, defaultValue: .now)
///     }
/// }
/// ```
public protocol Record: Codable, Sendable {
    /// The entity, stored in a `static let`.
    static var entity: RecordEntity<Self> { get }
}

/// The entity of a record type.
public struct RecordEntity<R: Record>: Sendable {
    package let name: String
    private let tracksHistory: Bool
    private let renamedFrom: [String]
    private let attributes: [RecordAttribute<R>]
    let plan: RecordPlan
    private let properties: [(path: any PartialKeyPath<R> & Sendable, attribute: String)]

    /// Creates an entity with an attribute for each stored property.
    public init(
        _ name: String, tracksHistory: Bool = true, renamedFrom: [String] = [],
        @RecordAttributes<R> attributes: () -> [RecordAttribute<R>]
    ) {
        let attributes = attributes()
        (self.name, self.attributes) = (name, attributes)
        (self.tracksHistory, self.renamedFrom) = (tracksHistory, renamedFrom)
        plan = RecordPlan(entity: name, attributes: attributes.map { ($0.description.name, $0.codec) })
        properties = attributes.map { ($0.path, $0.description.name) }
    }

    /// The entity for a ``StoreModel``.
    package var description: EntityDescription {
        EntityDescription(
            name, attributes: attributes.map(\.resolved), tracksHistory: tracksHistory,
            renamedFrom: renamedFrom)
    }

    /// Returns the attribute of a property. A property without one gets a name that no entity has, so that a
    /// request with it fails.
    func attribute(of path: PartialKeyPath<R>) -> String {
        properties.first { $0.path as PartialKeyPath<R> == path }?.attribute ?? nameOfProperty(path)
    }
}

/// An attribute of a record's entity: a stored property.
public struct RecordAttribute<R: Record>: Sendable {
    let path: any PartialKeyPath<R> & Sendable
    let description: AttributeDescription
    let codec: any AttributeCodec
    /// The type of a reference.
    private(set) var target: (any ReferenceValue.Type)?
    /// The effect of the deletion of the object to which a reference refers.
    var rule: AttributeDescription.DeletionRule?

    init(
        _ path: any PartialKeyPath<R> & Sendable, _ codec: any AttributeCodec,
        _ description: AttributeDescription
    ) {
        (self.path, self.codec, self.description) = (path, codec, description)
    }

    /// Creates an attribute for a property.
    ///
    /// The name is necessary if it differs from that of the property; the record's coding key must have it, too.
    /// The default value is for a writer that does not specify the attribute; records specify all.
    public init<Value: AttributeConvertible & Codable>(
        _ path: any KeyPath<R, Value> & Sendable, name: String? = nil,
        defaultValue: AttributeDescription.Default = .none, isUnique: Bool = false, isIndexed: Bool = false,
        indexWhenTrue other: PartialKeyPath<R>? = nil, indexWhenFalse another: PartialKeyPath<R>? = nil,
        ignoresCase: Bool = false, history: Set<AttributeDescription.History> = [], renamedFrom: [String] = []
    ) {
        self.path = path
        codec = Codec<Value.NonOptional>()
        target = Value.NonOptional.self as? any ReferenceValue.Type
        description = AttributeDescription(
            name ?? nameOfProperty(path), Value.attributeForm.kind,
            isOptional: Value.self != Value.NonOptional.self,
            defaultValue: defaultValue, isUnique: isUnique, isIndexed: isIndexed,
            indexWhenTrue: other.map(nameOfProperty),
            indexWhenFalse: another.map(nameOfProperty), ignoresCase: ignoresCase, history: history,
            renamedFrom: renamedFrom)
    }
}

/// Collects the attributes of a ``RecordEntity``.
@resultBuilder public enum RecordAttributes<R: Record> {
    public static func buildBlock(_ attributes: RecordAttribute<R>...) -> [RecordAttribute<R>] { attributes }

    public static func buildExpression(_ attribute: RecordAttribute<R>) -> RecordAttribute<R> { attribute }
}

extension Record {
    static var entityDescription: EntityDescription { entity.description }
}

/// Properties of types that no attribute stores as they are.
extension RecordAttribute {
    /// Creates an attribute that stores a property of any `Codable` type as JSON text, such as an array of texts.
    ///
    /// Predicates and sort keys see the text.
    ///
    /// - Parameters:
    ///   - path: The property.
    ///   - name: The name of the attribute, if it differs from that of the property.
    ///   - defaultValue: The JSON text for a writer that does not specify the attribute.
    ///   - history: The values that the history retains.
    ///   - renamedFrom: The names that the attribute had in earlier versions of the model, newest first.
    public init<Value: Codable & Sendable>(
        json path: any KeyPath<R, Value> & Sendable, name: String? = nil,
        defaultValue: AttributeDescription.Default = .none, history: Set<AttributeDescription.History> = [],
        renamedFrom: [String] = []
    ) {
        self.init(
            path, Codec(json: Value.self),
            AttributeDescription(
                name ?? nameOfProperty(path), .text, defaultValue: defaultValue, history: history,
                renamedFrom: renamedFrom))
    }

    /// Creates an attribute that stores an optional property of any `Codable` type as JSON text; nil is null.
    ///
    /// - Parameters:
    ///   - path: The property.
    ///   - name: The name of the attribute, if it differs from that of the property.
    ///   - defaultValue: The JSON text for a writer that does not specify the attribute.
    ///   - history: The values that the history retains.
    ///   - renamedFrom: The names that the attribute had in earlier versions of the model, newest first.
    public init<Value: Codable & Sendable>(
        json path: any KeyPath<R, Value?> & Sendable, name: String? = nil,
        defaultValue: AttributeDescription.Default = .none, history: Set<AttributeDescription.History> = [],
        renamedFrom: [String] = []
    ) {
        self.init(
            path, Codec(json: Value.self),
            AttributeDescription(
                name ?? nameOfProperty(path), .text, isOptional: true, defaultValue: defaultValue,
                history: history, renamedFrom: renamedFrom))
    }

    /// Explains the error of a type that no attribute stores as it is.
    @available(
        *, unavailable,
        message: "An attribute cannot store this type. Write RecordAttribute(json:) to store JSON."
    )
    @_disfavoredOverload
    public init<Value: Codable & Sendable>(
        _ path: any KeyPath<R, Value> & Sendable, name: String? = nil,
        defaultValue: AttributeDescription.Default = .none, history: Set<AttributeDescription.History> = [],
        renamedFrom: [String] = []
    ) {
        self.init(
            json: path, name: name, defaultValue: defaultValue, history: history, renamedFrom: renamedFrom)
    }
}

/// Returns the name of a stored property (SE-0369). For any other path, ``StoreModel`` rejects the result.
func nameOfProperty<R>(_ path: PartialKeyPath<R>) -> String {
    let (text, root) = ("\(path)", "\\\(R.self).")
    return text.hasPrefix(root) ? String(text.dropFirst(root.count)) : text
}
