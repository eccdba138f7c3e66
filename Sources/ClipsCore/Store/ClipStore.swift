package import PersistentStore

/// Saves and finds clips, under one author.
package struct ClipStore: Sendable {
    package let container: PersistentContainer
    package let author: String
    /// Why it can only be read; nil when it was opened to be written.
    package internal(set) var obstacle: StoreError?
    private let context: StoreContext
    let now: @Sendable () -> Int64

    package init(
        path: String, author: String, contextName: String? = nil, options: StoreOptions = StoreOptions()
    ) async throws(StoreError) {
        container = try await PersistentContainer(path: path, model: try ClipModel.make(), options: options)
        self.author = author
        context = container.makeContext(author: author, name: contextName)
        now = options.clock
    }

    /// Which transactions are this store's own work.
    package var session: Int64 { context.session }

    /// Saves clips as one transaction and returns their ids, in order.
    package func add(_ drafts: [ClipDraft]) async throws -> [Int64] {
        let context = makeContext()
        var temporary: [ObjectID] = []
        for draft in drafts {
            temporary.append(
                try await context.insert(ClipModel.entity, draft.values(author: author, now: now())))
        }
        let result = try await context.save()
        return temporary.map { result.permanentID($0).key }
    }

    /// Saves one clip, and tells which clips had its address already, oldest first, and by which token the saving
    /// can be undone.
    package func add(
        _ draft: ClipDraft
    ) async throws -> (id: Int64, earlier: [Int64], token: HistoryToken?) {
        let context = makeContext()
        let temporary = try await context.insert(ClipModel.entity, draft.values(author: author, now: now()))
        var lookup: FetchRequest?
        if !draft.url.isEmpty {
            let sameAddress = Predicate.equal(ClipAttribute.url.rawValue, .text(draft.url))
            lookup = FetchRequest(ClipModel.entity, where: sameAddress, limit: 10)
            lookup?.attributes = []
        }
        let result = try await context.save(moving: nil, finding: lookup)
        return (result.permanentID(temporary).key, result.found.map(\.id.key), result.token)
    }

    package func clip(_ id: Int64) async throws -> Clip {
        let request = FetchRequest(ClipModel.entity, where: .keys([id]))
        guard let object = try await container.read({ try $0.fetch(request) }).first else {
            throw ClipError.noSuchClip("\(id)")
        }
        return Clip(object)
    }

    /// The clip that a person means by a number, or by a UUID or its beginning.
    package func clip(named name: String) async throws -> Clip {
        if let id = Int64(name) { return try await clip(id) }
        guard name.utf8.count >= 4,
            name.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || Character(Unicode.Scalar($0)).isHexDigit })
        else { throw ClipError.noSuchClip(name) }
        let lower = name.lowercased()
        let uuid = ClipAttribute.uuid.rawValue
        let request = FetchRequest(
            ClipModel.entity,
            where: .and([
                .compare(uuid, .greaterOrEqual, .text(lower)), .compare(uuid, .less, .text(lower + "~")),
            ]),
            limit: 2)
        let objects = try await container.read { try $0.fetch(request) }
        guard let object = objects.first else { throw ClipError.noSuchClip(name) }
        guard objects.count == 1 else { throw ClipError.ambiguous(name) }
        return Clip(object)
    }

    /// Changes some attributes; `version` is the one the change was made on, nil to take whatever is there.
    @discardableResult
    package func update(
        _ id: Int64, version: Int64? = nil, _ changes: [ClipAttribute: Value]
    ) async throws(StoreError) -> SaveResult {
        let context = makeContext()
        let values = Dictionary(uniqueKeysWithValues: changes.map { ($0.rawValue, $1) })
        try await context.update(ClipModel.objectID(id), stamped(values), onVersion: version)
        return try await context.save()
    }

    /// Deletes clips as one transaction. Ids that are no longer there are left out of the count.
    @discardableResult
    package func delete(_ ids: [Int64]) async throws(StoreError) -> SaveResult {
        let context = makeContext()
        for id in ids { await context.delete(ClipModel.objectID(id)) }
        return try await context.save()
    }

    /// Values with the time of the change.
    func stamped(_ values: [String: Value]) -> [String: Value] {
        values.merging([ClipAttribute.updated.rawValue: .integer(now())]) { $1 }
    }

    /// A context that has this store's session, so that all its work counts as own.
    func makeContext(name: String? = nil) -> StoreContext { context.sibling(name: name) }
}
