#if canImport(Musl)
package import Musl
#else
package import Glibc
#endif

/// Operations on folders.
package enum Folder {
    /// Creates a folder and its missing parents.
    package static func make(_ path: String, mode: mode_t = 0o700) throws(Errno) {
        // Checked first: otherwise the recursion would try each folder of a path that is too long.
        guard path.utf8.count < Int(PATH_MAX) else { throw Errno(ENAMETOOLONG) }
        if let status = FileStatus(path: path) {
            guard status.isFolder else { throw Errno(ENOTDIR) }
            return
        }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try make(String(path[..<slash]), mode: mode)
        }
        guard mkdir(path, mode) == 0 || Errno.last.code == EEXIST else { throw .last }
    }

    /// Returns the names in a folder, sorted; none if it cannot be read.
    package static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Deletes a folder if it is empty.
    package static func removeIfEmpty(_ path: String) { rmdir(path) }
}
