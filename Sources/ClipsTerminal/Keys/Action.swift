/// What a key or a command can do; the raw value is the action's name in the config file and behind `:`.
package enum Action: String, CaseIterable, Sendable {
    case down, up, first, last
    case halfPageDown = "half-page-down"
    case halfPageUp = "half-page-up"
    case pageDown = "page-down"
    case pageUp = "page-up"
    case open
    case switchPane = "switch-pane"
    case back, left, right, wrap, zoom

    case filter
    case nextMatch = "next-match"
    case previousMatch = "previous-match"
    case sort, mark, range, follow, pause

    case add, edit, tag, star
    case toggleUnread = "toggle-unread"
    case delete, undo, redo
    case browse
    case browseHere = "browse-here"
    case copy

    case history, restore, consumers

    case help, command, set, errors
    case toggleMouse = "toggle-mouse"
    case redraw, suspend, quit
}
