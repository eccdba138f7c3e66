import ClipsCore
import Platform

/// The completions for shells, from the table of commands.
struct Completions {
    enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    /// A command; the second words of others that begin with its name are among its operands.
    struct Entry {
        /// The names that operands can be.
        enum Names { case none, tags, signedTags, query }

        let name: String
        let summary: String
        let options: [Option]
        let words: [String]
        let takesFiles: Bool
        let names: Names
    }

    /// The commands of one word.
    static var entries: [Entry] { all.filter { !$0.name.contains(" ") } }
    /// The commands of two words.
    static var longEntries: [Entry] { all.filter { $0.name.contains(" ") } }

    /// The beginnings of words of a query.
    static let queryWords = ClipQuery.flags.map { "is:\($0) " }.joined() + "tag:"

    private static let all: [Entry] = Command.all.dropFirst().map { command in
        let under = Command.all.filter { $0.name.hasPrefix(command.name + " ") }
        let names: Entry.Names =
            command.name == Command.tag.name
            ? .signedTags
            : command.name.hasPrefix("tags ") ? .tags : command.operands.contains("QUERY") ? .query : .none
        let words = under.map { String($0.name.dropFirst(command.name.count + 1)) }
        return Entry(
            name: command.name, summary: command.summary,
            options: command.options + Option.global, words: words + command.actions,
            takesFiles: command.operands.contains("FILE"), names: names)
    }

    static func isTag(_ option: Option) -> Bool { option.name == "--tag" }

    /// Prints the tags in a pipe. Their names are untrusted, so a shell must not expand them.
    static let tagPipe = "tags 2> /dev/null"

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
        operands: "bash|zsh|fish", actions: Completions.Shell.allCases.map(\.rawValue),
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
