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

    /// A plain integer, because thousands of cells are compared: 9 bits for each color, the attributes above
    /// them.
    private var bits: UInt32

    package init(foreground: Color = .standard, background: Color = .standard, attributes: Attributes = []) {
        bits = foreground.bits | background.bits << 9 | UInt32(attributes.rawValue) << 18
    }

    package var foreground: Color {
        get { Color(bits: bits & 0x1FF) }
        set { bits = bits & ~0x1FF | newValue.bits }
    }

    package var background: Color {
        get { Color(bits: bits >> 9 & 0x1FF) }
        set { bits = bits & ~(0x1FF << 9) | newValue.bits << 9 }
    }

    package var attributes: Attributes {
        get { Attributes(rawValue: UInt8(truncatingIfNeeded: bits >> 18)) }
        set { bits = bits & 0x3FFFF | UInt32(newValue.rawValue) << 18 }
    }

    package static let plain = Style()
}

extension Color {
    fileprivate var bits: UInt32 {
        switch self {
        case .standard: 0
        case .indexed(let index): UInt32(index) + 1
        }
    }

    fileprivate init(bits: UInt32) {
        self = bits == 0 ? .standard : .indexed(UInt8(truncatingIfNeeded: bits - 1))
    }
}
