/// A decoder from a terminal's bytes to keys, regardless of their division into reads.
///
/// Discards an unknown sequence as a whole, because the rest of it must not run commands.
package struct KeyDecoder: Sendable {
    enum State: Equatable {
        case ground, utf8, escape, csi, ss3, linuxFunction, x10Mouse, paste
        case string(introducer: UInt8, isEmpty: Bool)
        case stringEscape(introducer: UInt8)
    }

    /// The limit of a paste in bytes; a longer one is cut, and ``Key/pasteCut(bytes:)`` follows.
    package static let longestPaste = 1 << 20

    private(set) var state = State.ground
    private var hasAlt = false
    /// The bytes of an incomplete sequence or character; at most `longestSequence`.
    private var pending: [UInt8] = []
    private var keys: [Key] = []
    private var pasted = PasteBuffer(limit: longestPaste)
    /// The terminal's answers, in addition to ``Key/unknown``; the caller removes them.
    package var reports: [TerminalReport] = []
    /// Whether an answer is expected: then the rest of a sequence may arrive as late as a line delays it.
    package var expectsReport = false

    private static let longestSequence = 64

    package init() {}

    package mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
        for byte in bytes { step(byte) }
        defer { keys = [] }
        return keys
    }

    /// The milliseconds without input after which the pending bytes are complete; call `flush` then.
    package var patience: Int? {
        switch state {
        case .ground, .utf8: nil
        case .escape where expectsReport, .string where expectsReport, .csi where expectsReport: 1_000
        case .escape, .string(_, isEmpty: true): 25
        case .csi where pending.isEmpty, .ss3 where pending.isEmpty: 25
        case .paste: 5_000
        default: 1_000
        }
    }

    /// Decodes the pending bytes as complete: a single ESC is the Escape key.
    package mutating func flush() -> [Key] {
        switch state {
        case .ground, .utf8: return []
        case .escape: end(with: .escape)
        case .csi where pending.isEmpty: end(with: Key(.character("["), .alt))
        case .ss3 where pending.isEmpty: end(with: Key(.character("O"), .alt))
        case .string(let introducer, isEmpty: true):
            end(with: Key(.character(Character(Unicode.Scalar(introducer))), .alt))
        case .paste: endPaste()
        default: end(with: .unknown)
        }
        defer { keys = [] }
        return keys
    }

    private mutating func step(_ byte: UInt8) {
        switch state {
        case .ground: begin(byte)
        case .utf8: continueCharacter(byte)
        case .escape: continueEscape(byte)
        case .csi: continueControlSequence(byte)
        case .ss3: continueSingleShift(byte)
        case .linuxFunction: end(with: (0x41...0x45).contains(byte) ? .function(Int(byte) - 0x40) : .unknown)
        case .x10Mouse:
            pending.append(byte)
            if pending.count == 3 { end(with: KeySequence.x10Mouse(pending)) }
        case .string(let introducer, _):
            switch byte {
            case 0x1B: state = .stringEscape(introducer: introducer)
            case 0x07: endString(introducer)
            case 0x18, 0x1A: end(with: .unknown)
            default:
                if pending.count < Self.longestSequence { pending.append(byte) }
                state = .string(introducer: introducer, isEmpty: false)
            }
        case .stringEscape(let introducer):
            if byte == 0x5C {
                endString(introducer)
            } else {
                end(with: .unknown)
                state = .escape
                continueEscape(byte)
            }
        case .paste:
            if pasted.append(byte) { endPaste() }
        }
    }

    private mutating func end(with key: Key) {
        keys.append(hasAlt ? Key(key, .alt) : key)
        hasAlt = false
        pending = []
        state = .ground
    }

    private mutating func endPaste() {
        let (text, dropped) = pasted.finish()
        end(with: .paste(text))
        if dropped > 0 { keys.append(.pasteCut(bytes: dropped)) }
    }

    private mutating func endString(_ introducer: UInt8) {
        if introducer == UInt8(ascii: "]"), let report = TerminalReport(operatingSystemCommand: pending) {
            reports.append(report)
        }
        end(with: .unknown)
    }

    private mutating func begin(_ byte: UInt8) {
        switch byte {
        case 0x1B: state = .escape
        case 0x7F: end(with: .backspace)
        case 0..<0x20: end(with: Key(controlByte: byte))
        case 0x20..<0x7F: end(with: .character(Character(Unicode.Scalar(byte))))
        case 0xC2...0xF4:
            pending = [byte]
            state = .utf8
        default: end(with: .unknown)
        }
    }

    /// Accepts only the bytes of table 3-7 of the Unicode standard: no overlong forms, no surrogates.
    private mutating func continueCharacter(_ byte: UInt8) {
        let lead = pending[0]
        var allowed: ClosedRange<UInt8> = 0x80...0xBF
        if pending.count == 1 {
            switch lead {
            case 0xE0: allowed = 0xA0...0xBF
            case 0xED: allowed = 0x80...0x9F
            case 0xF0: allowed = 0x90...0xBF
            case 0xF4: allowed = 0x80...0x8F
            default: break
            }
        }
        guard allowed.contains(byte) else {
            end(with: .unknown)
            return step(byte)
        }
        pending.append(byte)
        guard pending.count == (lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4) else { return }
        let character = String(decoding: pending, as: UTF8.self).first
        let isControl = lead == 0xC2 && byte < 0xA0
        end(with: isControl ? .unknown : character.map { .character($0) } ?? .unknown)
    }

    private mutating func continueEscape(_ byte: UInt8) {
        switch byte {
        case 0x1B: keys.append(.escape)
        case 0x5B: state = .csi
        case 0x4F: state = .ss3
        case 0x50, 0x58, 0x5D, 0x5E, 0x5F: state = .string(introducer: byte, isEmpty: true)
        default:
            hasAlt = true
            begin(byte)
        }
    }

    private mutating func continueControlSequence(_ byte: UInt8) {
        switch byte {
        case 0x5B where pending.isEmpty: state = .linuxFunction
        case 0x4D where pending.isEmpty: state = .x10Mouse
        case 0x7E where pending == [0x32, 0x30, 0x30]:
            pending = []
            state = .paste
        case 0x24 where pending.count == 1: end(with: KeySequence.control(pending, final: byte))
        case 0x20..<0x40:
            if pending.count < Self.longestSequence { pending.append(byte) }
        case 0x63 where pending.first == 0x3F:
            reports.append(.attributes)
            end(with: .unknown)
        case 0x40..<0x7F:
            let isCut = pending.count == Self.longestSequence
            end(with: isCut ? .unknown : KeySequence.control(pending, final: byte))
        case 0x18, 0x1A: end(with: .unknown)
        default:
            end(with: .unknown)
            step(byte)
        }
    }

    private mutating func continueSingleShift(_ byte: UInt8) {
        switch byte {
        case 0x30..<0x3A where pending.count < 2: pending.append(byte)
        case 0x20..<0x7F: end(with: KeySequence.singleShift(pending, final: byte))
        default:
            end(with: .unknown)
            step(byte)
        }
    }
}
