import Platform
import Terminal

/// The styles of the screen. None relies on color alone, so that NO_COLOR loses no information.
struct Theme: Hashable, Sendable {
    enum Choice: String, CaseIterable, Sendable {
        /// Selected by the background of the terminal.
        case auto
        case light, dark
        /// The terminal's own colors and a few of the first eight.
        case plain
    }

    /// A part of the screen. The authors of the program's own commands each have a color of their own.
    enum Role: Int, CaseIterable, Sendable {
        case title, unread, site, tag, muted, strong, heading, selection, unfocused, border, scrollbar
        case new, star, mark, match, link, note, error, live, warning, key, bar
        case appAuthor, cliAuthor, extensionAuthor, importAuthor, otherAuthors

        /// The names after `color` in the config file, in the order of the roles.
        static let names = [
            "title", "unread", "site", "tag", "muted", "strong", "heading", "selection", "unfocused",
            "border", "scrollbar", "new", "star", "mark", "match", "link", "note", "error", "live", "warning",
            "key", "bar", "author-app", "author-cli", "author-extension", "author-import", "author",
        ]

        init?(_ name: String) {
            guard let index = Self.names.firstIndex(of: name) else { return nil }
            self.init(rawValue: index)
        }
    }

    /// The styles of the roles, in their order.
    private var styles = Array(repeating: Style.plain, count: Role.names.count)

    /// Whether the theme is for a light background.
    private(set) var isLight = false

    /// - Parameters:
    ///   - background: The background that the terminal has reported.
    ///   - changes: The styles of the config file, by role.
    init(
        _ choice: Choice, _ colors: ColorCapability, background: Color? = nil,
        changes: [(role: Role, style: Style)] = []
    ) {
        isLight =
            switch choice {
            case .light: true
            case .dark, .plain: false
            case .auto: background?.isLight ?? Self.isLightByEnvironment
            }
        self[.strong] = Style(attributes: .bold)
        self[.note] = Style(attributes: .italic)
        for (role, style) in Palette.styles(choice, colors, isLight: isLight) + changes {
            self[role] = style
        }
        styles = styles.map(colors.adapted)
    }

    private(set) subscript(role: Role) -> Style {
        get { styles[role.rawValue] }
        set { styles[role.rawValue] = newValue }
    }

    /// Returns the style of an author, which depends on the name only.
    func author(_ name: String) -> Style {
        self[Role("author-\(name)") ?? .otherAuthors]
    }

    /// Returns the style of a key on a background.
    func key(on ground: Style) -> Style {
        Style(
            foreground: self[.key].foreground, background: ground.background,
            attributes: self[.key].attributes.union(ground.attributes))
    }

    /// COLORFGBG is `foreground;background`, indexes of the first 16 colors (rxvt(1), ENVIRONMENT).
    private static var isLightByEnvironment: Bool {
        let value = Environment.variable("COLORFGBG")?.split(separator: ";").last.flatMap { Int($0) }
        return value == 7 || value == 15
    }
}
