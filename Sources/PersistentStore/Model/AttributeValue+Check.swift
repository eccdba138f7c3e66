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
            guard let attribute = attribute(name) else { throw .unknownAttribute(name, entity: self.name) }
            try attribute.check(value, of: self.name, mayBeUnsaved: mayBeUnsaved)
        }
    }
}
