/// What a shell can complete, from the table of commands.
struct Completions {
    enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    /// A command as one word; the second words are among its operands.
    struct Entry {
        let name: String
        let summary: String
        let options: [Option]
        let words: [String]
        let takesFiles: Bool
    }

    static let entries: [Entry] = Command.all.dropFirst().filter { !$0.name.contains(" ") }.map { command in
        let under = Command.all.filter { $0.name.hasPrefix(command.name + " ") }
        var options = command.options
        for option in under.flatMap(\.options) where !options.contains(where: { $0.name == option.name }) {
            options.append(option)
        }
        let words = under.map { String($0.name.dropFirst(command.name.count + 1)) }
        let choices = command.operands.split(separator: "|").map(String.init)
        return Entry(
            name: command.name, summary: String(command.summary.prefix { $0 != "\n" }),
            options: options + Command.globalOptions, words: words + (choices.count > 1 ? choices : []),
            takesFiles: command.operands.contains("FILE"))
    }

    static let withoutCommand = Command.browse.options + Command.globalOptions

    static func text(_ shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}

extension Command {
    static let completions = Command(
        name: "completions",
        summary: "Prints what makes your shell complete commands and options.\n"
            + "fish: clips completions fish > ~/.config/fish/completions/clips.fish",
        operands: "bash|zsh|fish", options: [], example: "clips completions bash >> ~/.bash_completion"
    ) { invocation in
        let operands = invocation.arguments.operands
        guard let name = operands.first, operands.count == 1 else {
            throw UsageError("Which shell? Give bash, zsh or fish.")
        }
        guard let shell = Completions.Shell(rawValue: name) else {
            throw UsageError("There are no completions for '\(name)': bash, zsh or fish.")
        }
        invocation.output.write(Completions.text(shell))
        return .done
    }
}
