import Terminal

/// The one table of actions: keys, help, footer, and the manual page are printed from it.
package enum ActionTable {
    package enum Group: String, CaseIterable, Sendable {
        case moving = "Moving"
        case list = "The list"
        case clip = "The clip, or all that are marked"
        case history = "History"
        case program = "The program"
    }

    /// What an action takes when it is typed behind `:`.
    package enum Argument: String, Sendable {
        case words = "WORDS"
        case content = "TEXT"
        case sortKey = "KEY"
        case tags = "+TAG -TAG"
        case form = "FORM"
        case option = "OPTION VALUE"
        case span = "author:A since:2d"
    }

    package struct Entry: Sendable {
        package let action: Action
        /// Key names, the usual one first; none for what is only a command.
        package let keys: [String]
        package let group: Group
        package let help: String
        /// What the footer calls it; the lower the rank, the longer it stays on a narrow screen.
        package let hint: (label: String, rank: Int)?
        package let argument: Argument?

        init(
            _ action: Action, _ keys: String, _ group: Group, _ help: String,
            hint: (label: String, rank: Int)? = nil, takes argument: Argument? = nil
        ) {
            self.action = action
            self.keys = keys.split(separator: " ").map(String.init)
            self.group = group
            self.help = help
            self.hint = hint
            self.argument = argument
        }

        /// As it is typed behind `:`.
        package var usage: String { ":\(action.rawValue)" + (argument.map { " \($0.rawValue)" } ?? "") }
    }

    /// Those that the footer may tell.
    static let hinted: [(action: Action, hint: (label: String, rank: Int))] = entries.compactMap { entry in
        entry.hint.map { (entry.action, $0) }
    }

    package static let entries: [Entry] = [
        Entry(
            .down, "j <Down>", .moving, "Goes down a row; with a number before it, that many.",
            hint: ("down", 16)),
        Entry(.up, "k <Up>", .moving, "Goes up a row; with a number before it, that many.", hint: ("up", 17)),
        Entry(.first, "g <Home>", .moving, "Goes to the first row."),
        Entry(.last, "G <End>", .moving, "Goes to the last row; with a number before it, to that row."),
        Entry(.halfPageDown, "<C-d>", .moving, "Goes down half a screen."),
        Entry(.halfPageUp, "<C-u>", .moving, "Goes up half a screen."),
        Entry(.pageDown, "<C-f> <PgDn>", .moving, "Goes down a screen."),
        Entry(.pageUp, "<C-b> <PgUp>", .moving, "Goes up a screen."),
        Entry(.open, "<Enter>", .moving, "Opens the clip to read it.", hint: ("read", 2)),
        Entry(.switchPane, "<Tab>", .moving, "Goes between the list and the clip beside it."),
        Entry(
            .back, "<Esc> <C-c>", .moving,
            "Goes back: ends a range, takes marks away, closes the clip, clears the filter."),
        Entry(.left, "<Left> h", .moving, "Moves a clip that is not wrapped to the left."),
        Entry(.right, "<Right> l", .moving, "Moves a clip that is not wrapped to the right."),
        Entry(.wrap, "w", .moving, "Wraps the lines of the clip, or shows them as they are."),
        Entry(.zoom, "z", .moving, "Gives the whole screen to the list or to the clip, or shows both."),

        Entry(
            .filter, "/", .list,
            "Shows only clips that contain the words, as they are typed; in the history, see there.",
            hint: ("filter", 1), takes: .words),
        Entry(
            .nextMatch, "n", .list, "Goes to the next clip, or line of the clip, that contains the words."),
        Entry(.previousMatch, "N", .list, "Goes to the one before."),
        Entry(
            .sort, "s", .list, "Asks how to sort; the same again turns it around.", hint: ("sort", 13),
            takes: .sortKey),
        Entry(
            .mark, "<Space>", .list, "Marks the clip, or takes the mark away, and goes down.",
            hint: ("mark", 10)),
        Entry(.range, "v", .list, "Begins a range that the moving keys stretch; again, marks what is in it."),
        Entry(.follow, "F", .list, "At the top, shows clips as they arrive, or leaves the list where it is."),
        Entry(.pause, "p", .list, "Holds the list still while others write, and lets it go on."),

        Entry(
            .add, "a", .clip, "Saves an address or a text; with nothing typed, in your editor.",
            hint: ("add", 3), takes: .content),
        Entry(.edit, "e", .clip, "Edits the clip in your editor.", hint: ("edit", 5)),
        Entry(
            .tag, "t", .clip, "Changes the tags; Tab completes them.", hint: ("tags", 8), takes: .tags),
        Entry(.star, "*", .clip, "Gives a star, or takes it away.", hint: ("star", 12)),
        Entry(.toggleUnread, "r", .clip, "Marks as read, or as unread."),
        Entry(.delete, "d <Del>", .clip, "Deletes; undo brings it back.", hint: ("delete", 6)),
        Entry(
            .undo, "u", .clip, "Takes back what you did last, also what you did before a restart.",
            hint: ("undo", 11)),
        Entry(.redo, "<C-r>", .clip, "Does again what was taken back."),
        Entry(.browse, "o", .clip, "Opens the address in your browser.", hint: ("browser", 4)),
        Entry(.browseHere, "O", .clip, "Opens the address in a browser for the terminal, here."),
        Entry(
            .copy, "y", .clip, "Asks what to copy, and copies it through the terminal.", hint: ("copy", 9),
            takes: .form),

        Entry(
            .history, "H", .history,
            "Shows who saved what, as it happens; / there filters by author and time.",
            hint: ("history", 7), takes: .span),
        Entry(.restore, "R", .history, "Brings back what the change or the transaction deleted."),
        Entry(.consumers, "C", .history, "Shows who follows the history, and what cleaning would take."),

        Entry(
            .help, "?", .program, "Shows this help; / searches it, Enter runs an entry.", hint: ("help", 0)),
        Entry(
            .command, ":", .program,
            "Takes a command by its name; Tab completes, ↑ brings back earlier ones.",
            hint: ("command", 15)),
        Entry(
            .set, "", .program, "Changes an option for this session, as the config file does for all.",
            takes: .option),
        Entry(.errors, "", .program, "Shows what is wrong in the config file."),
        Entry(
            .toggleMouse, "M", .program,
            "Lets go of the mouse, so that the terminal selects text, or takes it."),
        Entry(.redraw, "<C-l>", .program, "Draws the screen anew."),
        Entry(.suspend, "<C-z>", .program, "Stops the program; fg goes on with it."),
        Entry(
            .quit, "q", .program, "Leaves this screen, and from the list the program.", hint: ("quit", 14)),
    ]

    package static func entry(of action: Action) -> Entry? { entries.first { $0.action == action } }
}
