/// One subcommand: what it is called, understands, and does.
struct Command: Sendable {
    let name: String
    let summary: String
    /// The operands, as help shows them.
    let operands: String
    let options: [Option]
    let example: String
    /// Whether an operand may begin with a minus.
    var takesSignedWords = false
    let run: @Sendable (Invocation) async throws -> ExitStatus

    /// Understood by every command, before or after its name.
    static let globalOptions = [
        Option("--store", value: "PATH", "the store's file (else $CLIPS_STORE, else the group's)"),
        Option("--group", value: "NAME", "the app group whose store is meant (clips)"),
        Option("--author", value: "NAME", "who is writing"),
        Option("--json", "one JSON object a line"),
        Option("--quiet", "only what was asked for, no remarks"),
        Option("--help", "this help"),
        Option("--version", "the version"),
    ]

    static let all = [
        browse, .extension, .add, .list, .search, .show, .edit, .tag, .star, .delete, .restore, .import,
        .export, .history, .historyClean, .consumers, .doctor, .backup,
        .backupRestore, .completions, .man,
    ]

    static func named(_ name: String) -> Command? { all.first { $0.name == name } }
}

/// How the program ends; documented in its help.
enum ExitStatus: Int32 {
    case done = 0
    case failed = 1
    case usage = 2
    case interrupted = 130
}

extension Command {
    /// The command's help: fits a screen of 24 rows and 80 columns.
    var help: String {
        if name == Command.browse.name { return Self.overview }
        let call = ["clips", name, operands].filter { !$0.isEmpty }
        var text = Self.wrapped("usage: \(call.joined(separator: " ")) [options]", indent: 7) + "\n"
        for line in summary.split(separator: "\n") { text += Self.wrapped(String(line)) }
        if !options.isEmpty { text += "\noptions:\n" + Self.lines(options) }
        let others = Self.globalOptions.map { $0.name + ($0.value.map { " " + $0 } ?? "") }
        text += "\n" + Self.wrapped("for every command: \(others.joined(separator: ", "))", indent: 2)
        return text + "\nexample:\n  \(example)\n\n\(Self.statusLine)"
    }

    /// What the commands are for, those that belong together on one line.
    private static let purposes: [(commands: [Command], purpose: String)] = [
        ([.add, .extension], "save a clip; text may be piped in"),
        ([.list, .search, .show], "print clips"),
        ([.edit, .tag, .star], "change them"),
        ([.delete, .restore], "delete them, and bring them back"),
        ([.import, .export], "read and write bookmarks, tables, text"),
        ([.history, .consumers], "who saved what; who follows that"),
        ([.doctor, .backup], "check, repair, salvage, copy, and restore the store"),
        ([.completions, .man], "for your shell; the manual page"),
    ]

    private static var overview: String {
        var text = "usage: clips [COMMAND] [options]\n\n"
        for sentence in browse.summary.split(separator: "\n") { text += "\(sentence)\n" }
        text += "'clips COMMAND --help' tells more; in the list, ? does.\n\n"
        for (commands, purpose) in purposes {
            text += line(commands.map(\.name).joined(separator: ", "), purpose)
        }
        let shared = globalOptions.filter { $0.name != "--help" && $0.name != "--version" }
        let (paired, own) = (browse.options.suffix(2), browse.options.dropLast(2))
        let pair = paired.map { $0.name + ($0.value.map { " " + $0 } ?? "") }.joined(separator: " ")
        text += "\n" + lines(shared + own) + wrapped("  \(pair): \(paired.first?.help ?? "")", indent: 2)
        return text + "example: \(browse.example)\n\(statusLine)"
    }

    private static let statusLine =
        "exit status: 0 done, 1 failed or partly, 2 usage or no store, 130 interrupted\n"
    private static let width = 80
    private static let indent = 24

    private static func lines(_ options: [Option]) -> String {
        options.map { line($0.name + ($0.value.map { " " + $0 } ?? ""), $0.help) }.joined()
    }

    private static func line(_ name: String, _ help: String) -> String {
        wrapped(
            "  \(name)\(String(repeating: " ", count: max(2, indent - 2 - name.count)))\(help)",
            indent: indent)
    }

    /// Broken at words, the further lines indented.
    private static func wrapped(_ text: String, indent: Int = 0) -> String {
        var lines: [String] = []
        var rest = text[...]
        while rest.count > width, let space = rest.prefix(width + 1).lastIndex(of: " "),
            rest[..<space].contains(where: { $0 != " " })
        {
            lines.append(String(rest[..<space]))
            rest = String(repeating: " ", count: indent) + rest[space...].dropFirst()
        }
        return (lines + [String(rest)]).joined(separator: "\n") + "\n"
    }
}
