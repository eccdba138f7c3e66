import Terminal

/// How things look: the terminal's own two colours, attributes, and a few of the 16 that are legible on light
/// and dark. Nothing is told by colour alone.
enum Theme {
    static let heading = Style(attributes: [.bold, .underline])
    static let selection = Style(attributes: [.reverse])
    static let unfocusedSelection = Style(attributes: [.bold, .underline])
    static let dim = Style(attributes: .dim)
    static let bold = Style(attributes: .bold)
    static let arrival = Style(foreground: .green, attributes: .bold)
    static let star = Style(foreground: .yellow, attributes: .bold)
    static let address = Style(foreground: .cyan, attributes: .underline)
    static let error = Style(foreground: .red, attributes: .bold)
    static let live = Style(foreground: .green)
    static let held = Style(foreground: .magenta, attributes: .bold)
    static let key = Style(attributes: .bold)

    /// Each author keeps a colour.
    static func author(_ name: String) -> Style {
        let colors: [Color] = [.cyan, .magenta, .green]
        let sum = name.utf8.prefix(64).reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
        return Style(foreground: colors[sum % colors.count])
    }
}
