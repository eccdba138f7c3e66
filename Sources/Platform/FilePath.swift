#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Operations on paths.
package enum FilePath {
    /// Returns the path without symbolic links; `path` if there is no file.
    package static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    /// Returns whether the path, or that of the folder of a missing file, is valid UTF-8 without symbolic
    /// links.
    package static func resolvesToText(_ path: String) -> Bool {
        guard let real = realpath(path, nil) ?? realpath(folder(of: path), nil) else { return true }
        defer { free(real) }
        return String(validatingCString: real) != nil
    }

    /// Returns the path as a word of a shell's command line.
    package static func shellWord(_ path: String) -> String {
        path.map { $0.isLetter || $0.isNumber || "/._-+@:,=%".contains($0) ? "\($0)" : "\\\($0)" }.joined()
    }

    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns the path itself if it exists, or the nearest of its parents that does.
    package static func nearestExisting(_ path: String) -> String {
        var path = path
        while !exists(path), path.contains("/"), path != "/" { path = folder(of: path) }
        return path
    }

    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Whether a file cannot be written because its file system is mounted for reading only.
    package static func isOnReadOnlyDisk(_ path: String) -> Bool { access(path, W_OK) != 0 && errno == EROFS }

    /// Returns the path of the file that symbolic links lead to, which may be missing.
    package static func target(of path: String) throws(Errno) -> String {
        var path = path
        // As many as Linux follows (path_resolution(7)).
        for _ in 0..<40 {
            var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
            let count = readlink(path, &buffer, buffer.count)
            guard count > 0 else { return path }
            let link = String(decoding: buffer.prefix(count), as: UTF8.self)
            path = link.hasPrefix("/") ? link : folder(of: path) + "/" + link
        }
        throw Errno(ELOOP)
    }

    /// Returns the destination of a symbolic link; nil for any other file.
    package static func linkDestination(_ path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
    }

    /// Creates a symbolic link, or replaces one.
    package static func link(_ path: String, to destination: String) throws(Errno) {
        if linkDestination(path) != nil { unlink(path) }
        guard symlink(destination, path) == 0 else { throw .last }
    }

    /// Deletes a file or a symbolic link.
    package static func remove(_ path: String) throws(Errno) {
        guard unlink(path) == 0 else { throw .last }
    }

    package static func isExecutable(_ path: String) -> Bool {
        access(path, X_OK) == 0 && FileStatus(path: path)?.isRegular == true
    }

    /// Writes a folder to the disk, which makes new names in it durable (fsync(2)).
    package static func syncFolder(_ path: String) {
        if let folder = try? FileDescriptor(path, O_RDONLY | O_DIRECTORY) { try? folder.sync() }
    }
}
