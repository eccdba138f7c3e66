#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The environment variables of this process.
package enum Environment {
    /// Returns a variable; nil if it is unset or empty. Invalid UTF-8 is replaced.
    package static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// Returns false for a value that is not valid UTF-8: as text, it would name another file.
    package static func isText(_ name: String) -> Bool {
        guard let value = getenv(name) else { return true }
        return String(validatingCString: value) != nil
    }

    package static var temporaryFolder: String { variable("TMPDIR") ?? "/tmp" }

    /// Returns whether a program is in `PATH`.
    package static func has(program: String) -> Bool {
        (variable("PATH") ?? "/usr/bin").split(separator: ":").contains {
            access("\($0)/\(program)", X_OK) == 0
        }
    }
}
