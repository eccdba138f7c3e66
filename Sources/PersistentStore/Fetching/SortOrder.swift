import Platform

/// An attribute by which objects are sorted; null sorts before every value.
///
/// Objects with equal values in all sort keys are sorted by their key, in the direction of the last one.
/// `SortKey("id")` sorts by that key directly.
public struct SortKey: Hashable, Sendable {
    package let attribute: String
    package let isAscending: Bool

    public init(_ attribute: String, isAscending: Bool = true) {
        self.attribute = attribute
        self.isAscending = isAscending
    }

    /// The order in which the objects were inserted.
    package static let id = SortKey("id")
}

/// The total order that sort keys define for the objects of one entity.
package struct SortOrder: Hashable, Sendable {
    package struct Component: Hashable, Sendable {
        package let attribute: String
        let isAscending: Bool
        let ignoresCase: Bool

        package init(_ attribute: String, isAscending: Bool, ignoresCase: Bool) {
            self.attribute = attribute
            self.isAscending = isAscending
            self.ignoresCase = ignoresCase
        }
    }

    /// The attributes that are compared before the keys.
    package let components: [Component]
    let isKeyAscending: Bool

    package init(_ components: [Component], isKeyAscending: Bool) {
        self.components = components
        self.isKeyAscending = isKeyAscending
    }

    /// Creates the order of sort keys. Those after `id` have no effect, since no two objects share it.
    package init(_ sort: [SortKey], of entity: EntityDescription?) {
        let attributes = sort.prefix { $0.attribute != "id" }
        components = attributes.map { key in
            Component(
                key.attribute, isAscending: key.isAscending,
                ignoresCase: entity?.attribute(key.attribute)?.ignoresCase ?? false)
        }
        isKeyAscending = sort.dropFirst(attributes.count).first?.isAscending ?? sort.last?.isAscending ?? true
    }

    package func position(of object: StoredObject) -> SortPosition {
        SortPosition(components.map { object[$0.attribute] }, key: object.id.key, in: self)
    }

    /// Returns the position of an object with these values; an attribute without a value counts as null.
    package func position(of key: Int64, _ values: [String: AttributeValue]) -> SortPosition {
        SortPosition(components.map { values[$0.attribute] ?? .null }, key: key, in: self)
    }
}

/// The position of one object in a sort order; compares as SQLite sorts.
///
/// Only positions in the same order can be compared.
package struct SortPosition: Hashable, Sendable {
    /// The values of the sort keys before `id`.
    package let values: [AttributeValue]
    package let key: Int64
    let order: SortOrder

    package init(_ values: [AttributeValue], key: Int64, in order: SortOrder) {
        self.values = values
        self.key = key
        self.order = order
    }
}

extension SortPosition: Comparable {
    package static func < (left: SortPosition, right: SortPosition) -> Bool {
        for (component, values) in zip(left.order.components, zip(left.values, right.values)) {
            switch compare(values.0, values.1, ignoresCase: component.ignoresCase) {
            case .same: continue
            case .before: return component.isAscending
            case .after: return !component.isAscending
            }
        }
        return left.order.isKeyAscending ? left.key < right.key : right.key < left.key
    }

    /// The nearest position before this one.
    package var justBefore: SortPosition {
        SortPosition(values, key: order.isKeyAscending ? keyBefore : keyAfter, in: order)
    }

    /// The nearest position after this one.
    package var justAfter: SortPosition {
        SortPosition(values, key: order.isKeyAscending ? keyAfter : keyBefore, in: order)
    }

    // A malicious store may have an object at either limit.
    private var keyBefore: Int64 { key == .min ? key : key - 1 }
    private var keyAfter: Int64 { key == .max ? key : key + 1 }

    private enum Order {
        case before
        case same
        case after

        var reversed: Order {
            switch self {
            case .before: .after
            case .same: .same
            case .after: .before
            }
        }
    }

    /// Compares values in the order NULL, numbers, text, blobs; text by bytes (sqlite.org/datatype3.html
    /// 4.1).
    private static func compare(_ left: AttributeValue, _ right: AttributeValue, ignoresCase: Bool) -> Order {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): order(left, right)
        case (.text(let left), .text(let right)):
            ignoresCase ? withoutCase(left.utf8, right.utf8) : bytes(left.utf8, right.utf8)
        case (.blob(let left), .blob(let right)): bytes(left, right)
        case (.integer(let left), .real(let right)): order(left, right)
        case (.real(let left), .integer(let right)): order(right, left).reversed
        default:
            if let left = left.realValue, let right = right.realValue {
                order(left, right)
            } else {
                order(rank(left), rank(right))
            }
        }
    }

    private static func order<Element: Comparable>(_ left: Element, _ right: Element) -> Order {
        left < right ? .before : left == right ? .same : .after
    }

    /// Compares exactly, even if a Double cannot distinguish two integers (2^53 and beyond).
    private static func order(_ integer: Int64, _ real: Double) -> Order {
        guard let whole = Int64(exactly: real.rounded(.towardZero)) else {
            return real > 0 ? .before : .after
        }
        return whole == integer ? order(Double.zero, real - Double(whole)) : order(integer, whole)
    }

    /// Compares as NOCASE does: up to a NUL in both, then by length (sqlite.org/datatype3.html 7).
    private static func withoutCase(_ left: String.UTF8View, _ right: String.UTF8View) -> Order {
        for (left, right) in zip(left, right) {
            let (left, right) = (folded(left), folded(right))
            if left != right { return order(left, right) }
            if left == 0 { break }
        }
        return order(left.count, right.count)
    }

    private static func bytes(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Order {
        if left.lexicographicallyPrecedes(right) { return .before }
        return left.elementsEqual(right) ? .same : .after
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private static func rank(_ value: AttributeValue) -> Int {
        switch value {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }
}

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
