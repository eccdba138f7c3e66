import Glibc

/// A new file or folder under an unused name, which only its owner may read.
package enum UniqueFile {
    /// Creates a file. Its path is `prefix`, six letters that mkstemps(3) chooses, and `suffix`.
    ///
    /// - Returns: The path and a descriptor that the caller must close; nil, with errno set, if no file can
    ///   be created.
    package static func make(_ prefix: String, suffix: String = "") -> (path: String, descriptor: CInt)? {
        var template = template(prefix, suffix)
        let descriptor = mkstemps(&template, CInt(suffix.utf8.count))
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return (path(template), descriptor)
    }

    /// Creates a folder, with mkdtemp(3).
    package static func makeFolder(_ prefix: String) -> String? {
        var template = template(prefix, "")
        return mkdtemp(&template) == nil ? nil : path(template)
    }

    /// Moves a finished file to its path in one step.
    ///
    /// - Returns: 0, or the system's error; `EEXIST` if a file exists that may not be replaced.
    static func move(_ temporary: String, to path: String, replaces: Bool) -> CInt {
        if replaces { return rename(temporary, path) == 0 ? 0 : errno }
        // Unlike rename(2), fails if another process has created a file of that name since the caller's
        // check.
        if link(temporary, path) == 0 {
            unlink(temporary)
            return 0
        }
        return errno == EEXIST ? EEXIST : moveWithoutLink(temporary, path)
    }

    /// Moves a file on a file system without hard links, such as that of most USB sticks.
    private static func moveWithoutLink(_ temporary: String, _ path: String) -> CInt {
        let claim = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard claim >= 0 else { return errno }
        close(claim)
        guard rename(temporary, path) != 0 else { return 0 }
        let code = errno
        unlink(path)
        return code
    }

    private static func template(_ prefix: String, _ suffix: String) -> [CChar] {
        Array((prefix + String(repeating: "X", count: 6) + suffix).utf8CString)
    }

    private static func path(_ template: [CChar]) -> String {
        String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
