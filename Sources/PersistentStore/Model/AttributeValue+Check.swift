/// Values that SQLite would store as others.
extension AttributeDescription {
    /// Checks that the store returns a value as it is saved.
    ///
    /// - Throws: ``StoreError/invalidValue(attribute:entity:reason:)``. A value of another type is left to SQLite.
    func check(_ value: AttributeValue, of entity: String) throws(StoreError) {
        if let reason = invalidity(of: value) {
            throw .invalidValue(attribute: name, entity: entity, reason: reason)
        }
    }

    private func invalidity(of value: AttributeValue) -> String? {
        switch (value, kind) {
        case (.real(let real), _) where real.isNaN: "it is not a number, which the store would save as null"
        // Whole numbers of a real column are stored as integers, which have one zero.
        case (.real(let real), .real) where real == 0 && real.sign == .minus:
            "it is a negative zero, which the store would save without its sign"
        case (.real(let real), .integer) where Int64(exactly: real) == nil: "it is not an integer of 64 bits"
        case (.integer(let integer), .real) where Double(exactly: integer) == nil:
            "it has more digits than a real number"
        case (.integer(let integer), _) where ObjectID.isTemporary(key: integer):
            "it is the key of an unsaved object; save that object first, and use its permanent ID"
        default: nil
        }
    }
}

extension EntityDescription {
    /// Checks the names and the values of attributes.
    func check(_ values: [String: AttributeValue]) throws(StoreError) {
        for (name, value) in values {
            guard let attribute = attribute(name) else { throw .unknownAttribute(name, entity: self.name) }
            try attribute.check(value, of: self.name)
        }
    }
}
