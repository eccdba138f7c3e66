/// Small values under keys, shared by the app, its extensions and scripts: settings, a last position.
///
/// Each suite is a file of its own in the group's folder (mode 0600). Writers take turns through a lock and
/// replace the file as a whole, so two of them never lose each other's keys, and a reader or a crash at any
/// moment meets the state before a change or after it. A change costs one file written to the disk: put what
/// belongs together into one ``update(_:)``.
///
///     let defaults = try AppGroupContainer(group: "clips").defaults()
///     try defaults.set("dark", forKey: "theme")
///     let theme = try defaults.value(String.self, forKey: "theme") ?? "light"
public struct SharedDefaults: Sendable {
    public let suite: String
    let file: SharedDefaultsFile

    init(folder: String, suite: String) throws(SharedDefaultsError) {
        guard Self.isValid(suite) else { throw .invalidSuite(suite) }
        self.suite = suite
        file = SharedDefaultsFile(folder: folder, name: "\(suite).defaults.json")
    }

    /// The file that the values are in.
    public var path: String { file.path }

    /// The value under a key, or nil when there is none.
    ///
    /// - Throws: ``SharedDefaultsError/otherType(key:stored:wanted:)`` when it is not of that type.
    public func value<Value: SharedDefaultConvertible>(_ type: Value.Type, forKey key: String)
        throws(SharedDefaultsError) -> Value?
    {
        try contents().value(type, forKey: key)
    }

    /// All keys and values at one moment.
    public func contents() throws(SharedDefaultsError) -> SharedDefaultsContents {
        SharedDefaultsContents(values: try file.read())
    }

    public func set(_ value: some SharedDefaultConvertible, forKey key: String) throws(SharedDefaultsError) {
        try update { (contents) throws(SharedDefaultsError) in try contents.set(value, forKey: key) }
    }

    public func removeValue(forKey key: String) throws(SharedDefaultsError) {
        try update { contents in contents.values[key] = nil }
    }

    /// Reads, changes and writes with nobody in between; nothing is written when nothing changed.
    ///
    /// - Parameter body: runs with the lock held, so it should be short; must not use these defaults itself.
    public func update(_ body: (inout SharedDefaultsContents) throws(SharedDefaultsError) -> Void)
        throws(SharedDefaultsError)
    {
        try file.lock().hold { () throws(SharedDefaultsError) in
            let before = try contents()
            var after = before
            try body(&after)
            if after != before { try file.replace(with: after.values) }
        }
    }

    /// Starts anew after ``SharedDefaultsError/damaged(_:reason:)``: the damaged file gets another name.
    ///
    /// - Returns: the path it is kept under, or nil when there was nothing damaged.
    @discardableResult
    public func setAside() throws(SharedDefaultsError) -> String? {
        try file.lock().hold { () throws(SharedDefaultsError) -> String? in
            do throws(SharedDefaultsError) {
                _ = try file.read()
                return nil
            } catch {
                guard case .damaged = error else { throw error }
                return try file.setAside()
            }
        }
    }

    private static func isValid(_ suite: String) -> Bool {
        !suite.isEmpty && suite.utf8.count <= 64
            && suite.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

extension AppGroupContainer {
    /// The shared defaults of that name; a program that has several uses a suite for each.
    public func defaults(suite: String = "shared") throws(SharedDefaultsError) -> SharedDefaults {
        try SharedDefaults(folder: path, suite: suite)
    }
}
