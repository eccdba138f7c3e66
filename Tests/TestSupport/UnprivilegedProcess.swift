import Glibc

/// A process without the rights of the tests' user: the superuser may write any file, so that no test of
/// permissions could fail.
package enum UnprivilegedProcess {
    private static let user: uid_t = 65534

    /// The name of the account.
    package static var userName: String {
        getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? "\(user)"
    }

    /// Returns the command that runs a program as that account, or unchanged if the tests are unprivileged.
    package static func words(_ program: String, _ arguments: [String]) -> [String] {
        guard getuid() == 0 else { return [program] + arguments }
        return ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--", program] + arguments
    }

    package static func start(_ program: String, _ arguments: [String]) throws -> LineProcess {
        let words = words(program, arguments)
        return try LineProcess(words[0], Array(words.dropFirst()))
    }

    /// Starts a process that has the store open for reading only.
    package static func reader(of store: String) throws -> LineProcess {
        let process = try start(StoreWriterProcess.path, [store, "reader", "readonly"])
        let greeting = try process.answer()
        guard greeting == "ready" else { throw ShellError(description: greeting) }
        return process
    }
}
