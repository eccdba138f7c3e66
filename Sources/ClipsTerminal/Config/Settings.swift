import Terminal

/// The options in effect, and the theme they give.
struct Settings: Sendable {
    var config: ConfigFile
    var isMouseOn: Bool
    private(set) var theme: Theme
    private var colors: ColorCapability

    init(config: ConfigFile, colors: ColorCapability) {
        self.config = config
        self.colors = colors
        theme = Theme(config.theme, colors)
        isMouseOn = config.usesMouse
    }

    mutating func setColors(_ colors: ColorCapability) {
        self.colors = colors
        theme = Theme(config.theme, colors)
    }

    /// Applies changed options, and returns whether the mouse was switched.
    mutating func update() -> Bool {
        theme = Theme(config.theme, colors)
        defer { isMouseOn = config.usesMouse }
        return isMouseOn != config.usesMouse
    }
}
