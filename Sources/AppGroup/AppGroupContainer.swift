import Platform

/// The folder that an app and its extensions share, identified by the group's name.
///
/// The folder is in `$XDG_DATA_HOME`, or in `~/.local/share` if that is unset, relative, or empty (the XDG
/// base directory specification). The only other variable it needs is `HOME`, which a browser sets for its
/// extensions.
public struct AppGroupContainer: Sendable {
    /// The group's name, the same for every member.
    package let name: String
    /// The absolute path of the folder.
    package let path: String

    /// Creates a container, and its folder if that is missing, with mode 0700.
    public init(group name: String) throws(AppGroupError) {
        try self.init(locating: name)
        try Self.makeFolders(path)
    }

    /// Creates a container without creating its folder.
    package init(locating name: String) throws(AppGroupError) {
        guard Self.isValid(name) else { throw .invalidName(name) }
        guard let base = try Self.dataHome() else { throw .noHome }
        self.name = name
        path = base + "/" + name
    }

    /// Returns the path of the file `name` in the group's folder.
    public func path(of name: String) -> String { path + "/" + name }

    /// Creates a folder and its missing parents, with mode 0700.
    package static func makeFolders(_ path: String) throws(AppGroupError) {
        do {
            try Folder.make(path)
        } catch {
            if error.isNotFolder { throw .notAFolder(FilePath.nearestExisting(path)) }
            throw .cannotMakeFolder(path, reason: "\(error)")
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

    /// Returns a variable. Rejects invalid UTF-8, because U+FFFD instead would name another folder.
    private static func variable(_ name: String) throws(AppGroupError) -> String? {
        guard Environment.isText(name) else { throw .invalidVariable(name) }
        return Environment.variable(name)
    }
}
