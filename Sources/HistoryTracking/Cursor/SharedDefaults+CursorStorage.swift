public import AppGroup

/// Storage of cursors among the settings that the processes of an app group share.
extension SharedDefaults: CursorStorage {
    public func cursor(forKey key: String) throws -> String? { try value(String.self, forKey: key) }
    public func setCursor(_ text: String, forKey key: String) throws { try set(text, forKey: key) }
}
