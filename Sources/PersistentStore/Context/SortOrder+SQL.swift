import Platform

/// Sort orders as SQL.
extension SortOrder {
    /// Checks that the entity has the attributes.
    func check(_ entity: EntityDescription) throws(StoreError) {
        for component in components where entity.attribute(component.attribute) == nil {
            throw .unknownAttribute(component.attribute, entity: entity.name)
        }
    }

    /// Returns an ORDER BY clause.
    func clause(_ entity: EntityDescription, isReversed: Bool) -> String {
        let terms = components.map { component in
            let column = StoreSchema.qualified(component.attribute, of: entity)
            return "\(column) \(component.isAscending == isReversed ? "DESC" : "ASC")"
        }
        return " ORDER BY "
            + (terms + ["id \(isKeyAscending == isReversed ? "DESC" : "ASC")"])
            .joined(separator: ", ")
    }

    /// Whether an index of the store has this order, so that any page costs only its rows.
    ///
    /// No index has the order of several attributes. That of an attribute that may be null is excluded
    /// because a position in it is no single range of the index.
    package func isIndexed(_ entity: EntityDescription, where predicate: ObjectPredicate? = nil) -> Bool {
        guard let component = components.first else { return predicate == nil }
        guard components.count == 1, let attribute = entity.attribute(component.attribute),
            !attribute.isOptional, component.isAscending == isKeyAscending
        else { return false }
        switch predicate {
        case nil: return attribute.isIndexed || attribute.isUnique
        case .compare(let name, .equal, .integer(0)):
            return entity.attribute(name)?.indexWhenFalse == attribute.name
        case .compare(let name, .notEqual, .integer(0)):
            return entity.attribute(name)?.indexWhenTrue == attribute.name
        default: return false
        }
    }

    /// Returns the condition of the objects after a position, or before it.
    ///
    /// One comparison of rows where possible, which SQLite finds in an index. With null or in two
    /// directions, rows do not compare as they sort; there, each alternative is later in one column and equal
    /// in those before it.
    func condition(
        _ position: SortPosition, isAfter: Bool, _ entity: EntityDescription, _ values: inout [AttributeValue]
    ) -> String {
        let terms = terms(of: position, entity, isAfter: isAfter)
        if terms.allSatisfy({ $0.isGreater == terms[0].isGreater && !$0.mayBeNull }) {
            values += terms.map(\.value)
            return "(\(terms.map(\.column).joined(separator: ", "))) \(terms[0].isGreater ? ">" : "<") "
                + "(\(terms.map { _ in "?" }.joined(separator: ", ")))"
        }
        var condition = ""
        if let bound = terms[0].indexBound {
            values.append(terms[0].value)
            condition = bound + " AND "
        }
        var alternatives: [String] = []
        for (index, term) in terms.enumerated() {
            guard let beyond = term.beyond else { continue }
            let equal = terms[..<index]
            alternatives.append((equal.map { "\($0.column) IS ?" } + [beyond]).joined(separator: " AND "))
            values += equal.map(\.value) + (term.value.isNull ? [] : [term.value])
        }
        return condition + "(" + alternatives.joined(separator: " OR ") + ")"
    }

    private func terms(of position: SortPosition, _ entity: EntityDescription, isAfter: Bool) -> [Term] {
        zip(components, position.values).map { component, value in
            Term(
                column: StoreSchema.qualified(component.attribute, of: entity), value: value,
                mayBeNull: value.isNull || entity.attribute(component.attribute)?.isOptional ?? true,
                isGreater: component.isAscending == isAfter)
        } + [
            Term(
                column: "id", value: .integer(position.key), mayBeNull: false,
                isGreater: isKeyAscending == isAfter)
        ]
    }

    private struct Term {
        let column: String
        let value: AttributeValue
        let mayBeNull: Bool
        let isGreater: Bool

        /// The condition of the greater, or smaller, values; nil if there are none.
        var beyond: String? {
            switch (isGreater, value.isNull) {
            case (true, true): "\(column) IS NOT NULL"
            case (true, false): "\(column) > ?"
            case (false, true): nil
            case (false, false): mayBeNull ? "(\(column) < ? OR \(column) IS NULL)" : "\(column) < ?"
            }
        }

        /// A condition that the alternatives imply, and that SQLite finds in an index, unlike them.
        var indexBound: String? {
            if isGreater { return value.isNull ? nil : "\(column) >= ?" }
            return mayBeNull ? nil : "\(column) <= ?"
        }
    }
}
