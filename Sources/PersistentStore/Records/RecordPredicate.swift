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
    public let predicate: ObjectPredicate

    public init(_ predicate: ObjectPredicate) { self.predicate = predicate }

    /// Returns a condition that the text contains the words, ignoring ASCII case.
    public static func contains(_ path: KeyPath<R, String>, _ words: String) -> RecordPredicate {
        RecordPredicate(.contains(R.entity.attribute(of: path), words))
    }

    /// Returns a condition that the text contains the words, ignoring ASCII case.
    public static func contains(_ path: KeyPath<R, String?>, _ words: String) -> RecordPredicate {
        RecordPredicate(.contains(R.entity.attribute(of: path), words))
    }

    /// Returns a condition that the text begins with a prefix; see ``ObjectPredicate/hasPrefix(_:_:)``.
    public static func hasPrefix(_ path: KeyPath<R, String>, _ prefix: String) -> RecordPredicate {
        RecordPredicate(.hasPrefix(R.entity.attribute(of: path), prefix))
    }

    /// Returns a condition that the text begins with a prefix; see ``ObjectPredicate/hasPrefix(_:_:)``.
    public static func hasPrefix(_ path: KeyPath<R, String?>, _ prefix: String) -> RecordPredicate {
        RecordPredicate(.hasPrefix(R.entity.attribute(of: path), prefix))
    }

    /// Returns a condition that the text matches a pattern; see ``ObjectPredicate/matches(_:_:)``.
    public static func matches(_ path: KeyPath<R, String>, _ pattern: String) -> RecordPredicate {
        RecordPredicate(.matches(R.entity.attribute(of: path), pattern))
    }

    /// Returns a condition that the text matches a pattern; see ``ObjectPredicate/matches(_:_:)``.
    public static func matches(_ path: KeyPath<R, String?>, _ pattern: String) -> RecordPredicate {
        RecordPredicate(.matches(R.entity.attribute(of: path), pattern))
    }

    /// Returns a condition that the property has one of these values.
    public static func isOneOf<Value: AttributeConvertible>(
        _ path: KeyPath<R, Value>, _ values: some Sequence<Value>
    ) -> RecordPredicate {
        isOneOf(R.entity.attribute(of: path), values)
    }

    /// Returns a condition that the property has one of these values.
    public static func isOneOf<Value: AttributeConvertible>(
        _ path: KeyPath<R, Value?>, _ values: some Sequence<Value>
    ) -> RecordPredicate {
        isOneOf(R.entity.attribute(of: path), values)
    }

    private static func isOneOf<Value: AttributeConvertible>(
        _ attribute: String, _ values: some Sequence<Value>
    ) -> RecordPredicate {
        let values = values.map(\.attributeValue)
        switch Value.attributeKind {
        case .integer, .text: return RecordPredicate(.isOneOf(attribute, values))
        case .real, .blob: return RecordPredicate(.or(values.map { .equal(attribute, $0) }))
        }
    }

    /// Returns a condition that the record is one of these objects.
    public static func objects(_ ids: some Sequence<ObjectID>) -> RecordPredicate {
        RecordPredicate(.keys(ids.filter { $0.entity == R.entity.name && $0.isPermanent }.map(\.key)))
    }
}

extension KeyPath where Root: Record {
    fileprivate func compared(
        _ comparison: ObjectPredicate.Comparison, _ value: AttributeValue
    ) -> RecordPredicate<Root> {
        RecordPredicate(.compare(Root.entity.attribute(of: self), comparison, value))
    }
}

extension RecordPredicate {
    public static func && (left: RecordPredicate, right: RecordPredicate) -> RecordPredicate {
        RecordPredicate(.and([left.predicate, right.predicate]))
    }

    public static func || (left: RecordPredicate, right: RecordPredicate) -> RecordPredicate {
        RecordPredicate(.or([left.predicate, right.predicate]))
    }

    public static prefix func ! (part: RecordPredicate) -> RecordPredicate {
        RecordPredicate(.not(part.predicate))
    }
}

public func == <R: Record, Value: AttributeConvertible>(path: KeyPath<R, Value>, value: Value)
    -> RecordPredicate<R>
{
    path.compared(.equal, value.attributeValue)
}

public func == <R: Record, Value: AttributeConvertible>(
    path: KeyPath<R, Value?>, value: Value?
) -> RecordPredicate<R> {
    path.compared(.equal, value?.attributeValue ?? .null)
}

public func != <R: Record, Value: AttributeConvertible>(path: KeyPath<R, Value>, value: Value)
    -> RecordPredicate<R>
{
    path.compared(.notEqual, value.attributeValue)
}

public func != <R: Record, Value: AttributeConvertible>(
    path: KeyPath<R, Value?>, value: Value?
) -> RecordPredicate<R> {
    path.compared(.notEqual, value?.attributeValue ?? .null)
}

public func < <R: Record, Value: AttributeConvertible & Comparable>(path: KeyPath<R, Value>, value: Value)
    -> RecordPredicate<R>
{
    path.compared(.less, value.attributeValue)
}

public func < <R: Record, Value: AttributeConvertible & Comparable>(
    path: KeyPath<R, Value?>, value: Value
) -> RecordPredicate<R> {
    path.compared(.less, value.attributeValue)
}

public func <= <R: Record, Value: AttributeConvertible & Comparable>(path: KeyPath<R, Value>, value: Value)
    -> RecordPredicate<R>
{
    path.compared(.lessOrEqual, value.attributeValue)
}

public func <= <R: Record, Value: AttributeConvertible & Comparable>(
    path: KeyPath<R, Value?>, value: Value
) -> RecordPredicate<R> {
    path.compared(.lessOrEqual, value.attributeValue)
}

public func > <R: Record, Value: AttributeConvertible & Comparable>(path: KeyPath<R, Value>, value: Value)
    -> RecordPredicate<R>
{
    path.compared(.greater, value.attributeValue)
}

public func > <R: Record, Value: AttributeConvertible & Comparable>(
    path: KeyPath<R, Value?>, value: Value
) -> RecordPredicate<R> {
    path.compared(.greater, value.attributeValue)
}

public func >= <R: Record, Value: AttributeConvertible & Comparable>(path: KeyPath<R, Value>, value: Value)
    -> RecordPredicate<R>
{
    path.compared(.greaterOrEqual, value.attributeValue)
}

public func >= <R: Record, Value: AttributeConvertible & Comparable>(
    path: KeyPath<R, Value?>, value: Value
) -> RecordPredicate<R> {
    path.compared(.greaterOrEqual, value.attributeValue)
}
