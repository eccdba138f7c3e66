#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A new file under an unused name, which only its owner may read. The file remains until it is moved or
/// deleted.
package struct TemporaryFile: ~Copyable, Sendable {
    package let path: String
    package let descriptor: FileDescriptor

    /// Creates a file. Its path is `prefix`, six letters that mkstemps(3) chooses, and `suffix`.
    package init(_ prefix: String, suffix: String = "") throws(Errno) {
        var template = Self.template(prefix, suffix)
        let number = mkstemps(&template, CInt(suffix.utf8.count))
        guard number >= 0 else { throw .last }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        descriptor = FileDescriptor(owning: number)
        path = Self.path(template)
    }

    /// Creates a folder, with mkdtemp(3), and returns its path.
    package static func makeFolder(_ prefix: String) throws(Errno) -> String {
        var template = template(prefix, "")
        guard mkdtemp(&template) != nil else { throw .last }
        return path(template)
    }

    /// Moves a finished file to its path in one step.
    ///
    /// - Throws: `EEXIST` if a file exists that may not be replaced.
    package static func move(_ temporary: String, to path: String, replaces: Bool) throws(Errno) {
        if replaces {
            guard rename(temporary, path) == 0 else { throw .last }
            return
        }
        // Unlike rename(2), fails if another process has created a file of that name since the caller's
        // check.
        if link(temporary, path) == 0 {
            unlink(temporary)
            return
        }
        guard Errno.last.code != EEXIST else { throw Errno(EEXIST) }
        try moveWithoutLink(temporary, path)
    }

    /// Moves a file on a file system without hard links, such as that of most USB sticks.
    private static func moveWithoutLink(_ temporary: String, _ path: String) throws(Errno) {
        _ = try FileDescriptor(path, O_WRONLY | O_CREAT | O_EXCL)
        guard rename(temporary, path) != 0 else { return }
        let error = Errno.last
        unlink(path)
        throw error
    }

    private static func template(_ prefix: String, _ suffix: String) -> [CChar] {
        Array((prefix + String(repeating: "X", count: 6) + suffix).utf8CString)
    }

    private static func path(_ template: [CChar]) -> String {
        String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
