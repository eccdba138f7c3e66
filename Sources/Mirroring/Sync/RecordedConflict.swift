import PersistentStore

/// A losing value, stored until it is restored or dismissed.
struct RecordedConflict: Sendable {
    private let object: String
    private let key: String
    private let attribute: String
    private let clock: MirrorClock
    private let isOwn: Bool
    private let value: RecordValue

    /// Unique, so that a replay is no second conflict.
    private var name: String { "\(object)/\(key)" }

    /// - Parameters:
    ///   - key: A key of ``RecordState/conflicts``.
    ///   - machine: This machine.
    init?(_ object: String, _ key: String, _ value: RecordValue, machine: UInt64) {
        let parts = key.split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2, let clock = MirrorClock(parts[1]) else { return nil }
        (self.object, self.key, self.value, attribute, self.clock) = (object, key, value, parts[0], clock)
        isOwn = clock.machine == machine
    }

    func save(in transaction: inout StoreTransaction) throws(StoreError) {
        try transaction.insert(
            MirrorNames.conflict,
            [
                "name": .text(name), "object": .text(object), "attribute": .text(attribute),
                "isOwn": .boolean(isOwn), "time": .integer(clock.milliseconds),
                "value": .blob(JSONText.bytes(of: value)),
            ])
    }
}
