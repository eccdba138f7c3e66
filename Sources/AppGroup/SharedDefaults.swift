import Platform

/// Small values under keys, shared by the app, its extensions, and scripts: settings, a last position.
///
/// Each suite is a separate file in the group's folder (mode 0600). A lock serializes writers, and each
/// replaces the file as a whole: concurrent writers do not lose each other's keys, and a reader, or a restart
/// after a crash, finds the state before or after a change. A change writes one file to the disk; combine
/// related changes in one ``update(_:)``.
///
///     let defaults = try AppGroupContainer(group: "clips").defaults()
///     try defaults.set("dark", forKey: "theme")
///     let theme = try defaults.value(String.self, forKey: "theme") ?? "light"
public struct SharedDefaults: Sendable {
    let file: SharedDefaultsFile

    package init(folder: String, suite: String) throws(AppGroupError) {
        guard suite.isPlainName else { throw .invalidSuite(suite) }
        file = SharedDefaultsFile(folder: folder, name: "\(suite).defaults.json")
    }

    /// The path of the file that contains the values.
    package var path: String { file.path }

    /// Returns the value under a key, or nil if there is none.
    ///
    /// - Throws: ``AppGroupError/otherType(key:stored:wanted:)`` if the value has another type.
    public func value<Value: SharedDefaultConvertible>(_ type: Value.Type, forKey key: String)
        throws(AppGroupError) -> Value?
    {
        try contents().value(type, forKey: key)
    }

    /// Returns all keys and values at one moment.
    package func contents() throws(AppGroupError) -> SharedDefaultsContents {
        SharedDefaultsContents(values: try file.read())
    }

    public func set(_ value: some SharedDefaultConvertible, forKey key: String) throws(AppGroupError) {
        try update { (contents) throws(AppGroupError) in try contents.set(value, forKey: key) }
    }

    /// Reads, changes, and writes the values while no other process writes. Writes nothing if nothing
    /// changed.
    ///
    /// - Parameter body: runs while the lock is held; keep it short, and do not use these defaults in it.
    public func update(_ body: (inout SharedDefaultsContents) throws(AppGroupError) -> Void)
        throws(AppGroupError)
    {
        try file.lock().hold { () throws(AppGroupError) in
            let before = try contents()
            var after = before
            try body(&after)
            if after != before { try file.replace(with: after.values) }
        }
    }

    /// Renames a damaged file after ``AppGroupError/damaged(_:reason:)``, so that the suite is empty.
    ///
    /// - Returns: the new path of the damaged file, or nil if the file is not damaged.
    @discardableResult
    public func setAside() throws(AppGroupError) -> String? {
        try file.lock().hold { () throws(AppGroupError) -> String? in
            do throws(AppGroupError) {
                _ = try file.read()
                return nil
            } catch {
                guard case .damaged = error else { throw error }
                return try file.setAside()
            }
        }
    }
}

extension AppGroupContainer {
    /// Returns the shared defaults of a suite; a program can use several suites.
    public func defaults(suite: String = "shared") throws(AppGroupError) -> SharedDefaults {
        try SharedDefaults(folder: path, suite: suite)
    }
}

/// The keys and values of ``SharedDefaults`` at one moment.
public struct SharedDefaultsContents: Hashable, Sendable {
    var values: [String: SharedDefault]

    public var keys: [String] { values.keys.sorted() }

    /// Returns the value under a key, or nil if there is none.
    ///
    /// - Throws: ``AppGroupError/otherType(key:stored:wanted:)`` if the value has another type.
    public func value<Value: SharedDefaultConvertible>(_ type: Value.Type, forKey key: String)
        throws(AppGroupError) -> Value?
    {
        guard let stored = values[key] else { return nil }
        guard let value = stored.value(as: type) else {
            throw .otherType(key: key, stored: stored.typeName, wanted: "\(type)")
        }
        return value
    }

    public mutating func set(_ value: some SharedDefaultConvertible, forKey key: String)
        throws(AppGroupError)
    {
        guard (1...256).contains(key.utf8.count) else { throw .invalidKey(key) }
        guard let stored = SharedDefault(of: value) else {
            throw .unsupportedType("\(type(of: value))")
        }
        values[key] = stored
    }

    public mutating func removeValue(forKey key: String) { values[key] = nil }
}
