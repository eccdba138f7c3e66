/// The values of a record that the history retains with a change, by property.
package struct RetainedProperties<R: Record>: Hashable, Sendable {
    /// The values by attribute, including those of attributes that the record no longer has.
    package let values: [String: AttributeValue]
    let store: StoreDigest

    /// Returns the value of a property; nil if it was null, if the history does not retain it, or if it is not valid.
    package subscript<Value: AttributeConvertible>(path: KeyPath<R, Value>) -> Value.NonOptional? {
        values[R.entity.attribute(of: path)].flatMap { .converted($0, in: store) }
    }
}

/// Changes of records.
extension HistoryChange {
    /// Returns the value that a property had before an update, or in a record that was deleted; nil if it was null, if
    /// the history does not retain it, or if the change is of another entity.
    ///
    /// ```swift
    /// for change in transaction.changes where change.kind == .delete {
    ///     print(change.oldValue(\Note.title) ?? "")
    /// }
    /// ```
    public func oldValue<R: Record, Value: AttributeConvertible>(
        _ path: KeyPath<R, Value>
    ) -> Value.NonOptional? {
        (tombstone(of: R.self) ?? oldValues(of: R.self))?[path]
    }

    /// Returns the retained values of a deleted record; nil if the change is not a deletion of such a record.
    package func tombstone<R: Record>(of type: R.Type) -> RetainedProperties<R>? {
        guard objectID.entity == R.entity.name else { return nil }
        return tombstone.map { RetainedProperties(values: $0, store: objectID.store) }
    }

    /// Returns the values that an update replaced, for the properties that record old values; nil if the change is
    /// not an update of such a record.
    package func oldValues<R: Record>(of type: R.Type) -> RetainedProperties<R>? {
        guard kind == .update, objectID.entity == R.entity.name else { return nil }
        return RetainedProperties(values: oldValues, store: objectID.store)
    }

    /// Returns whether an update changed a property.
    public func isUpdated<R: Record>(_ path: PartialKeyPath<R>) -> Bool {
        objectID.entity == R.entity.name && updatedAttributes.contains(R.entity.attribute(of: path))
    }
}
