/// The colors and attributes of a cell.
package struct Style: Hashable, Sendable {
    package struct Attributes: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let bold = Attributes(rawValue: 1)
        package static let dim = Attributes(rawValue: 2)
        package static let italic = Attributes(rawValue: 4)
        package static let underline = Attributes(rawValue: 8)
        package static let reverse = Attributes(rawValue: 16)
    }

    /// A plain integer, because thousands of cells are compared: 25 bits for each color, the attributes above
    /// them.
    private var bits: UInt64

    private static let colorBits: UInt64 = 25
    private static let mask: UInt64 = 1 << colorBits - 1

    package init(foreground: Color = .standard, background: Color = .standard, attributes: Attributes = []) {
        bits =
            foreground.bits | background.bits << Self.colorBits
            | UInt64(attributes.rawValue) << (2 * Self.colorBits)
    }

    package var foreground: Color {
        get { Color(bits: bits & Self.mask) }
        set { bits = bits & ~Self.mask | newValue.bits }
    }

    package var background: Color {
        get { Color(bits: bits >> Self.colorBits & Self.mask) }
        set { bits = bits & ~(Self.mask << Self.colorBits) | newValue.bits << Self.colorBits }
    }

    package var attributes: Attributes {
        get { Attributes(rawValue: UInt8(truncatingIfNeeded: bits >> (2 * Self.colorBits))) }
        set {
            bits =
                bits & (1 << (2 * Self.colorBits) - 1) | UInt64(newValue.rawValue) << (2 * Self.colorBits)
        }
    }

    package static let plain = Style()
}

extension Color {
    private static let rgbBit: UInt64 = 1 << 24

    fileprivate var bits: UInt64 {
        switch self {
        case .standard: 0
        case .indexed(let index): UInt64(index) + 1
        case .rgb(let value): Self.rgbBit | UInt64(value & 0xFFFFFF)
        }
    }

    fileprivate init(bits: UInt64) {
        self =
            bits == 0
            ? .standard
            : bits & Self.rgbBit == 0
                ? .indexed(UInt8(truncatingIfNeeded: bits - 1))
                : .rgb(UInt32(truncatingIfNeeded: bits & 0xFFFFFF))
    }
}
