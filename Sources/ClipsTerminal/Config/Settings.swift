import Terminal

/// The options in effect, and the theme they give.
struct Settings: Sendable {
    var config: ConfigFile { didSet { columns = config.columns } }
    /// The columns of the list, which each frame needs.
    private(set) var columns: [ListColumns.Name]
    var isMouseOn: Bool
    private(set) var theme: Theme
    var colors: ColorCapability { didSet { updateTheme() } }
    /// The background that the terminal has reported.
    var background: Color? { didSet { updateTheme() } }

    init(config: ConfigFile, colors: ColorCapability) {
        self.config = config
        columns = config.columns
        self.colors = colors
        theme = Theme(config.theme, colors, changes: config.styles)
        isMouseOn = config.usesMouse
    }

    /// Whether the theme depends on the background.
    var dependsOnBackground: Bool { config.theme == .auto && colors != .none }

    /// Applies changed options, and returns whether the mouse was switched.
    mutating func update() -> Bool {
        updateTheme()
        defer { isMouseOn = config.usesMouse }
        return isMouseOn != config.usesMouse
    }

    private mutating func updateTheme() {
        theme = Theme(config.theme, colors, background: background, changes: config.styles)
    }
}
