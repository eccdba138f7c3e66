/// The time of an edit: the greatest clock of an attribute wins on every machine.
struct MirrorClock: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970, corrected by the relay's time, and above every clock that the machine had seen.
    var milliseconds: Int64
    var machine: UInt64
    /// The number of the transaction in the machine's history.
    var transaction: Int64

    static func < (left: MirrorClock, right: MirrorClock) -> Bool {
        (left.milliseconds, left.machine, left.transaction)
            < (right.milliseconds, right.machine, right.transaction)
    }
}

extension MirrorClock: LosslessStringConvertible {
    /// The text form: `1763800000000.a1b2c3d4.17`, with the machine in hexadecimal digits.
    var description: String { "\(milliseconds).\(String(machine, radix: 16)).\(transaction)" }

    init?(_ description: String) {
        let (point, bytes) = (UInt8(ascii: "."), description.utf8)
        guard let first = bytes.firstIndex(of: point), let last = bytes.lastIndex(of: point), first != last,
            let milliseconds = Int64(description[..<first]),
            let machine = UInt64(description[bytes.index(after: first)..<last], radix: 16),
            let transaction = Int64(description[bytes.index(after: last)...]),
            (0..<Self.limit).contains(milliseconds), transaction >= 0
        else { return nil }
        self.init(milliseconds: milliseconds, machine: machine, transaction: transaction)
    }

    /// Reached only by clocks that are forged: later edits then lose everywhere.
    fileprivate static let limit = Int64.max / 2
}

/// The origin of clocks of local edits: one transaction of this machine's history.
struct LocalTransaction: Sendable {
    /// The time of edits that no history has: the lowest one.
    static let unknownTime: Int64 = 1
    /// The time of edits that precede the mirror in the history of the store. Another machine may have a copy of the
    /// store with or without them.
    static let earlierTime: Int64 = 2
    /// The time of edits that no history has, of values that were sent before: no copy of the store explains them.
    static let lostTime: Int64 = 3

    let machine: UInt64
    let number: Int64
    let milliseconds: Int64

    /// Returns the clock of an edit that replaces an attribute with a clock, and follows the clock that a
    /// deletion saw; nil if the edit already has its clock, because a piece of the transaction is read again.
    func clock(after previous: MirrorClock?, seen: VersionVector?) -> MirrorClock? {
        if let previous, previous.machine == machine, previous.transaction == number { return nil }
        let deleted = seen?.greatest?.milliseconds
        // An object that returned is no copy of the deleted one, which the deletion would cover.
        let known = max(previous?.milliseconds ?? 0, deleted.map { max($0, Self.earlierTime) } ?? 0)
        return MirrorClock(
            milliseconds: min(max(milliseconds, known + 1), MirrorClock.limit - 1), machine: machine,
            transaction: number)
    }
}
