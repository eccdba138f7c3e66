import Glibc

/// The folder that an app and its extensions share, found by the group's name alone.
///
/// It lies in `$XDG_DATA_HOME`, or `~/.local/share` when that is unset, relative or empty (the XDG base
/// directory specification), and needs no more environment than a browser gives: `HOME`.
public struct AppGroupContainer: Sendable {
    /// The group's name, the same for everyone in it.
    public let name: String
    /// The folder; absolute.
    public let path: String

    /// Makes the folder, readable by its owner only (mode 0700), when it is missing.
    public init(group name: String) throws(AppGroupError) {
        try self.init(locating: name)
        try Self.makeFolders(path)
    }

    /// The folder, whether or not it exists.
    package init(locating name: String) throws(AppGroupError) {
        guard Self.isValid(name) else { throw .invalidName(name) }
        guard let base = try Self.dataHome() else { throw .noHome }
        self.name = name
        path = base + "/" + name
    }

    /// The file `name` in the group's folder.
    public func path(of name: String) -> String { path + "/" + name }

    /// Makes a folder and what is missing above it; new folders get mode 0700.
    package static func makeFolders(_ path: String) throws(AppGroupError) {
        // What no system takes would be asked for folder by folder.
        guard path.utf8.count < Int(PATH_MAX) else {
            throw .cannotMakeFolder(path, reason: String(cString: strerror(ENAMETOOLONG)))
        }
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else { throw .notAFolder(path) }
            return
        }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try makeFolders(String(path[..<slash]))
        }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw .cannotMakeFolder(path, reason: String(cString: strerror(errno)))
        }
    }

    private static func isValid(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix(".") && name.utf8.count <= 128
            && name.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII
                    && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                        || "._-".unicodeScalars.contains(scalar))
            }
    }

    private static func dataHome() throws(AppGroupError) -> String? {
        if let data = try variable("XDG_DATA_HOME"), data.hasPrefix("/") { return data }
        guard let home = try variable("HOME"), home.hasPrefix("/") else { return nil }
        return home + "/.local/share"
    }

    /// Not with U+FFFD for what is invalid: that would be another folder.
    private static func variable(_ name: String) throws(AppGroupError) -> String? {
        guard let value = getenv(name) else { return nil }
        guard let text = String(validatingCString: value) else { throw .invalidVariable(name) }
        return text
    }
}

/// Why a group's folder cannot be used.
public enum AppGroupError: Error, Sendable, CustomStringConvertible {
    case invalidName(String)
    case noHome
    /// The environment variable is not valid UTF-8.
    case invalidVariable(String)
    case notAFolder(String)
    case cannotMakeFolder(String, reason: String)

    public var description: String {
        switch self {
        case .invalidName(let name):
            "The group name '\(name)' cannot be used: take up to 128 letters, digits, '.', '_' or '-'."
        case .noHome:
            "There is no home folder to keep the store in: set HOME, or name a store with --store."
        case .invalidVariable(let name):
            "\(name) is not valid UTF-8. Set it to UTF-8 text, or name a store with --store."
        case .notAFolder(let path):
            "\(path) is a file, but a folder is needed there: move it away, or name a store with --store."
        case .cannotMakeFolder(let path, let reason):
            "The folder \(path) cannot be made: \(reason). Make it, or name another store with --store."
        }
    }
}
