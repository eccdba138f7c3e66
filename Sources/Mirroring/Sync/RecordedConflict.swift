import PersistentStore

/// A losing value, stored until it is restored or dismissed.
struct RecordedConflict: Sendable {
    let object: String
    let attribute: String
    let clock: MirrorClock
    let isOwn: Bool
    let value: RecordValue

    /// Unique, so that a replay is no second conflict.
    var name: String { "\(object)/\(attribute)/\(clock)" }

    func save(in context: StoreContext) async throws(StoreError) {
        try await context.insert(
            MirrorNames.conflict,
            [
                "name": .text(name), "object": .text(object), "attribute": .text(attribute),
                "isOwn": .boolean(isOwn), "time": .integer(clock.milliseconds),
                "value": .blob(JSONText.bytes(of: value)),
            ])
    }
}
