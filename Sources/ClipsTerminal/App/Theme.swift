import Platform
import Terminal

/// The styles of the screen. None relies on color alone, so that NO_COLOR loses no information.
struct Theme: Hashable, Sendable {
    enum Choice: String, CaseIterable, Sendable {
        /// Selected by COLORFGBG, or else legible on light and dark.
        case auto
        case light, dark
        /// The terminal's own colors and a few of the first eight.
        case plain
    }

    var heading = Style(attributes: [.bold, .underline])
    var selection = Style(attributes: .reverse)
    var unfocusedSelection = Style(attributes: [.bold, .underline])
    var dim = Style(attributes: .dim)
    var bold = Style(attributes: .bold)
    var italic = Style(attributes: .italic)
    var arrival = Style(foreground: .green, attributes: .bold)
    var star = Style(foreground: .yellow, attributes: .bold)
    var mark = Style(foreground: .magenta, attributes: .bold)
    var match = Style(attributes: [.bold, .underline])
    var url = Style(foreground: .cyan, attributes: .underline)
    var error = Style(foreground: .red, attributes: .bold)
    var live = Style(foreground: .green)
    var held = Style(foreground: .magenta, attributes: .bold)
    var key = Style(attributes: .bold)
    var border = Style(attributes: .dim)
    private var authors: [Color] = [.cyan, .magenta, .green]

    /// Whether the theme is for a light background.
    private(set) var isLight = false

    private init() {}

    init(_ choice: Choice, _ colors: ColorCapability) {
        self.init()
        var choice = choice
        if choice == .auto { choice = Self.background ?? .plain }
        switch (choice, colors) {
        case (.plain, _), (.auto, _), (_, .none), (_, .eight): break
        case (.dark, .palette):
            self = Theme(
                Palette(
                    ink: 252, paper: 236, faint: 245, line: 240, selected: (231, 24), aside: 238, green: 114,
                    yellow: 221, orange: 215, cyan: 80, red: 203, magenta: 176, blue: 111))
        case (.light, .palette):
            self = Theme(
                Palette(
                    ink: 236, paper: 254, faint: 243, line: 250, selected: (232, 153), aside: 254, green: 28,
                    yellow: 136, orange: 130, cyan: 30, red: 160, magenta: 90, blue: 26))
        case (.dark, .sixteen): useBright([10, 11, 14, 9, 13, 12])
        case (.light, .sixteen): useBright([2, 5, 4, 1, 5, 4])
        }
        isLight = choice == .light
    }

    /// Colors of the 256, by purpose.
    private struct Palette {
        let ink, paper, faint, line: UInt8
        let selected: (ink: UInt8, paper: UInt8)
        let aside, green, yellow, orange, cyan, red, magenta, blue: UInt8
    }

    private init(_ palette: Palette) {
        func ink(_ index: UInt8, _ attributes: Style.Attributes = []) -> Style {
            Style(foreground: .indexed(index), attributes: attributes)
        }
        heading = Style(
            foreground: .indexed(palette.ink), background: .indexed(palette.paper), attributes: .bold)
        selection = Style(
            foreground: .indexed(palette.selected.ink), background: .indexed(palette.selected.paper),
            attributes: .bold)
        unfocusedSelection = Style(background: .indexed(palette.aside), attributes: .bold)
        (dim, border) = (ink(palette.faint), ink(palette.line))
        (arrival, live) = (ink(palette.green, .bold), ink(palette.green))
        (star, mark) = (ink(palette.yellow, .bold), ink(palette.orange, .bold))
        match = ink(palette.orange, [.bold, .underline])
        url = ink(palette.cyan, .underline)
        error = ink(palette.red, .bold)
        held = ink(palette.magenta, .bold)
        key = ink(palette.blue, .bold)
        authors = [
            palette.cyan, palette.magenta, palette.green, palette.orange, palette.blue, palette.yellow,
        ]
        .map { .indexed($0) }
    }

    /// Sets the colors for green, yellow, cyan, red, magenta, and blue.
    private mutating func useBright(_ indexes: [UInt8]) {
        let colors = indexes.map { Color.indexed($0) }
        (arrival.foreground, live.foreground) = (colors[0], colors[0])
        (star.foreground, url.foreground) = (colors[1], colors[2])
        (error.foreground, held.foreground, mark.foreground) = (colors[3], colors[4], colors[4])
        key.foreground = colors[5]
        authors = [colors[2], colors[4], colors[0], colors[5]]
    }

    /// Returns the style of an author, which depends on the name only.
    func author(_ name: String) -> Style {
        let sum = name.utf8.prefix(64).reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
        return Style(foreground: authors[sum % authors.count])
    }

    /// COLORFGBG is `foreground;background`, indexes of the first 16 colors (rxvt(1), ENVIRONMENT).
    private static var background: Choice? {
        guard let value = Environment.variable("COLORFGBG"),
            let index = value.split(separator: ";").last.flatMap({ Int($0) })
        else { return nil }
        return index == 7 || index == 15 ? .light : .dark
    }
}
