import Platform
import ClipsTerminal

extension ManPage {
    /// A section of the manual page that no table of the program contains.
    struct Topic {
        let title: String
        let text: String
        var items: [(name: String, help: String)] = []
        var example = ""
    }

    static let topics = [
        Topic(
            title: "STORE",
            text: """
                The default store is clips.db in ~/.local/share/clips. Only its owner can read it. --group selects \
                the store of another app group, --store any file. The app, add, extension, and import create a \
                missing store, and report that if --store or --group selected it. Every other command exits with \
                status 1.

                External writers, such as the sqlite3 shell, use the table Clip. Its columns are the keys of \
                'clips list --json'; all of them have defaults.

                All arguments, and the variables that name files and programs, must be valid UTF-8.
                """,
            example:
                "sqlite3 ~/.local/share/clips/clips.db \"insert into Clip (url) values ('https://a.org')\""),
        Topic(
            title: "QUERIES",
            text: """
                'clips search', 'clips list', and / in the app use the same language. A word matches parts of \
                words in any script, in any field except the author; hyphens and apostrophes count as spaces. A URL \
                also finds its variants: other scheme, www., slash at the end, tracking parameters, encoding. Any \
                input is a valid query; an unknown flag or date is reported.

                'clips search' ranks clips with the title searched first, then whole words in the title, in title \
                and tags, other forms of them there that they do not begin, whole words, beginnings of words, and parts of words; each by BM25 over fields, \
                then newer ones first. The first 4 MB of each text are searched. If nothing matches, the app and a search on a terminal show clips with close words, and say so. \
                A filter of words in the app is ranked, too, unless 'set relevance off': the best match is selected \
                until you move the cursor, and Esc while typing returns to the clip that was selected before.
                """,
            items: [
                ("\"two words\"", "Phrase of whole words"), ("begin*", "Beginning of a word"),
                ("-word, NOT word", "Clips without the word"), ("this OR that", "Clips with one of the two"),
                (
                    "tag: author: site: title: url: note: text:",
                    "Words in a field, or a whole tag, author, or site with its subdomains, such as tag:go; tag:go* begins so"
                ),
                ("is:starred is:unread is:read is:archived", "Flags"),
                ("is:dead is:moved is:unchecked", "States of links, which 'clips check' sets"),
                (
                    "after: before: on:",
                    "Days: 2026-11-01, 2026-11, 2026, yesterday, tomorrow, monday, last-week, 3d"
                ),
            ]),
        Topic(
            title: "JSON",
            text: """
                With --json, every command that prints rows prints one object per line. A clip has all of these keys. A change prints the clips after it, delete those before it. Later versions may \
                add keys. 'add --jsonl' and 'import' read the same objects.
                """,
            items: [
                ("id, version", "Numbers: the ID, and one that grows with each save of the clip"),
                ("uuid", "ID of the clip in every store"),
                ("url, title, text, note", "Texts, empty if there are none"),
                ("tags", "List of names"), ("author", "Name of the author that saved it"),
                ("starred, unread, archived", "true or false"),
                ("quotes", "Objects with text, prefix, suffix, note, author, created, uuid, if any"),
                ("created, updated", "Times in UTC, such as 2026-11-21T14:05:09.000Z"),
                ("tags command", "Objects with tag and count"),
                (
                    "check command",
                    "Objects with id, url, state, and if known reason, target, and archive, an address of the page there"
                ),
                ("undo command", "Objects with change, partial, and dryRun"),
                ("dedupe command", "Objects with id and url of the clip that remains, and a list duplicates"),
            ]),
        Topic(
            title: "CONFIGURATION",
            text: """
                The configuration is ~/.config/clips/config, or clips/config in $XDG_CONFIG_HOME. The app starts \
                even if it has errors, and :errors lists them. A line is empty, a comment after #, or one of:
                """,
            items: ConfigFile.commands
                + Setting.allCases.map {
                    ("set \($0.rawValue) \($0.form)", "\($0.help) (default: \($0.defaultValue))")
                },
            example: """
                set columns title,tags,age
                color unread bold yellow
                bind m !mpv {url} &
                bind -w tag +work
                bind L |less
                bind W tag +work
                """),
        Topic(
            title: "DUPLICATES",
            text: """
                Pages are the same if their addresses differ in the scheme, www., a slash at the end, tracking \
                parameters, encoding, or a fragment only. A merge retains both texts, notes, and tags, and a star. Its \
                address is the one with fewer tracking parameters, then https, then the shorter one. Its \
                title is that of --title, otherwise the longer one; the other one is in the note. 'clips add' and \
                'clips import' save another clip unless --duplicates says otherwise, the app asks unless \
                'set duplicates' does, and 'clips extension' and the browser merge. 'clips import' leaves out a \
                clip of the same URL, title, text, and note as one with all its tags, so that importing a file of pages \
                again is harmless.
                """),
        Topic(
            title: "PAGES",
            text: """
                The text of a page is its article in Markdown, without the menus, footers, and lists of links around \
                it, the comments of readers, and links to related articles: headings, lists, quotes, code, tables, and the descriptions of images. '[1]' after words is the \
                number of a link, and the app lists the links at the end. '[^1]' refers to a note of the page, \
                which is where the page has it. Any other text with the signs of Markdown is shown in the same way, \
                up to 4 MB; the rest is shown with its signs.
                """),
        Topic(
            title: "UNSAVED CLIPS",
            text: """
                A clip that cannot be saved for any reason, such as a full disk, a store that another program \
                holds, or a signal, is written as a line of JSON to a new file that the message names. Without a \
                writable folder, the line is printed on standard error. 'clips add --jsonl' reads such lines. \
                Their keys are url, title, text, note, tags, starred, unread, archived, created, updated, author, and quotes, as \
                in 'clips list --json'. A text of more than 64 MB becomes several clips. If only the ID of a saved \
                clip cannot be printed, standard error has 'Saved as 12', and the exit status is 1.
                """,
            example: "clips add --jsonl < ~/.local/share/clips/clips.db-unsaved-4ffYtV.jsonl"),
    ]

    /// The lines with which other programs save clips.
    static let otherPrograms = [
        Topic(
            title: "OTHER PROGRAMS",
            text: """
                newsboat calls bookmark-cmd with a URL, a title, a description, and the feed, and shows as an error \
                anything that it prints. Save this script, make it executable, and name it in ~/.newsboat/config:
                """,
            example: """
                #!/bin/sh
                # bookmark-cmd ~/.newsboat/clips.sh
                clips add --quiet "$1" --title "$2" --note "$3" --tag "$(echo "$4" | tr , ' ')" 2>&1 > /dev/null
                """),
        Topic(
            title: "",
            text:
                "qutebrowser: an executable file 'clips' in ~/.local/share/qutebrowser/userscripts, and a binding:",
            example: """
                #!/bin/sh
                # :bind ,c spawn --userscript clips
                clips add --quiet "$QUTE_URL" --title "$QUTE_TITLE" < "$QUTE_HTML"
                """),
        Topic(
            title: "", text: "w3m: ESC c saves the page; a line of ~/.w3m/keymap:",
            example: "keymap ESC-c EXEC_SHELL \"clips add --fetch \\\"$W3M_URL\\\"\""),
        Topic(
            title: "", text: "lynx: a comma saves the page, a period the link; lines of lynx.cfg:",
            example: """
                EXTERNAL:http:clips add --fetch %s:TRUE
                EXTERNAL:https:clips add --fetch %s:TRUE
                """),
    ]

    static let examples = [
        Topic(
            title: "EXAMPLES", text: "Save the clipboard, and a page with its text:",
            example: """
                wl-paste | clips add --tag clipboard
                curl -s https://example.org | clips add --url https://example.org
                """),
        Topic(
            title: "", text: "Tag the unread clips about Swift, and open all starred clips:",
            example: """
                clips search 'is:unread tag:swift' --json | jq .id | xargs clips tag +later
                clips list --json | jq -r 'select(.starred) | .url' | xargs -n1 xdg-open
                """),
        Topic(
            title: "", text: "Show a notification for each commit of any process:",
            example: """
                clips history --follow --json |
                while read -r line; do notify-send "$(jq -r .author <<< "$line") saved"; done
                """),
        Topic(
            title: "", text: "Back up the store every night, as a line of crontab(5):",
            example: "0 3 * * * clips backup --force --quiet \"$HOME/backup/clips.db\""),
    ]

    static func section(_ topic: Topic) -> [String] {
        var lines = topic.title.isEmpty ? [".PP"] : [".SH \(ManualText.quoted(topic.title))"]
        lines += topic.text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? ".PP" : ManualText.escaped(String($0)) }
        lines += items(topic.items)
        guard !topic.example.isEmpty else { return lines }
        return lines + [".PP", ".nf", ".RS"]
            + topic.example.split(separator: "\n").map { ManualText.escaped(String($0)) }
            + [".RE", ".fi"]
    }
}
