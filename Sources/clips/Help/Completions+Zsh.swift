import ClipsCore

extension Completions {
    static var zsh: String {
        var lines = [
            "#compdef clips", "# zsh completion of clips; printed by 'clips completions zsh'.",
            "_clips() {", "    local context state state_descr line", "    typeset -A opt_args",
            "    _arguments -C \\",
        ]
        lines += withoutCommand.map { "        \(quoted(spec($0))) \\" }
        lines += [
            "        '1:command:->command' '*::argument:->argument'", "    case $state in",
            "    command)", "        local -a commands=(",
        ]
        lines += entries.map { "            \(quoted("\($0.name):\($0.summary)"))" }
        lines += [
            "        )", "        _describe command commands ;;", "    argument)", "        case $line[1] in",
        ]
        for entry in entries {
            lines.append("        \(entry.name)) _arguments \\")
            lines += entry.options.map { "            \(quoted(spec($0))) \\" }
            let words = entry.words.isEmpty ? "" : "(\(entry.words.joined(separator: " ")))"
            lines.append("            \(quoted("*: :\(entry.takesFiles ? "_files" : words)")) ;;")
        }
        lines += [
            "        esac ;;", "    esac", "}",
            "if [[ $funcstack[1] == _clips ]]; then _clips \"$@\"; else compdef _clips clips; fi",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    /// An option for _arguments, in which brackets and colons have a meaning (zshcompsys(1)).
    private static func spec(_ option: Option) -> String {
        func plain(_ text: String) -> String {
            text.map { ":[]\\".contains($0) ? "\\\($0)" : String($0) }.joined()
        }
        let repeated = option.help.contains("may be repeated") ? "*" : ""
        guard let value = option.value else { return "\(repeated)\(option.name)[\(plain(option.help))]" }
        let equals = option.name.hasPrefix("--") ? "=" : ""
        let action =
            option.isFile
            ? "_files" : option.choices.isEmpty ? "" : "(\(option.choices.joined(separator: " ")))"
        return "\(repeated)\(option.name)\(equals)[\(plain(option.help))]:\(plain(value)):\(action)"
    }
}
