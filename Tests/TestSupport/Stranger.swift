import Glibc

/// A process without the rights of whoever runs the tests: the superuser may write everything, so as one a test
/// of permissions could not fail.
package enum Stranger {
    /// The words that run a program as a stranger.
    package static func words(_ program: String, _ arguments: [String]) -> [String] {
        guard getuid() == 0 else { return [program] + arguments }
        let nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
        return nobody + [program] + arguments
    }

    package static func start(_ program: String, _ arguments: [String]) throws -> LineProcess {
        let words = words(program, arguments)
        return try LineProcess(words[0], Array(words.dropFirst()))
    }

    /// A store opened by a stranger for reading only.
    package static func reader(of store: String) throws -> LineProcess {
        let process = try start(StoreWriterProcess.path, [store, "stranger", "readonly"])
        let greeting = try process.answer()
        guard greeting == "ready" else { throw ShellError(description: greeting) }
        return process
    }
}
