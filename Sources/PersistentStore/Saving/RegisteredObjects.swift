/// The objects that a context has read or saved, and the permanent IDs of those that it has inserted.
///
/// Of every object, the version is known, for about two bytes, so that a change of it meets a conflict. The
/// values are retained only of the objects registered last, so that reading a large store does not copy it
/// into memory.
struct RegisteredObjects: Sendable {
    /// The number of objects that at least retain their values; at most twice as many do.
    static let capacity = 1000

    /// Two generations: when the first is full, it becomes the second, whose objects are discarded.
    private var recent: [ObjectID: StoredObject] = [:]
    private var older: [ObjectID: StoredObject] = [:]
    private var versions: [String: VersionTable] = [:]
    /// The first and the last of the versions that only this context saved, one after the other.
    private var ownVersions: [String: (first: VersionTable, last: VersionTable)] = [:]
    /// The permanent keys of inserted objects, by their temporary keys.
    private(set) var permanentKeys: [Int64: Int64] = [:]

    /// The known values of an object.
    subscript(id: ObjectID) -> StoredObject? { recent[id] ?? older[id] }

    func version(of id: ObjectID) -> Int64? { id.isPermanent ? versions[id.entity]?[id.key] : nil }

    func basis(of id: ObjectID) -> ChangeBasis { ChangeBasis(version: version(of: id), object: self[id]) }

    /// The basis of a change made on a state that was read here or elsewhere: the newest state, if the object
    /// has not changed since then, or only by this context.
    func basis(of id: ObjectID, readAs read: StoredObject) -> ChangeBasis {
        let own = ownVersions[id.entity].flatMap { own in
            own.last[id.key].map { ($0, own.first[id.key] ?? $0) }
        }
        guard let known = version(of: id),
            read.version == known || own.map({ $0 == known && ($1...$0).contains(read.version) }) ?? false
        else { return ChangeBasis(ofRecord: read) }
        if let object = self[id] { return ChangeBasis(object) }
        return read.version == known ? ChangeBasis(ofRecord: read) : ChangeBasis(version: known, object: nil)
    }

    /// The keys of all objects with a known version, by entity.
    var keys: [String: [Int64]] { versions.mapValues(\.keys) }

    func permanentID(_ id: ObjectID) -> ObjectID {
        guard !id.isPermanent, let key = permanentKeys[id.key] else { return id }
        return ObjectID(entity: id.entity, key: key, store: id.store)
    }

    /// Registers an object, unless a newer state is known: two reads may return in any order.
    mutating func register(_ object: StoredObject) {
        if let known = version(of: object.id), known > object.version { return }
        setVersion(object.version, of: object.id)
        older[object.id] = nil
        recent[object.id] = object
        guard recent.count > Self.capacity else { return }
        older = recent
        recent = [:]
    }

    /// Registers the version of an object, and discards its values if they have another version.
    mutating func register(version: Int64, of id: ObjectID) {
        if let known = self.version(of: id), known > version { return }
        setVersion(version, of: id)
        if self[id]?.version != version { discardValues(of: id) }
    }

    mutating func forget(_ id: ObjectID) {
        setVersion(nil, of: id)
        discardValues(of: id)
    }

    /// Forgets all objects. The permanent IDs remain, since a temporary ID is valid indefinitely.
    mutating func removeAll() { (recent, older, versions, ownVersions) = ([:], [:], [:], [:]) }

    /// Records that another writer deleted the object and reused its ID, so that its version means nothing. A
    /// change made on this state is a conflict, and any state read later replaces it.
    mutating func invalidate(_ id: ObjectID) {
        guard version(of: id) != nil else { return }
        setVersion(StoredObject.noVersion, of: id)
        guard let known = self[id] else { return }
        older[id] = nil
        recent[id] = StoredObject(
            id: id, version: StoredObject.noVersion, layout: known.layout, values: known.stored)
    }

    mutating func apply(_ outcome: SaveOutcome) {
        if !outcome.requestedID.isPermanent, outcome.id.isPermanent {
            permanentKeys[outcome.requestedID.key] = outcome.id.key
        }
        guard let object = outcome.object else { return forget(outcome.id) }
        // Another writer may have saved an object that this context has read and a rule of deletion changed.
        if outcome.isAction, version(of: outcome.id) != outcome.basis.version { return }
        if outcome.conflict == nil, let base = outcome.basis.version, base < object.version {
            extendOwnVersions(of: object.id, from: base, to: object.version)
        }
        register(object)
    }

    private mutating func extendOwnVersions(of id: ObjectID, from base: Int64, to version: Int64) {
        var own = ownVersions.removeValue(forKey: id.entity) ?? (VersionTable(), VersionTable())
        if own.last[id.key] != base { own.first[id.key] = base }
        own.last[id.key] = version
        ownVersions[id.entity] = own
    }

    private mutating func setVersion(_ version: Int64?, of id: ObjectID) {
        guard id.isPermanent else { return }
        versions[id.entity, default: VersionTable()][id.key] = version
    }

    private mutating func discardValues(of id: ObjectID) {
        recent[id] = nil
        older[id] = nil
    }
}

/// The versions of an entity's objects, one byte each where keys are dense and versions low.
struct VersionTable: Sendable {
    private static let pageBits: Int64 = 7
    private static let emptyPage = [UInt8](repeating: 0, count: 1 << pageBits)
    /// 0 stands for an unknown version, and the greatest value for one in `high`; the others for the version
    /// below them.
    private var pages: [Int64: [UInt8]] = [:]
    private var high: [Int64: Int64] = [:]

    subscript(key: Int64) -> Int64? {
        get {
            guard let byte = pages[key >> Self.pageBits]?[Self.index(of: key)], byte != 0 else { return nil }
            return byte == .max ? high[key] : Int64(byte) - 1
        }
        set {
            let isLow = newValue.map { (0..<Int64(UInt8.max) - 1).contains($0) } ?? true
            high[key] = isLow ? nil : newValue
            let byte = newValue.map { isLow ? UInt8($0) + 1 : .max } ?? 0
            pages[key >> Self.pageBits, default: Self.emptyPage][Self.index(of: key)] = byte
        }
    }

    /// The keys with a known version.
    var keys: [Int64] {
        pages.flatMap { page, bytes in
            bytes.indices.lazy.filter { bytes[$0] != 0 }.map { page << Self.pageBits | Int64($0) }
        }
    }

    private static func index(of key: Int64) -> Int { Int(key & (1 << pageBits - 1)) }
}
