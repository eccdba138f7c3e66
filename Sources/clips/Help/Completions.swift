import Platform

/// The scripts with which shells complete; their candidates are those of ``Command/candidates``.
struct Completions {
    enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    static func text(_ shell: Shell) -> String {
        switch shell {
        case .bash:
            // bash separates words at colons and equal signs, and leaves quotes and backslashes in them. Names in the
            // store are untrusted, so they are quoted.
            #"""
            # bash completion of clips; printed by 'clips completions bash'.
            _clips() {
                local word joins= mode name words=()
                for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
                    word=${word//[\\\"\']/}
                    if [[ ($joins || $word == [:=]) && ${#words[@]} -gt 0 ]]; then words[-1]+=$word
                    else words+=("$word"); fi
                    [[ $word == [:=] ]] && joins=1 || joins=
                done
                [[ $word == [:=] ]] && word=
                local before=${words[-1]%"$word"}
                COMPREPLY=()
                {
                    read -r mode
                    while IFS=$'\t' read -r name _; do
                        [[ ${name,,} == "${before,,}"* ]] && name=${name:${#before}}
                        # Within an open quote, a sign of the shell cannot be quoted safely.
                        if [[ ${COMP_WORDS[COMP_CWORD]} == [\"\']* ]]; then
                            [[ $name == *[\"\'\\\$\`!]* ]] && continue
                        elif [[ $mode != files ]]; then printf -v name %q "$name"; fi
                        COMPREPLY+=("$name")
                    done
                } < <("${COMP_WORDS[0]}" completions candidates -- "${words[@]}" 2> /dev/null)
                [[ ${COMPREPLY[0]} == *[:=] ]] && compopt -o nospace 2> /dev/null
                if [[ $mode == files && $word != -* ]]; then
                    compopt -o filenames 2> /dev/null
                    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$word")
                fi
            }
            complete -F _clips clips

            """#
        case .zsh:
            #"""
            #compdef clips
            # zsh completion of clips; printed by 'clips completions zsh'.
            _clips() {
                local -a lines names shown open
                local line name
                lines=("${(@f)$(clips completions candidates -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2> /dev/null)}")
                for line in "${(@)lines[2,-1]}"; do
                    name=${line%%$'\t'*}
                    if [[ $name == *[:=] ]]; then open+=("$name")
                    else names+=("$name"); shown+=("${${line/$'\t'/  -- }[1,COLUMNS-1]}"); fi
                done
                # The candidates are those of the word, of which a name with spaces gets quotes.
                (( $#open )) && compadd -U -S '' -a open
                (( $#names )) && compadd -U -l -d shown -a names
                if [[ $lines[1] == files ]]; then compset -P '--*='; _files
                # Names that differ in quotes or capital letters may share less than was typed.
                elif (( compstate[nmatches] && $#compstate[unambiguous] < $#PREFIX )); then
                    compstate[insert]= compstate[list]='list force'
                fi
            }
            if [[ $funcstack[1] == _clips ]]; then _clips "$@"; else compdef _clips clips; fi

            """#
        case .fish:
            #"""
            # fish completion of clips; printed by 'clips completions fish'.
            function __clips_candidates
                set -l words (commandline -opc)
                # An open quote is no part of the word.
                set -l typed (string replace -r '^["\\\']' '' -- (commandline -ct))
                set -l lines (command clips completions candidates -- $words[2..-1] "$typed" 2> /dev/null)
                string join \n -- $lines[2..-1]
                test "$lines[1]" = files; or return
                set -l option (string match -r '^--[^=]*=' -- (commandline -ct))
                set -l path (string replace -- "$option" '' (commandline -ct))
                for found in (__fish_complete_path "$path"); echo "$option$found"; end
            end
            complete -c clips -f -a '(__clips_candidates)'

            """#
        }
    }
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
