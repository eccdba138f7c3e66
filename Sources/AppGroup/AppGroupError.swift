/// The reason that a group's folder cannot be used, or that its shared defaults cannot be read or written.
@nonexhaustive
public enum AppGroupError: Error, Hashable, Sendable {
    case invalidName(String)
    case noHome
    /// The environment variable is not valid UTF-8.
    case invalidVariable(String)
    case notAFolder(String)
    case cannotMakeFolder(String, reason: String)
    case invalidSuite(String)
    case invalidKey(String)
    /// The value under a key does not have the requested type.
    case otherType(key: String, stored: String, wanted: String)
    /// A value of this type cannot be stored.
    case unsupportedType(String)
    case cannotRead(String, reason: String)
    /// The file cannot be written; nothing was changed.
    case cannotWrite(String, reason: String)
    /// Another process locked the file for this long; nothing was changed.
    case busy(String, waited: Duration)
    /// The contents of the file are not valid. The file is not changed until ``SharedDefaults/setAside()``.
    case damaged(String, reason: String)
    /// A newer version of the library wrote the file; it is neither read nor written.
    case newerFormat(String)
    /// The values of the suite would exceed this number of bytes; nothing was changed.
    case tooBig(String, limit: Int)
}

extension AppGroupError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidName(let name):
            "The group name '\(name)' is not valid. Use up to 128 letters, digits, '.', '_', or '-'."
        case .noHome:
            "No home folder is set. Set HOME."
        case .invalidVariable(let name):
            "\(name) is not valid UTF-8. Set it to UTF-8 text."
        case .notAFolder(let path):
            "\(path) is not a folder. Move it, or use another folder."
        case .cannotMakeFolder(let path, let reason):
            "Cannot create folder \(path): \(reason). Create it, or use another folder."
        case .invalidSuite(let name):
            "The suite name '\(name)' is not valid. Use up to 64 letters, digits, '_', or '-'."
        case .invalidKey(let key): "The key '\(key)' is not valid. Use 1 to 256 bytes of text."
        case .otherType(let key, let stored, let wanted):
            "The value of '\(key)' has type \(stored), not \(wanted). Request \(stored), or set a new value."
        case .unsupportedType(let type):
            "Defaults cannot store a \(type). Store a number, text, data, or date, or an enumeration of these."
        case .cannotRead(let path, let reason):
            "Cannot read defaults \(path): \(reason). Check the permissions of the file."
        case .cannotWrite(let path, let reason):
            "Cannot write defaults \(path): \(reason). Nothing was changed; check the folder."
        case .busy(let path, let waited):
            "Defaults \(path) were locked for \(waited) by another process. Nothing was changed; try again."
        case .damaged(let path, let reason):
            "Defaults \(path) are damaged: \(reason). Nothing was changed; move the file to start with empty defaults."
        case .newerFormat(let path):
            "Defaults \(path) were written by a newer version. Nothing was changed; update this program."
        case .tooBig(let path, let limit):
            "Defaults \(path) would exceed \(limit) bytes. Nothing was changed; remove some values."
        }
    }
}
