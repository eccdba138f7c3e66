/// The keys and values of ``SharedDefaults`` at one moment.
public struct SharedDefaultsContents: Hashable, Sendable {
    var values: [String: SharedDefault]

    public var keys: [String] { values.keys.sorted() }

    /// The value under a key, of any type.
    public subscript(key: String) -> SharedDefault? { values[key] }

    /// Returns the value under a key, or nil if there is none.
    ///
    /// - Throws: ``SharedDefaultsError/otherType(key:stored:wanted:)`` if the value has another type.
    public func value<Value: SharedDefaultConvertible>(_ type: Value.Type, forKey key: String)
        throws(SharedDefaultsError) -> Value?
    {
        guard let stored = values[key] else { return nil }
        guard let value = Value(stored) else {
            throw .otherType(key: key, stored: stored.typeName, wanted: "\(type)")
        }
        return value
    }

    public mutating func set(_ value: some SharedDefaultConvertible, forKey key: String)
        throws(SharedDefaultsError)
    {
        guard (1...256).contains(key.utf8.count) else { throw .invalidKey(key) }
        values[key] = value.sharedDefault
    }

    public mutating func removeValue(forKey key: String) { values[key] = nil }
}
