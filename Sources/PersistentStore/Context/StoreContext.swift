/// A unit of work with an author.
///
/// Changes are kept here until `save`, which commits them as one transaction under the context's author and
/// name. Objects read through the context are remembered, with their versions, so that a save of an object
/// that somebody else has changed meanwhile is a conflict, and so that merges can bring them up to date.
public actor StoreContext {
    public nonisolated let author: String?
    public nonisolated let name: String?
    /// Tells this context's transactions from those of a namesake, in this process or another.
    package nonisolated let session: Int64

    private nonisolated let reader: StoreReader
    nonisolated let writer: StoreWriter
    private let model: StoreModel
    /// What a save does with objects that somebody else saved since they were read here.
    public private(set) var mergePolicy = MergePolicy.error
    private var registered = RegisteredObjects()
    private var pending = PendingChanges()
    /// What the save in progress is committing.
    private var saving = PendingChanges()
    package private(set) var isSaving = false
    private var waitingSaves: [CheckedContinuation<Void, Never>] = []

    init(
        author: String?, name: String?, reader: StoreReader, writer: StoreWriter, model: StoreModel,
        session: Int64 = Int64.random(in: 1...Int64.max)
    ) {
        self.author = author
        self.name = name
        self.reader = reader
        self.writer = writer
        self.model = model
        self.session = session
    }

    /// An empty context whose work counts as this one's own.
    package nonisolated func sibling(name: String? = nil) -> StoreContext {
        StoreContext(
            author: author, name: name ?? self.name, reader: reader, writer: writer, model: model,
            session: session)
    }

    public var hasChanges: Bool { !pending.isEmpty || !saving.isEmpty }

    /// Reads objects as they are in the store, with this context's unsaved changes to them laid over.
    public func fetch(_ request: FetchRequest) async throws(StoreError) -> [StoredObject] {
        let objects = try await reader.read { try $0.fetch(request) }
        return objects.compactMap { object in
            if request.attributes == nil { registered.register(object) }
            return saving.overlay(object).flatMap(pending.overlay)
        }
    }

    /// One object with all its attributes, or nil when it is not, or no longer, there.
    public func object(_ id: ObjectID) async throws(StoreError) -> StoredObject? {
        let id = registered.permanentID(id)
        return try await fetch(FetchRequest(id.entity, where: .keys([id.key]))).first
    }

    public func setMergePolicy(_ policy: MergePolicy) { mergePolicy = policy }

    /// Returns a temporary id, good in this context for ever; the save tells the permanent one, which is good
    /// everywhere.
    @discardableResult
    public func insert(_ entity: String, _ values: [String: Value]) throws(StoreError) -> ObjectID {
        try check(values.keys, entity: entity)
        return pending.insert(entity, values)
    }

    /// Brings a deleted object back under its own id at the next save. Fails there with
    /// ``StoreError/constraint(reason:)`` when somebody has brought it back already.
    package func restore(_ id: ObjectID, _ values: [String: Value]) throws(StoreError) {
        try check(values.keys, entity: id.entity)
        pending.restore(id, values)
    }

    /// Changes some attributes of an object at the next save; of one that is being deleted, none.
    public func update(_ id: ObjectID, _ changes: [String: Value]) throws(StoreError) {
        let id = registered.permanentID(id)
        try check(changes.keys, entity: id.entity)
        let known = registered[id]
        let real = changes.filter { name, value in
            known.map {
                !$0[name].isSame(as: value) || pending.changes(id, name) || saving.changes(id, name)
            } ?? true
        }
        update(id, real, on: ChangeBasis(known))
    }

    /// The same for a change that was made on a version read elsewhere; nil takes whatever is there.
    package func update(_ id: ObjectID, _ changes: [String: Value], onVersion version: Int64?)
        throws(StoreError)
    {
        let id = registered.permanentID(id)
        try check(changes.keys, entity: id.entity)
        let known = registered[id]
        update(
            id, changes,
            on: ChangeBasis(version: version, object: known?.version == version ? known : nil))
    }

    private func update(_ id: ObjectID, _ changes: [String: Value], on basis: ChangeBasis) {
        if !saving.deletes(id) { pending.update(id, changes, on: basis) }
    }

    /// Deletes an object at the next save; one that is already gone is no error.
    public func delete(_ id: ObjectID) {
        let id = registered.permanentID(id)
        pending.delete(id, on: ChangeBasis(registered[id]))
    }

    /// The same for a deletion that was decided on a version read elsewhere.
    package func delete(_ id: ObjectID, onVersion version: Int64) {
        pending.delete(id, on: ChangeBasis(version: version, object: nil))
    }

    /// Commits all pending changes as one transaction, or none of them.
    ///
    /// Afterwards the context knows the saved objects as they are, without reading them. What was changed here while
    /// the save was under way is pending for the next one.
    ///
    /// - Throws: ``StoreError/conflict(_:)`` with every object that somebody else saved since it was read here, if
    ///   ``mergePolicy`` does not settle that. The pending changes stay, to be saved again or rolled back.
    @discardableResult
    public func save() async throws(StoreError) -> SaveResult {
        try await save(moving: nil)
    }

    /// Commits pending changes, and with them, if wanted, a consumer's cursor; and tells what `lookup` finds just
    /// before, so that nobody can write in between.
    package func save(
        moving cursor: (consumer: String, token: HistoryToken)?, finding lookup: FetchRequest? = nil
    ) async throws(StoreError) -> SaveResult {
        await waitForTurn()
        defer { endTurn() }
        let saved = pending
        saving = saved
        pending = PendingChanges(after: saved)
        let request = SaveRequest(
            origin: TransactionOrigin(author: author, contextName: name, session: session),
            operations: saved.operations, policy: mergePolicy,
            cursor: cursor.map { CursorMove(consumer: $0.consumer, token: $0.token) }, lookup: lookup)
        do {
            let result = try await writer.save(request)
            SavedTransactions.note(result.token)
            for outcome in result.outcomes { registered.take(outcome) }
            pending.follow(result.outcomes)
            saving = PendingChanges()
            return result
        } catch {
            saving = PendingChanges()
            pending = saved.followed(by: pending)
            throw error
        }
    }

    /// One save at a time, in order: what fails is put back under what was asked for later.
    private func waitForTurn() async {
        while isSaving { await withCheckedContinuation { waitingSaves.append($0) } }
        isSaving = true
    }

    private func endTurn() {
        isSaving = false
        let waiting = waitingSaves
        waitingSaves.removeAll()
        for save in waiting { save.resume() }
    }

    /// Forgets all pending changes.
    public func rollback() {
        pending = PendingChanges(after: pending)
    }

    /// Brings the context's objects up to date with what others committed. What the context did itself it has
    /// already; an object with unsaved changes keeps the version they were made on, so that saving it tells of the
    /// conflict.
    public func merge(_ transactions: [HistoryTransaction]) async throws(StoreError) -> MergeResult {
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
            registered.outdate(id)
            pending.outdate(id)
        }
        let stale = result.updated.union(result.inserted).filter {
            registered[$0] != nil && !pending.touches($0)
        }
        await refresh(Array(stale))
        return result
    }

    /// Reads all its objects again, but for those with unsaved changes: what was committed is not known one by one.
    package func readAnew() async {
        await refresh(registered.ids.filter { !pending.touches($0) })
    }

    /// Reads registered objects again. Until then the old ones stay: a change made on one of them meanwhile is
    /// a conflict, where without a version it would silently win.
    private func refresh(_ ids: [ObjectID]) async {
        for (entity, group) in Dictionary(grouping: ids, by: \.entity) {
            let request = FetchRequest(entity, where: .keys(group.map(\.key)))
            guard let objects = try? await reader.read({ try $0.fetch(request) }) else { continue }
            for id in Set(group).subtracting(objects.map(\.id)) { registered.forget(id) }
            for object in objects { registered.register(object) }
        }
    }

    private func check(_ names: some Sequence<String>, entity name: String) throws(StoreError) {
        guard let entity = model.entity(name) else { throw .unknownEntity(name) }
        for name in names where entity.attribute(name) == nil {
            throw .unknownAttribute(name, entity: entity.name)
        }
    }
}
