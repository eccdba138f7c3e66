import Platform

/// The name of a segment: a file with revisions of one machine, which is written once.
struct SegmentName: Hashable, Comparable, Sendable {
    let machine: UInt64
    /// The position among the machine's segments.
    let sequence: UInt32
    /// A random number: a machine whose state was restored does not replace its later segments.
    let salt: UInt32

    static let suffix = ".clips"

    init(machine: UInt64, sequence: UInt32) {
        (self.machine, self.sequence, salt) = (machine, sequence, UInt32.random(in: 0 ... .max))
    }

    /// Parses a name. A file with any other is none of the mirror's, such as a copy that a synchronizer made of a
    /// conflict.
    init?(_ text: String) {
        guard text.utf8.count == 40, text.hasSuffix(Self.suffix) else { return nil }
        let parts = text.dropLast(Self.suffix.count).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let machine = UInt64(parts[0], radix: 16),
            let sequence = UInt32(parts[1], radix: 16), let salt = UInt32(parts[2], radix: 16)
        else { return nil }
        (self.machine, self.sequence, self.salt) = (machine, sequence, salt)
        guard self.text == text else { return nil }
    }

    var text: String {
        machine.hexadecimal(digits: 16) + "-" + sequence.hexadecimal(digits: 8) + "-"
            + salt.hexadecimal(digits: 8) + Self.suffix
    }

    /// In the order in which their machine wrote them.
    static func < (left: Self, right: Self) -> Bool {
        (left.machine, left.sequence, left.salt) < (right.machine, right.sequence, right.salt)
    }
}

/// The key of a record: the keyed hash of ``RecordCipher/key(entity:uuid:)``.
struct RecordKey: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    init?(_ text: String) {
        let digits = text.utf8
        guard digits.count == 32, let high = UInt64(Substring(digits.prefix(16)), radix: 16),
            let low = UInt64(Substring(digits.suffix(16)), radix: 16)
        else { return nil }
        (self.high, self.low) = (high, low)
    }

    var text: String { high.hexadecimal(digits: 16) + low.hexadecimal(digits: 16) }
}
