import Glibc

/// How many colours the screen may use.
package enum ColorCapability: Int, Hashable, Sendable, Comparable {
    case none = 0
    case eight = 8
    case sixteen = 16
    case palette = 256

    /// What a person asks for.
    package enum Choice: String, Hashable, Sendable, CaseIterable {
        /// As many as the terminal has, none when NO_COLOR is set and not empty (no-color.org).
        case auto
        /// As many as the terminal has.
        case always
        case sixteen = "16"
        case never
    }

    init(_ choice: Choice, terminal count: Int) {
        let mostWanted: ColorCapability =
            switch choice {
            case .auto: Self.isNoColorSet ? .none : .palette
            case .always: .palette
            case .sixteen: .sixteen
            case .never: .none
            }
        let most = [ColorCapability.palette, .sixteen, .eight].first { count >= $0.rawValue } ?? .none
        self = min(most, mostWanted)
    }

    private static var isNoColorSet: Bool {
        getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    }

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

    /// The style as this many colours can show it. With eight, the bright ones are the bold ones.
    package func adapted(_ style: Style) -> Style {
        guard self != .palette else { return style }
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
        self == .none ? .standard : color.reducedToSixteen
    }
}
