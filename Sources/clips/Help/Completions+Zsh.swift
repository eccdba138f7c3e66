import ClipsCore
import Platform

extension Completions {
    static var zsh: String {
        var lines = [
            "#compdef clips", "# zsh completion of clips; printed by 'clips completions zsh'.",
            "_clips_tags() {", "    local -a names",
            "    names=(\"${(@f)$(clips \(tagPipe) | sed 's/^ *[0-9]* *//')}\")",
            "    compadd \"$@\" -a names", "}",
            "_clips_signed_tags() { compset -P '[+-]' && _clips_tags }",
            "_clips_query() {", "    if compset -P 'tag:'; then _clips_tags",
            "    else compadd \(queryWords); fi", "}",
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
            "        )", "        _describe command commands ;;", "    argument)",
            "        local command=$line[1]", "        case \"$line[1] $words[2]\" in",
            "        \(longEntries.map { quoted($0.name) }.joined(separator: "|"))) command+=\" $words[2]\" ;;",
            "        esac", "        case $command in",
        ]
        for entry in entries + longEntries {
            let name = entry.name.contains(" ") ? quoted(entry.name) : entry.name
            lines.append("        \(name)) _arguments \\")
            lines += entry.options.map { "            \(quoted(spec($0))) \\" }
            lines.append("            \(quoted("*: :\(operands(entry))")) ;;")
        }
        lines += [
            "        esac ;;", "    esac", "}",
            "if [[ $funcstack[1] == _clips ]]; then _clips \"$@\"; else compdef _clips clips; fi",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func operands(_ entry: Entry) -> String {
        switch entry.names {
        case .tags: "_clips_tags"
        case .signedTags: "_clips_signed_tags"
        case .query: "_clips_query"
        case .none where entry.takesFiles: "_files"
        case .none: entry.words.isEmpty ? "" : "(\(entry.words.joined(separator: " ")))"
        }
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
            isTag(option)
            ? "_clips_tags"
            : option.name == "--query"
                ? "_clips_query"
                : option.isFile
                    ? "_files" : option.choices.isEmpty ? "" : "(\(option.choices.joined(separator: " ")))"
        return "\(repeated)\(option.name)\(equals)[\(plain(option.help))]:\(plain(value)):\(action)"
    }
}
