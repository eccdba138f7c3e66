/// An engine that seals records with a key that machines change.
package protocol KeyedEngine: MirrorEngine {
    /// Whether this machine changed the key since ``noteSealing()``, so that the records must be put again.
    var mustSeal: Bool { get }

    /// Notes that the store has the work of putting the records again.
    func noteSealing() throws(MirrorError)
}

extension MirrorEngine {
    package var keyed: (any KeyedEngine)? { self as? any KeyedEngine }
}

/// The record that ends programs of versions whose zones have one key: they know a lower version of its form.
package enum MirrorFormat {
    package static let entity = "MirrorZone"
    package static let uuid = "format"
    package static let record = RecordForm(entity: entity, uuid: uuid, state: RecordState()).bytes

    /// The record that connected machines receive after each change of the key.
    package static let notice = "key"
    package static let noticeRecord = RecordForm(entity: entity, uuid: notice, state: RecordState()).bytes
}
