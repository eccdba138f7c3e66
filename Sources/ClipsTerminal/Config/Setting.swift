import Terminal

/// An option in the config file and after `:set`.
package enum Setting: String, CaseIterable, Sendable {
    case follow, wrap, relativenumber, mouse, theme, color

    package var values: [String] {
        switch self {
        case .follow, .wrap, .relativenumber, .mouse: ["on", "off"]
        case .theme: Theme.Choice.allCases.map(\.rawValue)
        case .color: ColorCapability.Choice.allCases.map(\.rawValue)
        }
    }

    var defaultValue: String {
        switch self {
        case .follow, .wrap, .mouse: "on"
        case .relativenumber: "off"
        case .theme, .color: "auto"
        }
    }
}
