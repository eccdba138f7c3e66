import ClipsCore
import Platform

/// The completions for shells, from the table of commands.
struct Completions {
    enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    /// A first word of the command line; the second words are among its operands.
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
        let choices = command.operands.split(separator: "|").map { String($0.prefix { $0 != " " }) }
        return Entry(
            name: command.name, summary: command.summary,
            options: options + Option.global, words: words + (choices.count > 1 ? choices : []),
            takesFiles: command.operands.contains("FILE"))
    }

    static let withoutCommand = Command.browse.options + Option.global

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
        summary: "Print a script with which your shell completes commands and options",
        details: """
            fish: clips completions fish > ~/.config/fish/completions/clips.fish
            With --widget, Alt-k inserts URLs that you pick at the cursor: \
            eval "$(clips completions bash --widget)" in ~/.bashrc, or zsh in ~/.zshrc; \
            clips completions fish --widget | source in config.fish.
            """,
        operands: "bash|zsh|fish",
        options: [Option("--widget", "print a script that binds Alt-k to 'clips pick'")],
        example: "clips completions bash >> ~/.bash_completion"
    ) { invocation in
        let name = invocation.arguments.operands[0]
        guard let shell = Completions.Shell(rawValue: name) else {
            let shells = Completions.Shell.allCases.map(\.rawValue).listed
            throw UsageError("Unknown shell '\(name)'. Use \(shells).")
        }
        invocation.output.write(
            invocation.arguments.has("--widget") ? Completions.widget(shell) : Completions.text(shell))
        return .done
    }
}
