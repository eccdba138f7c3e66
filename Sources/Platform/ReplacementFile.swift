#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The new contents of a file, which replace it as a whole once all are written.
///
/// Until then they have no name (open(2), O_TMPFILE), so that a process that is killed leaves nothing. If the
/// file system or a missing /proc does not allow that, they have a name next to the file until
/// ``discard()`` or the end of this object.
package final class ReplacementFile {
    /// Nil for a pipe or a device, which is written directly.
    private let path: String?
    private let file: FileDescriptor
    /// The name of the contents, if they have one.
    private var temporary: String?

    /// Creates empty contents that only their owner may read. A symbolic link at `path` will be replaced.
    package init(of path: String) throws(Errno) {
        self.path = path
        if let unnamed = Self.unnamed(nextTo: path) {
            file = unnamed
        } else {
            let named = try TemporaryFile(path + ".")
            temporary = named.path
            file = named.descriptor
        }
    }

    private init(writing path: String) throws(Errno) {
        self.path = nil
        file = try FileDescriptor(path, O_WRONLY)
    }

    /// Creates the contents of an output file: those of the file that a symbolic link leads to, or a pipe or a
    /// device, which is written directly.
    package convenience init(output path: String) throws(Errno) {
        if let status = FileStatus(path: path), !status.isRegular {
            try self.init(writing: path)
        } else {
            try self.init(of: FilePath.target(of: path))
        }
    }

    deinit { discard() }

    package var descriptor: CInt { file.number }

    /// Writes the contents to the disk, then gives them the file's name.
    ///
    /// - Parameter replaces: Whether to replace a file of that name; without, it is an error (EEXIST).
    package func commit(replaces: Bool = true) throws(Errno) {
        guard let path else { return }
        try file.sync()
        guard replaces else {
            let isNew = if let temporary { systemLink(temporary, path) == 0 } else { try link(path) }
            guard isNew else { throw Errno(EEXIST) }
            return
        }
        if temporary == nil {
            if try link(path) { return }
            // link(2) replaces nothing: the contents get a name of their own first, for as long as rename(2)
            // takes.
            let name = path + ".\(getpid()).\(UInt32.random(in: 0 ... .max))"
            guard try link(name) else { throw Errno(EEXIST) }
            temporary = name
        }
        guard let temporary, rename(temporary, path) == 0 else { throw .last }
        self.temporary = nil
    }

    /// Writes a file; see ``commit(replaces:)``.
    package static func write(
        _ bytes: some Collection<UInt8>, to path: String, replaces: Bool = true
    ) throws(Errno) {
        let file = try ReplacementFile(of: path)
        try DescriptorIO.write(bytes, to: file.descriptor)
        try file.commit(replaces: replaces)
    }

    package func discard() {
        if let temporary { unlink(temporary) }
        temporary = nil
    }

    /// Returns false if a file of that name exists.
    private func link(_ name: String) throws(Errno) -> Bool {
        if linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 {
            return true
        }
        guard Errno.last.code == EEXIST else { throw .last }
        return false
    }

    /// Returns nil if no file without a name can be created, or it could not get one later.
    private static func unnamed(nextTo path: String) -> FileDescriptor? {
        do throws(Errno) {
            let file = try FileDescriptor(FilePath.folder(of: path), unnamedFlag | O_WRONLY)
            guard access("/proc/self/fd/\(file.number)", F_OK) == 0 else { return nil }
            return file
        } catch {
            return nil
        }
    }

    /// O_TMPFILE, a macro that Swift does not import.
    private static let unnamedFlag: CInt = 0o20000000 | O_DIRECTORY
}

/// Outside of the type, whose method has the same name.
private func systemLink(_ path: String, _ name: String) -> CInt { link(path, name) }
