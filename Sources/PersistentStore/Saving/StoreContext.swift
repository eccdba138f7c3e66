import FoundationEssentials

/// A unit of work with an author.
///
/// The context collects changes until `save` commits them as one transaction under its author and name. It
/// registers the version of each object read through it, so that saving an object that another writer changed
/// since then is a conflict. It retains the values of the 1,000 objects or more that it read last, from which
/// a policy by property knows which side changed what.
public actor StoreContext {
    package nonisolated let author: String?
    public nonisolated let name: String?
    /// Distinguishes this context's transactions from those of another context with the same name, in any
    /// process.
    package nonisolated let session: Int64

    private nonisolated let reader: StoreReader
    nonisolated let writer: StoreWriter
    private let model: StoreModel
    private let storeID: UUID
    nonisolated let store: StoreDigest
    /// The handling of objects that another writer saved after they were read here.
    package private(set) var mergePolicy = MergePolicy.error
    private var registered = RegisteredObjects()
    private var pending = PendingChanges()
    /// The changes that the save in progress commits.
    private var saving = PendingChanges()
    package private(set) var isSaving = false
    /// The number of saves that have ended.
    private var endedSaves = 0
    private var waitingSaves: [CheckedContinuation<Void, Never>] = []

    init(
        author: String?, name: String?, reader: StoreReader, writer: StoreWriter, model: StoreModel,
        storeID: UUID, session: Int64 = Int64.random(in: 1...Int64.max)
    ) {
        (self.author, self.name) = (author, name)
        self.reader = reader
        self.writer = writer
        self.model = model
        self.storeID = storeID
        store = StoreDigest(storeID)
        self.session = session
    }

    public var hasChanges: Bool { !pending.isEmpty || !saving.isEmpty }

    /// Returns the objects of a request as they would be after a save, with this context's unsaved changes.
    ///
    /// The predicate and the order apply to the unsaved values; unsaved deletions are left out. A new object has its
    /// temporary ID, version 0, and sorts after the others where the order has no key; its attributes with the
    /// default ``AttributeDescription/Default/now`` or ``AttributeDescription/Default/uuid`` are null. While new
    /// objects of the entity are unsaved, saves of this context and such fetches wait for each other.
    ///
    /// - Complexity: Each unsaved change of the entity costs a statement.
    public func fetch<Row>(_ request: StoreRequest<Row>) async throws(StoreError) -> [Row] {
        let (objects, read) = try await readUnsaved(request.objects) {
            snapshot, request, unsaved throws(StoreError) in
            try snapshot.fetch(request, with: unsaved)
        }
        for object in read { registered.register(object) }
        return try request.rows.ofObjects(
            objects.compactMap { saving.overlay($0).flatMap(pending.overlay) })
    }

    /// Returns the number of objects or records that the condition and the bounds of a request admit, with this
    /// context's unsaved changes.
    public func count<Row>(_ request: StoreRequest<Row>) async throws(StoreError) -> Int {
        try await readUnsaved(request.objects) { snapshot, request, unsaved throws(StoreError) in
            try snapshot.count(request, with: unsaved)
        }
    }

    /// Reads a state of the store in which the same changes are unsaved as in this context.
    private func readUnsaved<Value: Sendable>(
        _ request: FetchRequest,
        _ body: @Sendable (borrowing StoreSnapshot, FetchRequest, UnsavedObjects) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        var request = request
        while true {
            request.predicate = model.translated(request, registered.permanentKeys)
            // A new object would appear twice if a save stored it before the read.
            let waits =
                request.onlyKeys == nil
                && (saving.inserts(into: request.entity) || pending.inserts(into: request.entity))
            if waits { await waitForTurn() }
            defer { if waits { endTurn() } }
            let (query, unsaved) = (request, UnsavedObjects(request, store, [saving, pending]))
            let saves = endedSaves
            let value = try await reader.read { snapshot throws(StoreError) in
                try body(snapshot, query, unsaved)
            }
            if saves == endedSaves { return value }
        }
    }

    /// Returns one object with all its attributes, or nil if it does not exist.
    public func object(_ id: ObjectID) async throws(StoreError) -> StoredObject? {
        let id = try own(id)
        guard id.isPermanent else {
            guard let entity = model.entity(id.entity) else { throw .unknownEntity(id.entity) }
            return UnsavedObjects(FetchRequest(id.entity), store, [saving, pending]).inserted(id, entity)
        }
        return try await fetch(FetchRequest(id.entity, where: .keys([id.key]))).first
    }

    /// Returns an object as this context last read or saved it, with its unsaved changes, without reading the
    /// store.
    ///
    /// - Returns: The object; nil if it will be deleted, or if the context does not know its values.
    public func registeredObject(for id: ObjectID) throws(StoreError) -> StoredObject? {
        registered[try own(id)].flatMap(saving.overlay).flatMap(pending.overlay)
    }

    /// Reads one object again. Its unsaved changes are then based on the new state, so that saving them is no
    /// conflict with earlier commits.
    ///
    /// - Parameters:
    ///   - id: The object.
    ///   - keepsChanges: Whether to retain the object's unsaved changes.
    /// - Returns: The object with its unsaved changes; nil if it does not exist or will be deleted.
    @discardableResult
    public func refresh(_ id: ObjectID, keepsChanges: Bool = true) async throws(StoreError) -> StoredObject? {
        await waitForTurn()
        defer { endTurn() }
        let id = try own(id)
        if !keepsChanges { pending.discard(id) }
        let request = FetchRequest(id.entity, where: .keys([id.key]))
        guard id.isPermanent,
            let object = try await reader.read({ snapshot throws(StoreError) in try snapshot.fetch(request) })
                .first
        else {
            registered.forget(id)
            return nil
        }
        registered.register(object)
        pending.rebase(id, on: registered.basis(of: id))
        return registered[id].flatMap(pending.overlay)
    }

    public func setMergePolicy(_ policy: MergePolicy) { mergePolicy = policy }

    /// Inserts an object at the next save.
    ///
    /// - Returns: A temporary ID, valid in this context indefinitely. The save returns the permanent ID,
    ///   which is valid everywhere.
    @discardableResult
    public func insert(_ entity: String, _ values: [String: AttributeValue]) throws(StoreError) -> ObjectID {
        try check(values, entity: entity)
        return pending.insert(entity, model.translated(values, of: entity, registered.permanentKeys), store)
    }

    /// Restores a deleted object under its ID at the next save. The save throws
    /// ``StoreError/constraint(reason:)`` if another writer has already restored it.
    package func restore(_ id: ObjectID, _ values: [String: AttributeValue]) throws(StoreError) {
        let id = try own(id)
        try check(values, entity: id.entity)
        pending.restore(id, values)
    }

    /// Restores a deleted object at the next save, under its ID, with the values that its tombstone retained.
    ///
    /// Other attributes get their defaults; retain those that must survive, with
    /// ``AttributeDescription/History-swift.enum/preservesValueOnDeletion``. The history records an insert,
    /// and the version is above every earlier one. The save throws ``StoreError/constraint(reason:)`` if the
    /// object exists because another writer restored it.
    ///
    /// - Parameter deletion: The change that deleted the object, regardless of its author.
    /// - Throws: ``StoreError/noTombstone(_:)`` if the change is not a deletion, or no value was retained.
    public func restore(_ deletion: HistoryChange) throws(StoreError) {
        let name = deletion.objectID.entity
        guard let entity = model.entity(name) else { throw .unknownEntity(name) }
        try restore(deletion.objectID, try entity.restorable(deletion))
    }

    /// Changes some attributes of an object at the next save; does nothing if the object will be deleted.
    public func update(_ id: ObjectID, _ changes: [String: AttributeValue]) throws(StoreError) {
        let id = try own(id)
        try check(changes, entity: id.entity)
        let known = registered[id]
        let real = changes.filter { name, value in
            known.map {
                !$0[name].isSame(as: value) || pending.changes(id, name) || saving.changes(id, name)
            } ?? true
        }
        update(id, real, on: registered.basis(of: id))
    }

    /// Changes an object for a change made on a version that was read elsewhere; nil applies it to any
    /// version.
    package func update(_ id: ObjectID, _ changes: [String: AttributeValue], onVersion version: Int64?)
        throws(StoreError)
    {
        let id = try own(id)
        try check(changes, entity: id.entity)
        let known = registered[id]
        update(
            id, changes,
            on: ChangeBasis(version: version, object: known?.version == version ? known : nil))
    }

    /// Changes an object for a change made on a state that was read here or elsewhere.
    func update(_ read: StoredObject, _ changes: [String: AttributeValue]) throws(StoreError) {
        let id = try own(read.id)
        try check(changes, entity: id.entity)
        update(id, changes, on: registered.basis(of: id, readAs: read))
    }

    /// Returns the state on which a change of an object is made, with this context's later changes; nil if it
    /// must be fetched first.
    func current(_ read: StoredObject) throws(StoreError) -> StoredObject? {
        registered.basis(of: try own(read.id), readAs: read).object.map { object in
            saving.overlay(object).flatMap(pending.overlay) ?? object
        }
    }

    private func update(_ id: ObjectID, _ changes: [String: AttributeValue], on basis: ChangeBasis) {
        if saving.deletes(id) { return }
        pending.update(id, model.translated(changes, of: id.entity, registered.permanentKeys), on: basis)
    }

    /// Deletes an object at the next save. Deleting a missing object is not an error.
    public func delete(_ id: ObjectID) throws(StoreError) {
        let id = try own(id)
        pending.delete(id, on: registered.basis(of: id))
    }

    /// Deletes an object for a deletion decided on a state that was read here or elsewhere.
    func delete(_ read: StoredObject) throws(StoreError) {
        let id = try own(read.id)
        pending.delete(id, on: registered.basis(of: id, readAs: read))
    }

    /// Commits all pending changes as one transaction, or none of them.
    ///
    /// Afterward, the context knows the saved objects without reading them. Changes made here during the save
    /// are pending for the next one.
    ///
    /// - Throws: ``StoreError/conflict(_:)`` with every object that another writer saved after it was read
    ///   here, if the merge policy does not resolve the conflicts. The pending changes remain; save them again
    ///   or roll back.
    @discardableResult
    public func save() async throws(StoreError) -> SaveResult {
        try await save(moving: nil)
    }

    /// Commits pending changes and, optionally, a consumer's cursor.
    package func save(
        moving cursor: (consumer: String, token: HistoryToken)?
    ) async throws(StoreError) -> SaveResult {
        await waitForTurn()
        defer { endTurn() }
        let saved = pending
        (saving, pending) = (saved, PendingChanges())
        let policy = mergePolicy
        defer { endedSaves += 1 }
        do {
            let operations = try saved.operations(model)
            let written = try await writer.write(as: origin(nil)) { transaction throws(StoreError) in
                if let cursor { try transaction.moveCursor(of: cursor.consumer, to: cursor.token) }
                return try transaction.apply(operations, policy)
            }.get()
            let result = SaveResult(operations, written)
            for outcome in result.outcomes { registered.apply(outcome) }
            pending.follow(result.outcomes)
            pending.translate(registered.permanentKeys)
            saving = PendingChanges()
            return result
        } catch {
            saving = PendingChanges()
            pending = saved.followed(by: pending)
            throw error
        }
    }

    /// Waits until no other save runs. The changes of a failed save precede those made later.
    private func waitForTurn() async {
        while isSaving { await waitForOtherSave() }
        isSaving = true
    }

    /// Not a part of its caller, which would create the types of continuations even if it does not wait.
    @inline(never)
    private func waitForOtherSave() async {
        await withCheckedContinuation { waitingSaves.append($0) }
    }

    private func endTurn() {
        isSaving = false
        let waiting = waitingSaves
        waitingSaves.removeAll()
        for save in waiting { save.resume() }
    }

    /// Discards all pending changes.
    public func rollback() {
        pending = PendingChanges()
    }

    /// Discards all pending changes, and all knowledge of objects: a later change of an object that is not read
    /// again applies to any version.
    public func reset() {
        rollback()
        registered.removeAll()
    }

    /// Updates the context's objects with the commits of other writers. Its own changes are already applied.
    /// An object with unsaved changes retains the version on which they were made, so that saving it reports
    /// the conflict.
    ///
    /// - Throws: ``StoreError/transactionOfAnotherStore`` before it merges any.
    public func merge(_ transactions: [HistoryTransaction]) async throws(StoreError) -> MergeResult {
        guard transactions.allSatisfy({ $0.token.storeID == storeID }) else {
            throw .transactionOfAnotherStore
        }
        var result = MergeResult()
        var replaced: Set<ObjectID> = []
        for transaction in transactions where transaction.session != session {
            for change in transaction.changes {
                result.add(change)
                if change.kind == .delete { replaced.insert(change.objectID) }
            }
        }
        result.contested = result.updated.union(result.deleted).filter {
            pending.touches($0) || saving.touches($0)
        }
        for id in result.deleted where !pending.touches(id) { registered.forget(id) }
        for id in replaced.subtracting(result.deleted) {
            registered.invalidate(id)
            pending.invalidate(id)
        }
        let stale = result.updated.union(result.inserted).filter {
            registered.version(of: $0) != nil && !pending.touches($0)
        }
        await refresh(Array(stale))
        return result
    }

    /// Reads all objects again, except those with unsaved changes, if the individual changes are not known.
    package func fullRefresh() async {
        for (entity, keys) in registered.keys {
            let ids = keys.map { ObjectID(entity: entity, key: $0, store: store) }
            await refresh(ids.filter { !pending.touches($0) })
        }
    }

    /// Reads registered objects again: the values of those that have any, the versions of the others. The old
    /// ones remain until then: a change made on one of them is a conflict, while without a version it would
    /// win silently.
    private func refresh(_ ids: [ObjectID]) async {
        for (entity, group) in Dictionary(grouping: ids, by: \.entity) {
            var versions = FetchRequest(entity)
            versions.attributes = []
            let split = Dictionary(grouping: group) { registered[$0] != nil }
            await refresh(split[true] ?? [], FetchRequest(entity))
            await refresh(split[false] ?? [], versions)
        }
    }

    private func refresh(_ ids: [ObjectID], _ request: FetchRequest) async {
        for start in stride(from: 0, to: ids.count, by: Self.refreshSize) {
            let part = ids[start..<min(ids.count, start + Self.refreshSize)]
            var request = request
            request.predicate = .keys(part.map(\.key))
            let query = request
            guard let objects = try? await reader.read({ try $0.fetch(query) }) else { continue }
            for id in Set(part).subtracting(objects.map(\.id)) { registered.forget(id) }
            for object in objects {
                if query.attributes == nil {
                    registered.register(object)
                } else {
                    registered.register(version: object.version, of: object.id)
                }
            }
        }
    }

    /// The number of objects that one read of a refresh holds in memory.
    private static let refreshSize = 10_000

    /// Returns an ID in the form in which this context knows the object.
    private func own(_ id: ObjectID) throws(StoreError) -> ObjectID {
        guard id.isValid(in: store) else { throw .objectOfAnotherStore(id) }
        return registered.permanentID(id.valid(in: store))
    }

    private func check(_ values: [String: AttributeValue], entity name: String) throws(StoreError) {
        guard let entity = model.entity(name) else { throw .unknownEntity(name) }
        try entity.check(values, mayBeUnsaved: true)
    }
}
