/// The keys of complete escape sequences: those of xterm, and different ones of rxvt and the Linux console.
///
/// Source: "XTerm Control Sequences" and rxvt's reference.
enum KeySequence {
    /// Returns the key for `ESC [ parameters final`.
    static func control(_ parameters: [UInt8], final: UInt8) -> Key {
        if parameters.first == UInt8(ascii: "<") {
            return sgrMouse(numbers(parameters.dropFirst()), isPress: final == UInt8(ascii: "M"))
        }
        guard parameters.allSatisfy({ (0x30..<0x3C).contains($0) && $0 != 0x3A }) else { return .unknown }
        let numbers = numbers(parameters[...])
        switch final {
        case UInt8(ascii: "~"): return key(numbered: numbers, rxvt: [])
        case UInt8(ascii: "$"): return key(numbered: numbers, rxvt: .shift)
        case UInt8(ascii: "^"): return key(numbered: numbers, rxvt: .control)
        case UInt8(ascii: "@"): return key(numbered: numbers, rxvt: [.control, .shift])
        case UInt8(ascii: "Z"): return numbers.count < 2 ? .backTab : .unknown
        default:
            guard numbers.count < 3, numbers.first ?? 1 == 1, let key = cursorKey(final) else {
                return .unknown
            }
            return modified(key, by: numbers.dropFirst().first)
        }
    }

    /// Returns the key for `ESC O final`, with an old form of modifiers before the final byte.
    static func singleShift(_ parameters: [UInt8], final: UInt8) -> Key {
        let modifier = numbers(parameters[...]).first
        if let key = cursorKey(final) { return modified(key, by: modifier) }
        switch final {
        case UInt8(ascii: "M"): return .enter
        case UInt8(ascii: "X"): return .character("=")
        case 0x6A...0x79: return .character(Character(Unicode.Scalar(final - 0x40)))
        default: return .unknown
        }
    }

    /// Returns the key for the three bytes after `ESC [ M`: button, column, and row, each above 32.
    static func x10Mouse(_ bytes: [UInt8]) -> Key {
        sgrMouse(
            [Int(bytes[0]) - 32, Int(bytes[1]) - 32, Int(bytes[2]) - 32], isPress: Int(bytes[0]) - 32 & 3 != 3
        )
    }

    private static func sgrMouse(_ numbers: [Int], isPress: Bool) -> Key {
        guard numbers.count == 3, numbers[1] > 0, numbers[2] > 0, isPress else { return .unknown }
        let position = Position(row: numbers[2] - 1, column: numbers[1] - 1)
        switch numbers[0] & ~0b11100 {  // without the bits of Shift, Alt, and Control
        case 0: return .mouse(.press, position)
        case 64: return .mouse(.wheelUp, position)
        case 65: return .mouse(.wheelDown, position)
        default: return .unknown
        }
    }

    private static func numbers(_ parameters: ArraySlice<UInt8>) -> [Int] {
        guard !parameters.isEmpty else { return [] }
        return parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
            Int(String(decoding: $0, as: UTF8.self)) ?? 0
        }
    }

    private static func cursorKey(_ final: UInt8) -> Key? {
        switch final {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case 0x50...0x53: .function(Int(final) - 0x4F)
        default: nil
        }
    }

    private static func key(numbered numbers: [Int], rxvt modifiers: Key.Modifiers) -> Key {
        guard let number = numbers.first, numbers.count < 3 else { return .unknown }
        let key: Key
        switch number {
        case 1, 7: key = .home
        case 2: key = .insert
        case 3: key = .delete
        case 4, 8: key = .end
        case 5: key = .pageUp
        case 6: key = .pageDown
        case 11...15: key = .function(number - 10)
        case 17...21: key = .function(number - 11)
        case 23...26: key = .function(number - 12)
        case 28, 29: key = .function(number - 13)
        case 31...34: key = .function(number - 14)
        default: return .unknown
        }
        return modified(Key(key, modifiers), by: numbers.dropFirst().first)
    }

    /// Adds modifiers; the number is one more than the sum of Shift 1, Alt 2, Control 4, Meta 8.
    private static func modified(_ key: Key, by number: Int?) -> Key {
        guard let number, number > 1, number <= 16 else { return key }
        return Key(key, Key.Modifiers(rawValue: UInt8(number - 1) & 7))
    }
}
