extension Completions {
    /// Returns a script with which a key of the shell's command line inserts clips that the user picks.
    static func widget(_ shell: Shell) -> String {
        switch shell {
        case .bash:
            #"""
            # bash: Alt-k inserts the URLs of picked clips; printed by 'clips completions bash --widget'.
            __clips_pick() {
                local choice
                choice=$(clips pick --multi | while IFS= read -r line; do printf '%q ' "$line"; done)
                READLINE_LINE=${READLINE_LINE:0:READLINE_POINT}$choice${READLINE_LINE:READLINE_POINT}
                READLINE_POINT=$((READLINE_POINT + ${#choice}))
            }
            if [[ $- == *i* ]]; then
                bind -m emacs-standard -x '"\ek": __clips_pick'
                bind -m vi-insert -x '"\ek": __clips_pick'
            fi

            """#
        case .zsh:
            #"""
            # zsh: Alt-k inserts the URLs of picked clips; printed by 'clips completions zsh --widget'.
            clips-pick() {
                emulate -L zsh
                local choice=$(clips pick --multi < /dev/tty)
                [[ -n $choice ]] && LBUFFER+="${(j: :)${(@q-)${(f)choice}}} "
                zle reset-prompt
            }
            if [[ -o interactive ]]; then
                zle -N clips-pick
                bindkey -M emacs '\ek' clips-pick
                bindkey -M viins '\ek' clips-pick
            fi

            """#
        case .fish:
            #"""
            # fish: Alt-k inserts the URLs of picked clips; printed by 'clips completions fish --widget'.
            function clips-pick
                set -l lines (clips pick --multi)
                and commandline -i -- (string join ' ' -- (string escape -- $lines))' '
                commandline -f repaint
            end
            if status is-interactive
                bind \ek clips-pick
                bind -M insert \ek clips-pick
            end

            """#
        }
    }
}
