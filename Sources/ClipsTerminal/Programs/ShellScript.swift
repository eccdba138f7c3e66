/// The words of a command line that a shell reads as a script. Fields of an untrusted page must not become a part of it.
struct ShellScript {
    let shell: String
    /// The words up to the script. The words after it are its parameters, which no shell reads again.
    let words: [String]

    private static let shells: Set = [
        "sh", "ash", "bash", "csh", "dash", "elvish", "fish", "ksh", "ksh93", "lksh", "mksh", "nu", "oksh",
        "posh",
        "pwsh", "rbash", "rc", "tcsh", "xonsh", "yash", "zsh",
    ]
    /// Programs that join their arguments into a line for a shell.
    private static let joining: Set = ["eval", "mosh", "runuser", "script", "ssh", "su", "watch"]
    /// Long options of shells without a value.
    private static let plainOptions: Set = [
        "--interactive", "--login", "--no-config", "--no-rcs", "--noediting", "--noprofile", "--norc",
        "--posix",
        "--private", "--restricted", "--verbose",
    ]

    /// Finds the script; nil if no word is a shell.
    init?(_ line: [String]) {
        for (index, word) in line.enumerated() {
            let name = word.split(separator: "/").last.map(String.init) ?? word
            if Self.joining.contains(name), index == 0 {
                (shell, words) = (name, line)
                return
            }
            guard Self.shells.contains(name) else { continue }
            let (script, isText) = Self.script(Array(line[(index + 1)...]))
            // Elsewhere, the name may be any argument.
            guard isText || index == 0 else { continue }
            (shell, words) = (name, script)
            return
        }
        return nil
    }

    /// Returns the words that the shell may read as a script, and whether an option introduces it.
    private static func script(_ arguments: [String]) -> (words: [String], isText: Bool) {
        var (index, isText) = (0, false)
        while index < arguments.count {
            let word = arguments[index]
            guard word.count > 1, word.hasPrefix("-") || word.hasPrefix("+") else { break }
            index += 1
            if word == "--" { break }
            guard !word.hasPrefix("--") else {
                // Of an unknown option, nothing is known about the words that follow.
                if !plainOptions.contains(word) { return (arguments, true) }
                continue
            }
            if word.contains("C") { return (arguments, true) }
            isText = isText || word.contains("c")
            // The name of a setting follows.
            index += word.count { $0 == "o" || $0 == "O" }
        }
        return (Array(arguments.prefix(index + 1)), isText)
    }
}
