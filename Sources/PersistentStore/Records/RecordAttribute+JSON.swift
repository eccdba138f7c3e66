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
