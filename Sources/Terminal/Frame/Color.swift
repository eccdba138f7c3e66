/// A color of the terminal: its default, or an index of the 256-color palette (0-15 are the theme's).
package enum Color: Hashable, Sendable {
    case standard
    case indexed(UInt8)

    package static let black = Color.indexed(0)
    package static let red = Color.indexed(1)
    package static let green = Color.indexed(2)
    package static let yellow = Color.indexed(3)
    package static let blue = Color.indexed(4)
    package static let magenta = Color.indexed(5)
    package static let cyan = Color.indexed(6)
    package static let white = Color.indexed(7)

    /// The nearest of the first 16 colors.
    package var reducedToSixteen: Color {
        guard case .indexed(let index) = self, index > 15 else { return self }
        let wanted = Self.components(of: Int(index))
        let nearest = (0..<16).min { one, other in
            Self.distance(Self.components(of: one), wanted)
                < Self.distance(Self.components(of: other), wanted)
        }
        return .indexed(UInt8(nearest ?? 7))
    }

    /// Red, green, and blue of an index above 15, the same on every terminal; nil for the colors of the
    /// user's theme.
    package var fixedComponents: [Int]? {
        guard case .indexed(let index) = self, index > 15 else { return nil }
        return Self.components(of: Int(index))
    }

    /// Returns the RGB components in xterm's default palette: 16 colors, a cube of 6x6x6, 24 grays.
    private static func components(of index: Int) -> [Int] {
        switch index {
        case 7: return [229, 229, 229]
        case 8: return [127, 127, 127]
        case 0..<16:
            let level = index < 8 ? 205 : 255
            return (0..<3).map { index >> $0 & 1 == 1 ? level : 0 }
        case 16..<232:
            let levels = [0, 95, 135, 175, 215, 255]
            let cube = index - 16
            return [levels[cube / 36], levels[cube / 6 % 6], levels[cube % 6]]
        default:
            return Array(repeating: 8 + 10 * (index - 232), count: 3)
        }
    }

    private static func distance(_ one: [Int], _ other: [Int]) -> Int {
        zip(one, other).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    }
}
