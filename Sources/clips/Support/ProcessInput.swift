import CProcess
import Platform

/// The arguments and the environment as valid UTF-8: an invalid byte replaced by U+FFFD would name another
/// file.
enum ProcessInput {
    /// The arguments after the program's name.
    static func words() throws(UsageError) -> [String] {
        var words: [String] = []
        for index in 1..<max(1, process_argument_count()) {
            guard let word = process_argument(index).flatMap({ String(validatingCString: $0) }) else {
                throw UsageError("Argument \(index) is not valid UTF-8; nothing was done.")
            }
            words.append(word)
        }
        return words
    }

    /// The variables that name files and programs.
    private static let variables = [
        "CLIPS_STORE", "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "TMPDIR", "VISUAL", "EDITOR", "BROWSER",
        "CLIPS_TERMINAL_BROWSER",
    ]

    static func checkEnvironment() throws(UsageError) {
        for name in variables {
            guard !Environment.isText(name) else { continue }
            throw UsageError("\(name) is not valid UTF-8; nothing was done. Set it to UTF-8 text.")
        }
    }
}
