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
