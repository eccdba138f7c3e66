/// A color of the terminal: its default, an index of the 256-color palette (0-15 are the theme's), or red,
/// green, and blue.
package enum Color: Hashable, Sendable {
    case standard
    case indexed(UInt8)
    /// 8 bits each, red in the highest.
    case rgb(UInt32)

    package static let red = Color.indexed(1)
    package static let white = Color.indexed(7)

    /// The nearest of the first 16 colors.
    package var reducedToSixteen: Color {
        guard let wanted = fixedComponents else { return self }
        let nearest = (0..<16).min { one, other in
            Self.distance(Self.components(of: one), wanted)
                < Self.distance(Self.components(of: other), wanted)
        }
        return .indexed(UInt8(nearest ?? 7))
    }

    /// The nearest of the colors that are the same on every terminal with 256.
    package var reducedToPalette: Color {
        guard case .rgb = self, let wanted = fixedComponents else { return self }
        let steps = wanted.map { component in
            Self.levels.indices.min {
                abs(Self.levels[$0] - component) < abs(Self.levels[$1] - component)
            } ?? 0
        }
        let cube = 16 + 36 * steps[0] + 6 * steps[1] + steps[2]
        let gray = 232 + max(0, min(23, (wanted.reduce(0, +) / 3 - 3) / 10))
        let isGray =
            Self.distance(Self.components(of: gray), wanted)
            < Self.distance(Self.components(of: cube), wanted)
        return .indexed(UInt8(isGray ? gray : cube))
    }

    /// Red, green, and blue, if they are the same on every terminal; nil for the colors of the user's theme.
    package var fixedComponents: [Int]? {
        switch self {
        case .rgb(let value): [16, 8, 0].map { Int(value >> $0 & 0xFF) }
        case .indexed(let index) where index > 15: Self.components(of: Int(index))
        default: nil
        }
    }

    /// Whether a background of this color is light (ITU-R BT.709, luma).
    package var isLight: Bool {
        guard let parts = fixedComponents else { return self == .white || self == .indexed(15) }
        return 2126 * parts[0] + 7152 * parts[1] + 722 * parts[2] > 10_000 * 127
    }

    private static let levels = [0, 95, 135, 175, 215, 255]

    /// Returns the RGB components in xterm's default palette: 16 colors, a cube of 6x6x6, 24 grays.
    private static func components(of index: Int) -> [Int] {
        switch index {
        case 7: return [229, 229, 229]
        case 8: return [127, 127, 127]
        case 0..<16:
            let level = index < 8 ? 205 : 255
            return (0..<3).map { index >> $0 & 1 == 1 ? level : 0 }
        case 16..<232:
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
