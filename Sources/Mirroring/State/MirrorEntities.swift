public import PersistentStore

/// The names of the mirror's own entities and attributes.
enum MirrorNames {
    static let zone = "MirrorZone"
    static let record = "MirrorRecord"
    static let conflict = "MirrorConflict"
    /// In the name of a row, with a key of the relay.
    static let deferred = "MirrorDeferred"
    /// In the names of rows that are no records, with a zone.
    static let sealing = "MirrorSealing"
    static let older = "MirrorOlder"
}

extension MirrorConfiguration {
    /// The entities in which a mirror stores its state, without history. Add them to the model of the store.
    public static let entities: [EntityDescription] = [
        EntityDescription(
            MirrorNames.zone,
            attributes: MirrorZone.texts.map { AttributeDescription($0, .text, defaultValue: .value("")) }
                + MirrorZone.numbers.map { AttributeDescription($0, .integer, defaultValue: .value(0)) },
            tracksHistory: false),
        EntityDescription(
            MirrorNames.record,
            attributes: [
                AttributeDescription("name", .text, isUnique: true),
                AttributeDescription("revision", .integer),
                AttributeDescription("stamp", .integer),
                AttributeDescription("waiting", .integer, indexWhenTrue: "revision"),
                AttributeDescription("state", .blob),
            ], tracksHistory: false),
        EntityDescription(
            MirrorNames.conflict,
            attributes: [
                AttributeDescription("name", .text, isUnique: true),
                AttributeDescription("object", .text),
                AttributeDescription("attribute", .text),
                AttributeDescription("isOwn", .integer),
                AttributeDescription("time", .integer),
                AttributeDescription("value", .blob),
            ], tracksHistory: false),
    ]
}
