/// The newest edit of each machine among those of one attribute that a machine had seen.
struct VersionVector: Hashable, Sendable {
    /// In ascending order of the machines, one for each.
    private(set) var clocks: [MirrorClock] = []

    init() {}
    init(_ clock: MirrorClock) { clocks = [clock] }

    var greatest: MirrorClock? { clocks.max() }

    /// Whether an edit was seen. Values that no history has are the same on all machines.
    func covers(_ clock: MirrorClock) -> Bool { has(clock) || isCopy(clock) }

    /// Whether an edit was seen, and not only a copy of the store in which it may be.
    func has(_ clock: MirrorClock) -> Bool {
        clocks.contains { $0.machine == clock.machine && $0 >= clock }
    }

    /// Whether an edit was seen, or is older than one that was.
    func isAfter(_ clock: MirrorClock) -> Bool { clocks.contains { $0 >= clock } || isCopy(clock) }

    private func isCopy(_ clock: MirrorClock) -> Bool {
        clock.milliseconds <= LocalTransaction.earlierTime && !clocks.isEmpty
    }

    mutating func insert(_ clock: MirrorClock) {
        let index = clocks.firstIndex { $0.machine >= clock.machine } ?? clocks.endIndex
        if index < clocks.endIndex, clocks[index].machine == clock.machine {
            clocks[index] = max(clocks[index], clock)
        } else {
            clocks.insert(clock, at: index)
        }
    }

    func joined(_ other: VersionVector) -> VersionVector {
        var all = self
        for clock in other.clocks { all.insert(clock) }
        return all
    }

    mutating func remove(_ machine: UInt64) { clocks.removeAll { $0.machine == machine } }
}

extension VersionVector: LosslessStringConvertible {
    /// The clocks, with spaces between them.
    var description: String { clocks.map(\.description).joined(separator: " ") }

    init?(_ description: String) {
        for word in description.split(separator: " ", omittingEmptySubsequences: false) {
            guard let clock = MirrorClock(String(word)) else { return nil }
            insert(clock)
        }
    }
}
