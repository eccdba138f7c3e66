import PersistentStore

/// One row of the record map: the state of a record, and the revision of it that the machine has read.
struct MapRow: Sendable {
    /// Whether the record must be put, or read, or waits for the user.
    enum Waiting: Int64 {
        case none
        case toPut
        /// The relay accepts fewer bytes; put again after the next edit.
        case tooLarge
        /// A revision that is received in parts; the row is named by the key, since the record is unknown.
        case toRead
        /// Deleted by another machine, which waits for the user's answer; the state is that before.
        case held
        /// The progress of ``Mirror/sealSome()``: the last record that was put again.
        case toSeal

        init(_ object: StoredObject) {
            self = Waiting(rawValue: object["waiting"].integerValue ?? 0) ?? .toPut
        }
    }

    /// The rows that wait in a way, at the cost of the waiting rows alone: edits of records that the relay has before
    /// new ones, and the newest of these first.
    static func request(_ waiting: Waiting, limit: Int? = nil) -> FetchRequest {
        let isWaiting = ObjectPredicate.compare("waiting", .notEqual, 0)
        return FetchRequest(
            MirrorNames.record, where: .and([isWaiting, .equal("waiting", .integer(waiting.rawValue))]),
            sort: [SortKey("revision", isAscending: false), SortKey("id", isAscending: false)], limit: limit)
    }

    /// Whether a row was not changed since this one was read.
    func isSame(as other: MapRow?) -> Bool { other?.id == id && other?.version == version }

    let name: String
    private(set) var id: ObjectID?
    private var version: Int64 = 0
    var revision: Int64 = 0
    var stamp: Int64 = 0
    var waiting = Waiting.none
    var state = RecordState() { didSet { encoded = nil } }
    private var encoded: [UInt8]?
    var isChanged = false

    static func name(_ entity: String, _ uuid: String) -> String { "\(entity)/\(uuid)" }

    /// Whether the row is part of the mirror's own state.
    var isRecord: Bool { ![MirrorNames.deferred, MirrorNames.sealing, MirrorNames.older].contains(entity) }

    var entity: String { String(name.utf8.prefix { $0 != UInt8(ascii: "/") }) ?? "" }
    var uuid: String { String(name.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst()) ?? "" }
    var form: RecordForm { RecordForm(entity: entity, uuid: uuid, state: state) }

    init(name: String) { self.name = name }

    init(_ object: StoredObject) {
        var texts = StateTexts()
        self.init(object, &texts)
    }

    /// Creates a row from its object. A damaged state is that of an unknown record.
    private init(_ object: StoredObject, _ texts: inout StateTexts) {
        name = object["name"].textValue ?? ""
        id = object.id
        version = object.version
        revision = object["revision"].integerValue ?? 0
        stamp = object["stamp"].integerValue ?? 0
        waiting = Waiting(object)
        if let bytes = object["state"].blobValue, let known = texts.state(of: form, in: bytes) {
            state = known
        }
    }

    static func rows(of objects: some Sequence<StoredObject>) -> [MapRow] {
        var texts = StateTexts()
        return objects.map { MapRow($0, &texts) }
    }

    private func values(withState: Bool) -> [String: AttributeValue] {
        var values: [String: AttributeValue] = [
            "revision": .integer(revision), "stamp": .integer(stamp), "waiting": .integer(waiting.rawValue),
        ]
        if withState { values["state"] = .blob(encoded ?? form.bytes) }
        return values
    }

    /// Encodes the state before the row is saved, so that no other writer waits for it.
    mutating func encode(_ texts: inout StateTexts) { encoded = texts.bytes(of: form) }

    /// Releases the state and its encoding, for a row whose answer is saved without them.
    mutating func discardState() { state = RecordState() }

    /// Saves the row.
    ///
    /// - Throws: ``StoreError/conflict(_:)`` if it was changed since it was read.
    func save(in transaction: inout StoreTransaction, withState: Bool = true) throws(StoreError) {
        var values = values(withState: withState)
        if let id {
            guard try !transaction.set(values, of: id, onVersion: version) else { return }
            try transaction.update(id, values, onVersion: version)
        } else {
            values["name"] = .text(name)
            try transaction.insert(MirrorNames.record, values)
        }
    }

    /// Saves the results of puts. The state of a row may have changed since it was read: then it still waits.
    static func saveAnswers(_ rows: [MapRow], in transaction: inout StoreTransaction) throws(StoreError) {
        for row in rows {
            guard let id = row.id else { continue }
            var values = row.values(withState: false)
            guard try !transaction.set(values, of: id, onVersion: row.version) else { continue }
            values["waiting"] = nil
            try transaction.set(values, of: id)
        }
    }

    func remove(in transaction: inout StoreTransaction) throws(StoreError) {
        if let id { try transaction.delete(id, onVersion: version) }
    }
}

extension StoreSnapshot {
    /// Returns the rows of records by name.
    func mapRows(_ names: some Sequence<String>) throws(StoreError) -> [String: MapRow] {
        let request = FetchRequest(
            MirrorNames.record, where: .isOneOf("name", names.map(AttributeValue.text)))
        let rows = MapRow.rows(of: try fetch(request))
        return Dictionary(rows.map { ($0.name, $0) }) { $1 }
    }

    /// Returns the rows of revisions that are received in parts, one for each key.
    func deferredRows(_ revisions: [MirrorRevision]) throws(StoreError) -> [MapRow] {
        guard !revisions.isEmpty else { return [] }
        let named = revisions.map { (MapRow.name(MirrorNames.deferred, $0.key), $0) }
        var rows = try mapRows(named.map(\.0))
        for (name, revision) in named {
            var row = rows[name] ?? MapRow(name: name)
            (row.revision, row.stamp, row.waiting) = (revision.number, revision.stamp, .toRead)
            rows[name] = row
        }
        return Array(rows.values)
    }

    /// Returns the objects of records by the records' names.
    func objects(
        of records: some Sequence<(entity: String, uuid: String)>, _ configuration: MirrorConfiguration
    ) throws(StoreError) -> [String: StoredObject] {
        var objects: [String: StoredObject] = [:]
        for (entity, records) in Dictionary(grouping: records, by: \.entity) {
            guard let mirrored = configuration.entity(entity) else { continue }
            let request = FetchRequest(
                entity, where: .isOneOf(mirrored.identifier, records.map { .text($0.uuid) }))
            for object in try fetch(request) {
                objects[MapRow.name(entity, object[mirrored.identifier].textValue ?? "")] = object
            }
        }
        return objects
    }

    /// Returns the consumer of a detached mirror with another zone.
    func formerMirror(of name: String) throws(StoreError) -> ConsumerStatus? {
        try consumers().first {
            $0.author == MirrorConfiguration.author && $0.retention == .withinBounds && $0.name != name
                && !$0.isTransient
        }
    }

    /// Returns the objects that changes after a position, other than imports, touched.
    func objectsChanged(after token: HistoryToken) throws(StoreError) -> Set<ObjectID> {
        try objectIDs(
            HistoryFetchRequest(.after(token), where: .not(.author(MirrorConfiguration.author))))
    }
}
