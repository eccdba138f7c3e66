import Terminal

/// The one table of actions: keys, help, footer and the README are printed from it.
package enum ActionTable {
    package enum Group: String, CaseIterable, Sendable {
        case moving = "Moving"
        case list = "The list"
        case clip = "The clip"
        case program = "The program"
    }

    package struct Entry: Sendable {
        package let action: Action
        /// Key names, the usual one first.
        package let keys: [String]
        package let group: Group
        package let help: String
        /// What the footer calls it; the lower the rank, the longer it stays on a narrow screen.
        package let hint: (label: String, rank: Int)?

        init(
            _ action: Action, _ keys: String, _ group: Group, _ help: String,
            hint: (label: String, rank: Int)? = nil
        ) {
            self.action = action
            self.keys = keys.split(separator: " ").map(String.init)
            self.group = group
            self.help = help
            self.hint = hint
        }
    }

    package static let entries: [Entry] = [
        Entry(
            .down, "j <Down>", .moving, "Goes down a row; with a number before it, that many.",
            hint: ("down", 8)),
        Entry(.up, "k <Up>", .moving, "Goes up a row; with a number before it, that many.", hint: ("up", 9)),
        Entry(.first, "g <Home>", .moving, "Goes to the first row."),
        Entry(.last, "G <End>", .moving, "Goes to the last row; with a number before it, to that row."),
        Entry(.halfPageDown, "<C-d>", .moving, "Goes down half a screen."),
        Entry(.halfPageUp, "<C-u>", .moving, "Goes up half a screen."),
        Entry(.pageDown, "<C-f> <PgDn>", .moving, "Goes down a screen."),
        Entry(.pageUp, "<C-b> <PgUp>", .moving, "Goes up a screen."),
        Entry(.open, "<Enter>", .moving, "Opens the clip to read it.", hint: ("read", 2)),
        Entry(.switchPane, "<Tab>", .moving, "Goes between the list and the clip beside it."),
        Entry(
            .back, "<Esc> <C-c>", .moving, "Goes back: closes the clip, clears the filter, forgets a number."),
        Entry(.left, "<Left> h", .moving, "Moves a clip that is not wrapped to the left."),
        Entry(.right, "<Right> l", .moving, "Moves a clip that is not wrapped to the right."),
        Entry(.wrap, "w", .moving, "Wraps the lines of the clip, or shows them as they are."),

        Entry(
            .filter, "/", .list, "Shows only clips that contain the words, as they are typed.",
            hint: ("filter", 1)),
        Entry(.follow, "F", .list, "At the top, shows clips as they arrive, or leaves the list where it is."),
        Entry(.pause, "p", .list, "Holds the list still while others write, and lets it go on."),
        Entry(.history, "H", .list, "Shows who saved what, as it happens.", hint: ("history", 7)),

        Entry(
            .add, "a", .clip, "Saves an address or a text; with nothing typed, in your editor.",
            hint: ("add", 3)),
        Entry(.edit, "e", .clip, "Edits the clip in your editor.", hint: ("edit", 5)),
        Entry(.star, "*", .clip, "Gives the clip a star, or takes it away."),
        Entry(.toggleUnread, "r", .clip, "Marks the clip as read, or as unread."),
        Entry(.delete, "d <Del>", .clip, "Deletes the clip; undo brings it back.", hint: ("delete", 6)),
        Entry(.undo, "u", .clip, "Takes back what you did last."),
        Entry(.redo, "<C-r>", .clip, "Does again what was taken back."),
        Entry(.browse, "o", .clip, "Opens the address in your browser.", hint: ("browser", 4)),
        Entry(.copy, "y", .clip, "Copies the address, through the terminal."),

        Entry(.help, "?", .program, "Shows this help.", hint: ("help", 0)),
        Entry(.redraw, "<C-l>", .program, "Draws the screen anew."),
        Entry(.suspend, "<C-z>", .program, "Stops the program; fg goes on with it."),
        Entry(.quit, "q", .program, "Leaves this screen, and from the list the program."),
    ]

    /// A table of the keys for the README.
    package static var markdown: String {
        var lines: [String] = []
        for group in Group.allCases {
            lines += ["", "**\(group.rawValue)**", "", "| Key | Action | |", "|---|---|---|"]
            for entry in entries where entry.group == group {
                let keys = entry.keys.map { "`\(KeyMap.shown(Key(named: $0)))`" }.joined(separator: " ")
                lines.append("| \(keys) | `\(entry.action.rawValue)` | \(entry.help) |")
            }
        }
        return lines.dropFirst().joined(separator: "\n") + "\n"
    }
}
