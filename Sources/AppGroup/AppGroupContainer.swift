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
        guard Self.isValid(name) else { throw .invalidName(name) }
        guard let base = Self.dataHome() else { throw .noHome }
        self.name = name
        path = base + "/" + name
        try Self.makeFolders(path)
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

    private static func dataHome() -> String? {
        if let data = getenv("XDG_DATA_HOME").map({ String(cString: $0) }), data.hasPrefix("/") {
            return data
        }
        guard let home = getenv("HOME").map({ String(cString: $0) }), home.hasPrefix("/") else { return nil }
        return home + "/.local/share"
    }
}

/// Why a group's folder cannot be used.
public enum AppGroupError: Error, Sendable, CustomStringConvertible {
    case invalidName(String)
    case noHome
    case notAFolder(String)
    case cannotMakeFolder(String, reason: String)

    public var description: String {
        switch self {
        case .invalidName(let name):
            "The group name '\(name)' cannot be used: take up to 128 letters, digits, '.', '_' or '-'."
        case .noHome:
            "There is no home folder to keep the store in: set HOME, or name a store with --store."
        case .notAFolder(let path):
            "\(path) is a file, but a folder is needed there: move it away, or name a store with --store."
        case .cannotMakeFolder(let path, let reason):
            "The folder \(path) cannot be made: \(reason). Make it, or name another store with --store."
        }
    }
}
