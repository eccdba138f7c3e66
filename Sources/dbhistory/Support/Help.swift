import Platform

/// Help, the manual page, and completions, printed from the table of commands.
enum Help {
    static var overview: String {
        var text = """
            usage: dbhistory COMMAND DATABASE [options]

            Record who changed what in any SQLite database, with triggers in the same file, and
            follow the changes of all its writers.


            """
        for command in Command.all { text += line(command.name, command.summary) }
        return text + "\nRun 'dbhistory COMMAND --help' for its options.\n\(statuses)"
    }

    private static let statuses = "exit status: 0 done, 1 nothing matched or findings, 2 failed\n"

    static func text(of command: Command) -> String {
        var text = "usage: \(command.call) [options]\n\n\(command.summary).\n"
        if !command.details.isEmpty { text += command.details + "\n" }
        if !command.options.isEmpty {
            text += "\noptions:\n" + command.options.map { line($0.usage, $0.help) }.joined()
        }
        return text + "\nexample:\n  \(command.example)\n\n\(statuses)"
    }

    private static func line(_ name: String, _ help: String) -> String {
        "  \(name)\(String(repeating: " ", count: max(2, 24 - name.count)))\(help)\n"
    }

    // MARK: Manual page

    static var manual: String {
        var lines = [
            ".TH DBHISTORY 1 \"\" \"dbhistory \(clipsVersion)\" \"User Commands\"", ".SH NAME",
            "dbhistory \\- history for any SQLite database", ".SH SYNOPSIS", ".B dbhistory",
            "\\fIcommand\\fR \\fIdatabase\\fR [\\fIoptions\\fR]", ".SH DESCRIPTION",
            "Records who changed what in any SQLite database, with triggers in the same file and the same commit, and",
            "follows the changes of all its writers. No table of the database is altered, and 'untrack' leaves the schema",
            "as it was. A statement of another program is recorded change by change, each as a transaction.",
            ".SH COMMANDS",
        ]
        for command in Command.all {
            lines += [".SS \(ManualText.quoted(command.call))"]
            lines += ManualText.description(command.summary, details: command.details)
            lines += ManualText.options(command.options) + ManualText.example(command.example)
        }
        lines += [
            ".SH \"EXIT STATUS\"", ".TP", "0", "Done", ".TP", "1", "Nothing matched, or findings of doctor",
            ".TP",
            "2", "Failed, or wrong usage",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: Completions

    static func completions(_ shell: String) -> String {
        let names = Command.all.map(\.name).joined(separator: " ")
        switch shell {
        case "bash":
            let cases = Command.all.map { command in
                "        \(command.name)) words='\(words(command).joined(separator: " "))' ;;"
            }
            return """
                # bash completion of dbhistory; printed by 'dbhistory completions bash'.
                _dbhistory() {
                    local word=${COMP_WORDS[COMP_CWORD]} words='\(names)'
                    ((COMP_CWORD > 1)) && case ${COMP_WORDS[1]} in
                \(cases.joined(separator: "\n"))
                    esac
                    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
                    if ((COMP_CWORD > 1)) && [[ $word != -* ]]; then
                        compopt -o filenames 2> /dev/null
                        mapfile -t COMPREPLY < <(compgen -f -- "$word")
                    fi
                }
                complete -F _dbhistory dbhistory

                """
        case "zsh":
            let cases = Command.all.map { command in
                "        \(command.name)) _values -w option \(words(command).joined(separator: " ")); _files ;;"
            }
            return """
                #compdef dbhistory
                # zsh completion of dbhistory; printed by 'dbhistory completions zsh'.
                _dbhistory() {
                    if ((CURRENT == 2)); then
                        compadd \(names)
                    elif [[ $words[CURRENT] != -* ]]; then
                        _files
                    else
                        case $words[2] in
                \(cases.joined(separator: "\n").replacing("_values -w option", with: "compadd --").replacing("; _files", with: ""))
                        esac
                    fi
                }
                if [[ $funcstack[1] == _dbhistory ]]; then _dbhistory "$@"; else compdef _dbhistory dbhistory; fi

                """
        default:
            var lines = ["# fish completion of dbhistory; printed by 'dbhistory completions fish'."]
            for command in Command.all {
                lines.append(
                    "complete -c dbhistory -f -n __fish_use_subcommand -a \(command.name) -d '\(quoted(command.summary))'"
                )
                for option in command.options {
                    let value = option.value == nil ? "" : " -x -a '\(option.choices.joined(separator: " "))'"
                    lines.append(
                        "complete -c dbhistory -n '__fish_seen_subcommand_from \(command.name)' -l \(option.name.dropFirst(2))\(value) -d '\(quoted(option.help))'"
                    )
                }
            }
            return lines.joined(separator: "\n") + "\n"
        }
    }

    private static func words(_ command: Command) -> [String] {
        (command.options + Command.global).map(\.name)
    }

    /// Within single quotes, fish interprets \\ and \'.
    private static func quoted(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
    }
}

extension Command {
    static let completions = Command(
        name: "completions", summary: "Print a script with which your shell completes commands and options",
        operands: "bash|zsh|fish", example: "dbhistory completions bash >> ~/.bash_completion"
    ) { arguments in
        guard ["bash", "zsh", "fish"].contains(arguments.path) else {
            throw UsageError("Unknown shell '\(arguments.path)'. Use bash, zsh, or fish.")
        }
        try Output().write(Help.completions(arguments.path))
        return 0
    }

    static let manual = Command(
        name: "man", summary: "Print the manual page", operands: "", example: "dbhistory man | man -l -"
    ) { _ in
        try Output().write(Help.manual)
        return 0
    }
}
