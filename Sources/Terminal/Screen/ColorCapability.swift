import Platform

/// The number of colors that the screen may use.
package enum ColorCapability: Int, Hashable, Sendable, Comparable {
    case none = 0
    case eight = 8
    case sixteen = 16
    case palette = 256
    /// Red, green, and blue of 8 bits each.
    case direct = 0x100_0000

    /// The user's choice.
    package enum Choice: String, Hashable, Sendable, CaseIterable {
        /// All colors of the terminal; none if NO_COLOR is set and not empty (no-color.org).
        case auto
        /// All colors of the terminal.
        case always
        case direct = "truecolor"
        case palette = "256"
        case sixteen = "16"
        case never
    }

    init(_ choice: Choice, terminal count: Int) {
        let requested: ColorCapability =
            switch choice {
            case .auto: Environment.variable("NO_COLOR") == nil ? .direct : .none
            case .always, .direct: .direct
            case .palette: .palette
            case .sixteen: .sixteen
            case .never: .none
            }
        let supported = [ColorCapability.direct, .palette, .sixteen, .eight].first { count >= $0.rawValue }
        self = min(supported ?? .none, requested)
    }

    /// Whether the terminal shows all colors, which few descriptions in terminfo express; the variable is a
    /// convention of terminals (github.com/termstandard/colors).
    static var isDirectByEnvironment: Bool {
        ["truecolor", "24bit"].contains(Environment.variable("COLORTERM"))
    }

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

    /// Returns the style reduced to this many colors. With eight, bold replaces the bright colors.
    package func adapted(_ style: Style) -> Style {
        guard self != .direct else { return style }
        var style = style
        style.foreground = adapted(style.foreground)
        style.background = adapted(style.background)
        if self == .eight, case .indexed(let index) = style.foreground, index > 7 {
            style.foreground = .indexed(index - 8)
            style.attributes.insert(.bold)
        }
        if self == .eight, case .indexed(let index) = style.background, index > 7 {
            style.background = .indexed(index - 8)
        }
        return style
    }

    private func adapted(_ color: Color) -> Color {
        switch self {
        case .none: .standard
        case .eight, .sixteen: color.reducedToSixteen
        case .palette: color.reducedToPalette
        case .direct: color
        }
    }
}
