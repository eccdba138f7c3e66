import Glibc

/// A new file or folder under a name that nobody has, which only its owner may read.
package enum UniqueFile {
    /// The path is `prefix`, six letters that mkstemps(3) chooses, and `suffix`; the descriptor is the caller's to
    /// close. Nil, with errno set, when no file can be made there.
    package static func make(_ prefix: String, suffix: String = "") -> (path: String, descriptor: CInt)? {
        var template = template(prefix, suffix)
        let descriptor = mkstemps(&template, CInt(suffix.utf8.count))
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return (path(template), descriptor)
    }

    /// The same for a folder, by mkdtemp(3).
    package static func makeFolder(_ prefix: String) -> String? {
        var template = template(prefix, "")
        return mkdtemp(&template) == nil ? nil : path(template)
    }

    private static func template(_ prefix: String, _ suffix: String) -> [CChar] {
        Array((prefix + String(repeating: "X", count: 6) + suffix).utf8CString)
    }

    private static func path(_ template: [CChar]) -> String {
        String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
