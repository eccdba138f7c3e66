/// Why shared defaults cannot be read or written, as a sentence.
public enum SharedDefaultsError: Error, Hashable, Sendable {
    case invalidSuite(String)
    case invalidKey(String)
    /// The value under a key has another type than the one asked for.
    case otherType(key: String, stored: String, wanted: String)
    case cannotRead(String, reason: String)
    /// Nothing was changed.
    case cannotWrite(String, reason: String)
    /// Somebody else kept the file locked for so long; nothing was changed.
    case busy(String, waited: Duration)
    /// The file is not what was written there. It stays as it is until ``SharedDefaults/setAside()``.
    case damaged(String, reason: String)
    /// A newer version of the library wrote the file; it is neither read nor written.
    case newerFormat(String)
    /// All values of a suite together may take so many bytes; nothing was changed.
    case tooBig(String, limit: Int)
}

extension SharedDefaultsError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidSuite(let name):
            "The suite name '\(name)' cannot be used: take up to 64 letters, digits, '_' or '-'."
        case .invalidKey(let key): "The key '\(key)' cannot be used: take 1 to 256 bytes of text."
        case .otherType(let key, let stored, let wanted):
            "The value of '\(key)' is of type \(stored), not \(wanted). Ask for \(stored), or set it anew."
        case .cannotRead(let path, let reason):
            "The defaults \(path) cannot be read: \(reason). Check the permissions of the file."
        case .cannotWrite(let path, let reason):
            "The defaults \(path) cannot be written: \(reason). Nothing was changed; check its folder."
        case .busy(let path, let waited):
            "The defaults \(path) were kept locked for \(waited) by another process. "
                + "Nothing was changed; try again."
        case .damaged(let path, let reason):
            "The defaults \(path) are damaged (\(reason)). Nothing was changed; set the file aside to start anew."
        case .newerFormat(let path):
            "The defaults \(path) were written by a newer version. Update this program; nothing was changed."
        case .tooBig(let path, let limit):
            "The defaults \(path) would take more than \(limit) bytes. Nothing was changed; keep less in them."
        }
    }
}
