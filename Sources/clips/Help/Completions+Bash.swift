import ClipsCore
import Platform

extension Completions {
    static var bash: String {
        let all = withoutCommand + (entries + longEntries).flatMap(\.options)
        let valued = unique(all.filter { $0.value != nil }.map(\.name))
        let names = unique(withoutCommand.map(\.name)) + entries.map(\.name)
        var lines = [
            "# bash completion of clips; printed by 'clips completions bash'.",
            "_clips_tags() {",
            "    local name",
            "    while IFS= read -r name; do",
            "        [[ $name == \"$2\"* ]] || continue",
            "        printf -v name %q \"$name\"",
            "        COMPREPLY+=(\"$1$name\")",
            "    done < <(\"${COMP_WORDS[0]}\" \(tagPipe) | sed 's/^ *[0-9]* *//')",
            "}",
            "_clips() {",
            "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= index",
            "    local words=\(quoted(names.joined(separator: " "))) files=",
            "    for ((index = 1; index < COMP_CWORD; index++)); do",
            "        case ${COMP_WORDS[index]} in",
            "            \(valued.joined(separator: "|"))) ((index++)) ;;",
            "            -*) ;;",
            "            *) command=${COMP_WORDS[index]}; break ;;",
            "        esac",
            "    done",
            "    ((index + 1 < COMP_CWORD)) && case \"$command ${COMP_WORDS[index+1]}\" in",
            "        \(longEntries.map { quoted($0.name) }.joined(separator: "|"))) command+=\" ${COMP_WORDS[index+1]}\" ;;",
            "    esac",
            "    COMPREPLY=()",
            "    case \"$command|$before|$word\" in",
            "        *'|--tag|'*) _clips_tags '' \"$word\"; return ;;",
            "        *'|--query|'*) mapfile -t COMPREPLY < <(compgen -W \(quoted(queryWords)) -- \"$word\"); return ;;",
            "        'tag|'*'|'[+-]*) _clips_tags \"${word:0:1}\" \"${word:1}\"; return ;;",
            "        'tags '*'|'[!-]*|'tags '*'|') _clips_tags '' \"$word\"; return ;;",
            // A colon separates words.
            "        *'|tag|:') _clips_tags '' ''; return ;;",
            "        *'|:|'*) [[ ${COMP_WORDS[COMP_CWORD-2]} == tag ]] && { _clips_tags '' \"$word\"; return; } ;;",
            "    esac",
            "    case $command in",
        ]
        for entry in entries + longEntries {
            let queries = entry.names == .query ? [queryWords] : []
            let words = (unique(entry.options.map(\.name)) + entry.words + queries).joined(separator: " ")
            let files = entry.takesFiles ? "; files=yes" : ""
            lines.append("        \(quoted(entry.name))) words=\(quoted(words))\(files) ;;")
        }
        lines += ["        ?*) words= ;;", "    esac", "    case \"$command $before\" in"]
        for (command, options) in [("", withoutCommand)]
            + (entries + longEntries).map({ ($0.name, $0.options) })
        {
            for option in options where !option.choices.isEmpty {
                let choices = quoted(option.choices.joined(separator: " "))
                lines.append("        \(quoted("\(command) \(option.name)"))) words=\(choices); files= ;;")
            }
        }
        lines += ["        *)", "            case $before in"]
        let files = unique(all.filter(\.isFile).map(\.name))
        let others = valued.filter { name in
            !files.contains(name) && !all.contains { $0.name == name && !$0.choices.isEmpty }
        }
        lines += [
            "                \(files.joined(separator: "|"))) words=; files=yes ;;",
            "                \(others.joined(separator: "|"))) words=; files= ;;",
            "            esac ;;", "    esac",
            "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")",
            "    if [[ $files && $word != -* ]]; then",
            "        compopt -o filenames 2> /dev/null",
            "        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$word\")",
            "    fi", "}", "complete -F _clips clips",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    static func unique(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }
}
