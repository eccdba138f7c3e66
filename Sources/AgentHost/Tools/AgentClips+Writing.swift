import BrowserHost
import ClipsCore
import FoundationEssentials
import PersistentStore
import Platform

/// Changes, each a transaction of the client.
extension AgentClips {
    /// The numbers of clips that a client deletes without a confirmation: in a call, and in ten minutes.
    static let maxDeleted = 20
    private static let maxRecentlyDeleted = 100
    private static let recent: TimeInterval = 600

    /// Saves a clip, or merges it into the clip of its page.
    ///
    /// - Parameters:
    ///   - key: A text of the client; a repeated call with it saves nothing.
    ///   - savesCopy: Whether to save a second clip of the page.
    ///   - fetches: Whether to read the title and the text from the page.
    func add(_ given: ClipDraft, key: String?, savesCopy: Bool, fetches: Bool) async throws -> JSONObject {
        var draft = given
        draft.uuid = key.map { Self.uuid($0, of: client) }
        var problem: String?
        if fetches {
            (draft, problem) = await fetched(draft)
            try HostLimits.check(draft)
        }
        let store = try await writable()
        let (ids, outcome) = try await store.add([draft], duplicates: savesCopy ? .keepBoth : duplicates)
        var result = Self.marked()
        for id in ids { result.add("id", id) }
        result.add("isNew", outcome.saved > 0)
        result.add("isMerged", outcome.merged > 0)
        if let problem { result.add("problem", "The page could not be read: \(problem).") }
        if outcome.deleted > 0 {
            result.add("problem", "\(outcome.deleted) other clips of this page were merged and deleted.")
        }
        if let clip = try await store.summaries(ids, maxBytes: Self.maxBytes).first {
            result.add("clip", JSONLiteral(clip.json))
        }
        return result
    }

    /// Returns the UUID of a key, by FNV-1a (datatracker.ietf.org/doc/html/rfc9923) as a UUID of version 8.
    static func uuid(_ key: String, of client: String) -> String {
        var hash: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D
        for byte in "\(client)\0\(key)".utf8 {
            hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013B
        }
        let fields: UInt128 = 0xF << 76 | 0x3 << 62
        let version: UInt128 = 8 << 76 | 2 << 62
        hash = hash & ~fields | version
        return withUnsafeBytes(of: hash.bigEndian) { $0.uuidText }
    }

    func update(
        _ id: Int64, version: Int64?, _ changes: [ClipAttribute: AttributeValue]
    ) async throws -> JSONObject {
        let store = try await writable()
        do {
            try await store.update(id, version: version, changes)
        } catch {
            guard case .conflict(let conflicts) = error else { throw error }
            guard conflicts.first?.stored != nil else { throw HostError.missingClip(id) }
            throw HostError(
                .conflict, "Clip \(id) was changed since then. Nothing was saved; read it and try again.")
        }
        guard let clip = try await store.summaries([id]).first else { throw HostError.missingClip(id) }
        var result = Self.marked()
        result.add("clip", JSONLiteral(clip.json))
        return result
    }

    func delete(_ ids: [Int64], isConfirmed: Bool) async throws -> JSONObject {
        let store = try await writable()
        let ids = Array(Set(ids)).sorted()
        if !isConfirmed {
            let recently = try await recentlyDeleted(in: store)
            guard ids.count <= Self.maxDeleted, recently + ids.count <= Self.maxRecentlyDeleted else {
                throw HostError(
                    .invalid,
                    "Deleting more than \(Self.maxDeleted) clips, or \(Self.maxRecentlyDeleted) in ten minutes, requires 'confirm'. Nothing was deleted; ask the user first."
                )
            }
        }
        let deleted = try await store.delete(ids).value
        var result: JSONObject = ["deleted": deleted]
        let missing = Set(ids).subtracting(deleted).sorted()
        if !missing.isEmpty { result.add("problems", missing.map { HostError.missingClip($0).message }) }
        return result
    }

    /// Counts in the history, so that another process of the same client has no count of its own.
    private func recentlyDeleted(in store: ClipStore) async throws -> Int {
        let start = Date().addingTimeInterval(-Self.recent)
        let request = HistoryFetchRequest(
            .newest, where: .and([store.ownTransactions, .after(start)]),
            changes: .and([.kind(.delete), .entity(ClipModel.entity)]))
        return try await store.container.read { snapshot throws(StoreError) in
            var count = 0
            try snapshot.forEachChange(request) { _, _ in
                count += 1
                return count < Self.maxRecentlyDeleted
            }
            return count
        }
    }

    func restore(_ ids: [Int64]) async throws -> JSONObject {
        let (restored, problems, _) = try await writable().restore(ids)
        var result: JSONObject = ["restored": restored]
        if !problems.isEmpty { result.add("problems", problems.map(\.description)) }
        return result
    }

    /// Undoes changes of the client: the last one, one transaction, or all since a point.
    ///
    /// - Parameter ofAll: Whether the transaction may be of another author.
    func undo(since: HistoryPoint?, transaction: Int64?, ofAll: Bool) async throws -> JSONObject {
        let store = try await writable()
        let steps: [UndoHistory.Step]
        if let transaction {
            steps = try await store.undoable(
                since: .afterTransaction(transaction - 1), limit: 1, ofAll: ofAll
            ).filter { $0.token.number == transaction }
            guard !steps.isEmpty else {
                throw HostError(
                    .missing,
                    "You have no such change, or it is undone. Another author's requires 'confirm'; ask the user first."
                )
            }
        } else if let since {
            steps = try await store.undoable(since: since.start)
        } else {
            steps = try await store.undoHistory().undoable.suffix(1)
        }
        var changes: [String] = []
        let (undone, contested, _) = try await store.undo(steps) { change, isPart in
            if changes.count < Self.maxTransactions { changes.append((isPart ? "a part of: " : "") + change) }
        }
        var result = Self.marked()
        result.add("undone", undone)
        result.add("contested", contested)
        result.add("changes", changes)
        return result
    }
}
