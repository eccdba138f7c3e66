import Glibc
import PersistentStore

/// A file that is replaced as a whole once all is written; a pipe or a device is written directly.
///
/// Until then the contents have no name (open(2), O_TMPFILE), so that a process that is killed leaves nothing. Where
/// the file system or a missing /proc does not allow that, they have a name next to the file, which ``discard()``
/// removes. A symbolic link stays one: the file that it leads to is replaced.
struct ReplacedFile {
    let output: Output
    /// Nil for a pipe or a device.
    private let path: String?
    /// The name of the contents, if they have one.
    private let temporary: String?
    private let descriptor: CInt

    init(_ path: String) throws(OutputError) {
        var status = stat()
        if stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG {
            (self.path, temporary) = (nil, nil)
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
        } else {
            let target = try Self.target(path)
            self.path = target
            let unnamed = Self.openUnnamed(nextTo: target)
            if unnamed >= 0 {
                (temporary, descriptor) = (nil, unnamed)
            } else {
                guard let file = UniqueFile.make(target + ".") else { throw OutputError(code: errno) }
                (temporary, descriptor) = (file.path, file.descriptor)
            }
        }
        guard descriptor >= 0 else { throw OutputError(code: errno) }
        output = Output(descriptor: descriptor)
    }

    func commit() throws {
        try output.flush()
        defer { close(descriptor) }
        guard let path else { return }
        guard fsync(descriptor) == 0 else { throw OutputError(code: errno) }
        if let temporary {
            guard rename(temporary, path) == 0 else { throw OutputError(code: errno) }
            return
        }
        if Self.link(descriptor, path) { return }
        guard errno == EEXIST else { throw OutputError(code: errno) }
        // link(2) replaces nothing: the contents get a name of their own first, for as long as rename(2) takes.
        let name = path + ".\(getpid()).\(UInt32.random(in: 0 ... .max))"
        guard Self.link(descriptor, name) else { throw OutputError(code: errno) }
        guard rename(name, path) == 0 else {
            let code = errno
            unlink(name)
            throw OutputError(code: code)
        }
    }

    func discard() {
        if let temporary { unlink(temporary) }
    }

    /// The file that a path leads to, whether it exists or not.
    private static func target(_ path: String) throws(OutputError) -> String {
        var path = path
        // As many as Linux follows (path_resolution(7)).
        for _ in 0..<40 {
            var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
            let count = readlink(path, &buffer, buffer.count)
            guard count > 0 else { return path }
            let link = String(decoding: buffer.prefix(count), as: UTF8.self)
            let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
            path = link.hasPrefix("/") ? link : folder + link
        }
        throw OutputError(code: ELOOP)
    }

    /// Negative where no file without a name can be made, or it could not get one later.
    private static func openUnnamed(nextTo path: String) -> CInt {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, unnamedFlag | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0, access("/proc/self/fd/\(descriptor)", F_OK) != 0 else { return descriptor }
        close(descriptor)
        return -1
    }

    /// O_TMPFILE is a macro that Swift cannot see.
    private static let unnamedFlag: CInt = 0o20000000 | O_DIRECTORY

    private static func link(_ descriptor: CInt, _ path: String) -> Bool {
        linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
    }
}
