/// A condition on the attributes of a record, written with key paths:
///
/// ```swift
/// \Note.rank > 3 && (\Note.title == "x" || \Note.body == nil)
/// ```
///
/// `==` and `!=` compare with nil like with any value. All other conditions are neither true nor false for
/// nil, so that neither they nor their negations admit it.
public struct RecordPredicate<R: Record>: Hashable, Sendable {
    /// The condition on the entity's objects.
    package let predicate: ObjectPredicate

    package init(_ predicate: ObjectPredicate) { self.predicate = predicate }

    /// Returns a condition that the text contains the words, ignoring ASCII case.
    public static func contains<Value: AttributeConvertible>(
        _ path: KeyPath<R, Value>, _ words: String
    ) -> RecordPredicate where Value.NonOptional == String {
        RecordPredicate(.contains(R.entity.attribute(of: path), words))
    }

    /// Returns a condition that the text begins with a prefix; see ``ObjectPredicate/hasPrefix(_:_:)``.
    public static func hasPrefix<Value: AttributeConvertible>(
        _ path: KeyPath<R, Value>, _ prefix: String
    ) -> RecordPredicate where Value.NonOptional == String {
        RecordPredicate(.hasPrefix(R.entity.attribute(of: path), prefix))
    }

    /// Returns a condition that the text matches a pattern; see ``ObjectPredicate/matches(_:_:)``.
    public static func matches<Value: AttributeConvertible>(
        _ path: KeyPath<R, Value>, _ pattern: String
    ) -> RecordPredicate where Value.NonOptional == String {
        RecordPredicate(.matches(R.entity.attribute(of: path), pattern))
    }

    /// Returns a condition that the property has one of these values.
    public static func isOneOf<Value: AttributeConvertible>(
        _ path: KeyPath<R, Value>, _ values: some Sequence<Value.NonOptional>
    ) -> RecordPredicate {
        RecordPredicate(.isOneOf(R.entity.attribute(of: path), values.map(\.attributeValue)))
    }

    /// Returns a condition that compares two properties of the record, such as `.compare(\.edited, .greater, \.created)`.
    public static func compare<Value: Equatable>(
        _ left: KeyPath<R, Value>, _ comparison: ObjectPredicate.Comparison, _ right: KeyPath<R, Value>
    ) -> RecordPredicate {
        RecordPredicate(
            .compareAttributes(R.entity.attribute(of: left), comparison, R.entity.attribute(of: right)))
    }

    /// Returns a condition that the record is one of these objects.
    public static func objects(_ ids: some Sequence<ObjectID>) -> RecordPredicate {
        RecordPredicate(.keys(ids.filter { $0.entity == R.entity.name && $0.isPermanent }.map(\.key)))
    }
}

extension RecordPredicate {
    /// Returns a condition that both hold.
    public static func && (left: RecordPredicate, right: RecordPredicate) -> RecordPredicate {
        RecordPredicate(.and([left.predicate, right.predicate]))
    }

    /// Returns a condition that one of them holds, or both.
    public static func || (left: RecordPredicate, right: RecordPredicate) -> RecordPredicate {
        RecordPredicate(.or([left.predicate, right.predicate]))
    }

    /// Returns a condition that this one does not hold.
    public static prefix func ! (part: RecordPredicate) -> RecordPredicate {
        RecordPredicate(.not(part.predicate))
    }
}

/// Properties of type `Bool` as conditions.
extension RecordPredicate {
    /// Returns a condition that the property is true.
    package static func isTrue(_ path: KeyPath<R, Bool>) -> RecordPredicate {
        path.compared(.notEqual, .boolean(false))
    }

    /// Returns a condition that the property is true, and that the other condition holds.
    public static func && (left: KeyPath<R, Bool>, right: RecordPredicate) -> RecordPredicate {
        isTrue(left) && right
    }

    /// Returns a condition that the property is true, and that the other condition holds.
    public static func && (left: RecordPredicate, right: KeyPath<R, Bool>) -> RecordPredicate {
        left && isTrue(right)
    }

    /// Returns a condition that the property is true, or that the other condition holds.
    public static func || (left: KeyPath<R, Bool>, right: RecordPredicate) -> RecordPredicate {
        isTrue(left) || right
    }

    /// Returns a condition that the property is true, or that the other condition holds.
    public static func || (left: RecordPredicate, right: KeyPath<R, Bool>) -> RecordPredicate {
        left || isTrue(right)
    }
}

extension KeyPath where Root: Record {
    func compared(_ comparison: ObjectPredicate.Comparison, _ value: AttributeValue) -> RecordPredicate<Root>
    {
        RecordPredicate(.compare(Root.entity.attribute(of: self), comparison, value))
    }
}

/// Returns a condition that the property is false.
public prefix func ! <R: Record>(path: KeyPath<R, Bool>) -> RecordPredicate<R> {
    path.compared(.equal, .boolean(false))
}

/// Returns a condition that the record is an object, by its ID.
public func == <R: Record>(path: KeyPath<StoredRecord<R>, ObjectID>, id: ObjectID) -> RecordPredicate<R> {
    .objects([id])
}

/// Returns a condition that the record is another object, by its ID.
public func != <R: Record>(path: KeyPath<StoredRecord<R>, ObjectID>, id: ObjectID) -> RecordPredicate<R> {
    !RecordPredicate<R>.objects([id])
}

public func == <R: Record, Value: AttributeConvertible>(path: KeyPath<R, Value>, value: Value)
    -> RecordPredicate<R>
{
    path.compared(.equal, value.attributeValue)
}

public func != <R: Record, Value: AttributeConvertible>(path: KeyPath<R, Value>, value: Value)
    -> RecordPredicate<R>
{
    path.compared(.notEqual, value.attributeValue)
}

public func < <R: Record, Value: AttributeConvertible>(
    path: KeyPath<R, Value>, value: Value.NonOptional
) -> RecordPredicate<R> where Value.NonOptional: Comparable {
    path.compared(.less, value.attributeValue)
}

public func <= <R: Record, Value: AttributeConvertible>(
    path: KeyPath<R, Value>, value: Value.NonOptional
) -> RecordPredicate<R> where Value.NonOptional: Comparable {
    path.compared(.lessOrEqual, value.attributeValue)
}

public func > <R: Record, Value: AttributeConvertible>(
    path: KeyPath<R, Value>, value: Value.NonOptional
) -> RecordPredicate<R> where Value.NonOptional: Comparable {
    path.compared(.greater, value.attributeValue)
}

public func >= <R: Record, Value: AttributeConvertible>(
    path: KeyPath<R, Value>, value: Value.NonOptional
) -> RecordPredicate<R> where Value.NonOptional: Comparable {
    path.compared(.greaterOrEqual, value.attributeValue)
}
