/// An action, by its name in the config file and after `:`; ``ActionTable`` has the rest.
package enum Action: String, CaseIterable, Sendable {
    case down, up, first, last
    case halfPageDown = "half-page-down"
    case halfPageUp = "half-page-up"
    case pageDown = "page-down"
    case pageUp = "page-up"
    case open
    case pick
    case nextUnread = "next-unread"
    case previousUnread = "previous-unread"
    case nextClip = "next-clip"
    case previousClip = "previous-clip"
    case switchPane = "switch-pane"
    case back, left, right, wrap, zoom

    case filter
    case nextMatch = "next-match"
    case previousMatch = "previous-match"
    case sort, mark, range
    case invertMarks = "invert-marks"
    case save, searches
    case nextSearch = "next-search"
    case previousSearch = "previous-search"
    case unsave, sidebar
    case follow, pause

    case add, edit, note, tag, star
    case toggleUnread = "toggle-unread"
    case read, unread
    case archive
    case markAllRead = "mark-all-read"
    case delete, undo, redo
    case browse
    case browseHere = "browse-here"
    case internetArchive = "internet-archive"
    case links, copy, run, pipe, quote

    case history, restore, consumers, conflicts

    case help, command, set, color, errors
    case toggleMouse = "toggle-mouse"
    case redraw, suspend, quit

    /// Creates an action from its name, or from a prefix that no other name has.
    init?(typed: String) {
        if let exact = Action(rawValue: typed) {
            self = exact
            return
        }
        // As in vi and its relatives.
        if typed == "q" { self = .quit; return }
        let matches = Action.allCases.filter { $0.rawValue.hasPrefix(typed) }
        guard matches.count == 1, !typed.isEmpty else { return nil }
        self = matches[0]
    }
}
