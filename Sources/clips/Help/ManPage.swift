import ClipsCore
import ClipsTerminal
import Platform

extension Command {
    static let man = Command(
        name: "man", summary: "Print the manual page", example: "clips man | man -l -"
    ) { invocation in
        invocation.output.write(ManPage().text)
        return .done
    }
}

/// The manual page in the macros of man(7), from the tables of commands and of keys.
struct ManPage {
    var text: String {
        var lines = [
            ".TH CLIPS 1 \"\" \"clips \(clipsVersion)\" \"User Commands\"",
            ".SH NAME", "clips \\- a live list of clips from any program",
            ".SH SYNOPSIS", ".B clips", "[\\fIcommand\\fR] [\\fIoptions\\fR] [\\fIoperands\\fR]",
            ".SH DESCRIPTION",
        ]
        lines += ManualText.description(Command.browse.summary, details: Command.browse.details)
        lines.append(
            ManualText.escaped(
                "All clips are in one store, which any number of processes can use at the same time."))
        lines += ManualText.options(Command.browse.options)
        lines.append(".SH COMMANDS")
        for command in Command.all.dropFirst() { lines += Self.section(command) }
        lines.append(".SH \"OPTIONS FOR EVERY COMMAND\"")
        lines += ManualText.options(Option.global)
        lines.append(".SH KEYS")
        for group in ActionTable.Group.allCases {
            lines.append(".SS \(ManualText.quoted(group.rawValue))")
            for entry in ActionTable.entries where entry.group == group {
                let name = entry.keys.isEmpty ? "" : " (\(ManualText.escaped(entry.action.rawValue)))"
                let term = entry.keys.isEmpty ? entry.usage : entry.shownKeys
                lines += [
                    ".TP", "\\fB\(ManualText.escaped(term))\\fR\(name)", ManualText.escaped(entry.help),
                ]
            }
        }
        lines += Self.topics.flatMap(Self.section)
        lines.append(".SH ENVIRONMENT")
        lines += Self.items(Self.environment)
        lines.append(".SH FILES")
        lines += Self.items(Self.files)
        lines.append(".SH \"EXIT STATUS\"")
        lines += Self.items([
            ("0", "Done; also a list of all that is empty"),
            ("1", "Failed, or not found, all or a part of it; standard error says which"),
            ("2", "Wrong usage: an unknown command, or arguments that are not valid; nothing was done"),
            ("130", "Interrupted; 143 after SIGTERM, 129 after SIGHUP"),
        ])
        lines += (Self.otherPrograms + Self.examples).flatMap(Self.section)
        return lines.joined(separator: "\n") + "\n"
    }

    private static let environment = [
        ("CLIPS_STORE", "Store file, unless --store or --group is given"),
        ("BROWSER", "Browser of the app (default: xdg-open)"),
        ("VISUAL, EDITOR", "Editor of 'clips edit' (default: vi)"),
        ("CLIPS_TERMINAL_BROWSER", "Browser in this terminal (default: w3m, elinks, links, or lynx)"),
        ("NO_COLOR", "Disables colors if set"),
        ("COLORTERM", "Enables all colors if it is truecolor or 24bit"),
        ("COLORFGBG", "Background for the theme, if the terminal does not report its own"),
        ("TMPDIR", "Folder of a clip during its edit (default: /tmp)"),
        ("XDG_DATA_HOME", "Folder of the groups' folders (default: ~/.local/share)"),
        ("XDG_CONFIG_HOME", "Folder of the configuration (default: ~/.config)"),
    ]

    private static let files = [
        ("~/.local/share/clips/clips.db", "Store of the group 'clips'"),
        (
            "clips.db.replaced-*",
            "Store replaced by 'clips backup restore'; delete it when you no longer need it"
        ),
        (
            "STORE-unsaved-*.jsonl",
            "Clips that could not be saved, for 'clips add --jsonl'; in TMPDIR or /tmp if not next to the store"
        ),
        ("~/.config/clips/config", "Settings, colors, and key bindings"),
        ("clips.db-mirror", "Server and secret of the mirror; clips.db-mirror-status is its state"),
    ]

    private static func section(_ command: Command) -> [String] {
        let call = ["clips", command.name, command.operands].filter { !$0.isEmpty }.joined(separator: " ")
        let table = command.table.map { [".PP", ManualText.escaped($0.title + ":")] + items($0.rows) } ?? []
        return [".SS \(ManualText.quoted(call))"]
            + ManualText.description(command.summary, details: command.details) + table
            + ManualText.options(command.options) + ManualText.example(command.example)
    }

    static func items(_ items: [(name: String, help: String)]) -> [String] {
        items.flatMap { [".TP", "\\fB\(ManualText.escaped($0.name))\\fR", ManualText.escaped($0.help)] }
    }
}
