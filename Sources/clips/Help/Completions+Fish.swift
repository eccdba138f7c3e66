import ClipsCore
import Platform

extension Completions {
    static var fish: String {
        var lines = [
            "# fish completion of clips; printed by 'clips completions fish'.", "complete -c clips -f",
            "function __clips_tags; command clips \(tagPipe) | string replace -r '^ *[0-9]+ +' $argv[1]; end",
        ]
        lines += Command.browse.options.map { "complete -c clips -n __fish_use_subcommand \(words($0))" }
        lines += Option.global.map { "complete -c clips \(words($0))" }
        let own = Set(Option.global.map(\.name))
        for entry in entries {
            lines.append(
                "complete -c clips -n __fish_use_subcommand -a \(entry.name) -d \(quotedForFish(entry.summary))"
            )
            let longer =
                entry.words.isEmpty || entry.words.contains("bash") ? "" : entry.words.joined(separator: " ")
            let other = longer.isEmpty ? "" : "; and not __fish_seen_subcommand_from \(longer)"
            let condition = "-n '__fish_seen_subcommand_from \(entry.name)\(other)'"
            lines += entry.options.filter { !own.contains($0.name) }.map {
                "complete -c clips \(condition) \(words($0))"
            }
            if !entry.words.isEmpty {
                lines.append("complete -c clips \(condition) -a '\(entry.words.joined(separator: " "))'")
            }
            if entry.takesFiles { lines.append("complete -c clips \(condition) -F") }
            lines += names(entry).map { "complete -c clips \(condition) -a '\($0)'" }
        }
        for entry in longEntries {
            let both = entry.name.replacing(" ", with: "; and __fish_seen_subcommand_from ")
            let condition = "-n '__fish_seen_subcommand_from \(both)'"
            lines += entry.options.filter { !own.contains($0.name) }.map {
                "complete -c clips \(condition) \(words($0))"
            }
            if entry.takesFiles { lines.append("complete -c clips \(condition) -F") }
            lines += names(entry).map { "complete -c clips \(condition) -a '\($0)'" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The operands that are names in the store.
    private static func names(_ entry: Entry) -> [String] {
        switch entry.names {
        case .none: []
        case .tags: ["(__clips_tags \"\")"]
        case .signedTags: ["(__clips_tags +)", "(__clips_tags -)"]
        case .query: ["\(queryWords) (__clips_tags tag:)"]
        }
    }

    private static func words(_ option: Option) -> String {
        let name =
            option.name.hasPrefix("--") ? "-l \(option.name.dropFirst(2))" : "-s \(option.name.dropFirst())"
        var value = option.value == nil ? "" : option.isFile ? " -r -F" : " -x"
        if isTag(option) { value += " -a '(__clips_tags \"\")'" }
        if !option.choices.isEmpty { value += " -a '\(option.choices.joined(separator: " "))'" }
        return "\(name)\(value) -d \(quotedForFish(option.help))"
    }

    /// Within single quotes, fish interprets \\ and \' (fish-doc, Quotes).
    private static func quotedForFish(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
