/// A key press, a paste, or a mouse action.
package indirect enum Key: Hashable, Sendable {
    case character(Character)
    /// Control with a letter or sign; `" "` for Control and Space.
    case control(Character)
    case up, down, left, right
    case pageUp, pageDown, home, end
    case enter, tab, backTab, escape, backspace, delete, insert
    case function(Int)
    /// A key with modifiers that has no separate case, such as Alt and x.
    case modified(Modifiers, Key)
    /// Text, never commands. Line ends are `\n`; the text is otherwise unchanged.
    case paste(String)
    /// The number of bytes dropped at the end of the preceding paste.
    case pasteCut(bytes: Int)
    case mouse(MouseAction, Position)
    case resize
    /// An unknown sequence or bytes; discarded as a whole, never a command.
    case unknown

    package enum MouseAction: Hashable, Sendable, CaseIterable {
        case press, wheelUp, wheelDown
    }

    package struct Modifiers: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let shift = Modifiers(rawValue: 1)
        package static let alt = Modifiers(rawValue: 2)
        package static let control = Modifiers(rawValue: 4)
    }

    /// Creates the canonical form of a key with modifiers: Control and `i` is Tab, as terminals send it.
    package init(_ key: Key, _ modifiers: Modifiers) {
        if modifiers.isEmpty {
            self = key
        } else if modifiers.contains(.shift), key == .tab || key == .backTab {
            self.init(.backTab, modifiers.subtracting(.shift))
        } else if modifiers.contains(.control), let control = Key.controlling(key) {
            self.init(control, modifiers.subtracting(.control))
        } else if case .modified(let others, let inner) = key {
            self.init(inner, modifiers.union(others))
        } else {
            self = .modified(modifiers, key)
        }
    }

    private static func controlling(_ key: Key) -> Key? {
        guard case .character(let character) = key, let ascii = character.asciiValue else { return nil }
        switch ascii {
        case 0x20: return .control(" ")
        case 0x40...0x7E where ascii != 0x60 && ascii < 0x7B: return Key(controlByte: ascii & 0x1F)
        default: return nil
        }
    }

    /// Creates the key for a byte below 0x20.
    init(controlByte byte: UInt8) {
        switch byte {
        case 0x00: self = .control(" ")
        case 0x08: self = .backspace
        case 0x09: self = .tab
        case 0x0D: self = .enter
        case 0x1B: self = .escape
        case 0x01...0x1A: self = .control(Character(Unicode.Scalar(byte + 0x60)))
        default: self = .control(Character(Unicode.Scalar(byte + 0x40)))
        }
    }
}
