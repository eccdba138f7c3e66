/// What a key can do; the raw value is the action's name in the config file.
package enum Action: String, CaseIterable, Sendable {
    case down, up, first, last
    case halfPageDown = "half-page-down"
    case halfPageUp = "half-page-up"
    case pageDown = "page-down"
    case pageUp = "page-up"
    case open
    case switchPane = "switch-pane"
    case back, left, right, wrap

    case filter, follow, pause

    case add, edit, star
    case toggleUnread = "toggle-unread"
    case delete, undo, redo
    case browse, copy

    case history, help, redraw, suspend, quit
}
