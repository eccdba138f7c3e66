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

    var title = Style.plain
    var unread = Style.plain
    var site = Style.plain
    var tag = Style.plain
    var muted = Style.plain
    var strong = Style(attributes: .bold)
    var heading = Style.plain
    var selection = Style.plain
    var unfocused = Style.plain
    var border = Style.plain
    var scrollbar = Style.plain
    var new = Style.plain
    var star = Style.plain
    var mark = Style.plain
    var match = Style.plain
    var link = Style.plain
    var note = Style(attributes: .italic)
    var error = Style.plain
    var live = Style.plain
    var warning = Style.plain
    var key = Style.plain
    var bar = Style.plain
    // The authors of the program's own commands, each with its own color.
    private var appAuthor = Style.plain
    private var cliAuthor = Style.plain
    private var extensionAuthor = Style.plain
    private var importAuthor = Style.plain
    private var otherAuthors = Style.plain

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
        for (role, style) in Palette.styles(choice, colors, isLight: isLight) + changes {
            self[keyPath: role.path] = style
        }
        for role in Role.all { self[keyPath: role.path] = colors.adapted(self[keyPath: role.path]) }
    }

    /// Returns the style of an author, which depends on the name only.
    func author(_ name: String) -> Style {
        switch name {
        case "app": appAuthor
        case "cli": cliAuthor
        case "extension": extensionAuthor
        case "import": importAuthor
        default: otherAuthors
        }
    }

    /// Returns the style of a key on a background.
    func key(on ground: Style) -> Style {
        Style(
            foreground: key.foreground, background: ground.background,
            attributes: key.attributes.union(ground.attributes))
    }

    /// COLORFGBG is `foreground;background`, indexes of the first 16 colors (rxvt(1), ENVIRONMENT).
    private static var isLightByEnvironment: Bool {
        let value = Environment.variable("COLORFGBG")?.split(separator: ";").last.flatMap { Int($0) }
        return value == 7 || value == 15
    }

    /// A style that `color` in the config file can change.
    struct Role: Sendable {
        let name: String
        let path: any WritableKeyPath<Theme, Style> & Sendable

        init?(_ name: String) {
            guard let role = Self.all.first(where: { $0.name == name }) else { return nil }
            self = role
        }

        private init(_ name: String, _ path: any WritableKeyPath<Theme, Style> & Sendable) {
            (self.name, self.path) = (name, path)
        }

        static let all: [Role] = [
            Role("title", \.title), Role("unread", \.unread), Role("site", \.site), Role("tag", \.tag),
            Role("muted", \.muted), Role("strong", \.strong), Role("heading", \.heading),
            Role("selection", \.selection), Role("unfocused", \.unfocused),
            Role("border", \.border), Role("scrollbar", \.scrollbar), Role("new", \.new),
            Role("star", \.star), Role("mark", \.mark), Role("match", \.match), Role("link", \.link),
            Role("note", \.note), Role("error", \.error), Role("live", \.live), Role("warning", \.warning),
            Role("key", \.key), Role("bar", \.bar), Role("author-app", \.appAuthor),
            Role("author-cli", \.cliAuthor), Role("author-extension", \.extensionAuthor),
            Role("author-import", \.importAuthor), Role("author", \.otherAuthors),
        ]
    }
}
