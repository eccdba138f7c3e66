import ClipsCore
import PersistentStore
import Platform

/// The clips, as the requests of the extension use them. Confined to its host.
final class HostClips {
    private let stores: HostStore

    /// The size of the clips in an answer.
    private static let maxBytes = HostLimits.answer - HostLimits.margin

    init(path: String, contextName: String, options: StoreOptions) {
        stores = HostStore(
            path: path, author: BrowserHost.author, contextName: contextName, options: options)
    }

    var isOpen: Bool { stores.isOpen }
    var wasReopened: Bool { stores.wasReopened }

    func greet(program: String, in answer: inout HostAnswer) async throws {
        let store = try await stores.opened()
        answer.add("version", BrowserHost.version)
        answer.add("program", program)
        answer.add("storeID", store.storeID)
        answer.add("count", try await store.count())
        answer.add("limits", HostLimits.json)
    }

    func save(_ drafts: [ClipDraft], ifAbsent: Set<Int>, in answer: inout HostAnswer) async throws {
        let store = try await stores.openedToWrite()
        let saved = try await store.addOnce(drafts, unlessURLExists: ifAbsent)
        // Each clip has its ID in the answer, even if the clips themselves do not fit.
        let room = Self.maxBytes - 128 * saved.count
        let summaries = try await store.summaries(of: saved, maxBytes: room)
        let byID = Dictionary(summaries.map { ($0.id, $0.json) }) { first, _ in first }
        answer.add(
            "clips",
            zip(drafts, saved).map { draft, clip in
                var object: JSONObject = ["uuid": draft.uuid ?? "", "id": clip.id, "isNew": clip.isNew]
                if let json = byID[clip.id] { object.add("clip", JSONLiteral(json)) }
                return object
            })
        if summaries.count < saved.count { answer.add(more: true) }
    }

    /// Saves the text of a page in its clip, and answers what became of it.
    func add(_ text: String, of page: SavedPage, in answer: inout HostAnswer) async throws {
        guard !text.isEmpty else { return answer.add("text", "none") }
        let store = try await stores.openedToWrite()
        let isSaved = try await store.setPageText(text, uuid: page.uuid, url: page.url)
        answer.add("text", isSaved ? "saved" : "unchanged")
    }

    func update(
        _ id: Int64, version: Int64?, _ changes: [ClipAttribute: AttributeValue], in answer: inout HostAnswer
    ) async throws {
        let store = try await stores.openedToWrite()
        do {
            try await store.update(id, version: version, changes)
        } catch {
            guard case .conflict(let conflicts) = error else { throw error }
            guard conflicts.first?.stored != nil else { throw HostError.missingClip(id) }
            let conflict = HostError(
                .conflict, "Clip \(id) was changed since then. Nothing was saved; read it and try again.")
            answer.add(conflict)
        }
        guard let clip = try await store.summaries([id]).first else { throw HostError.missingClip(id) }
        answer.add("clip", JSONLiteral(clip.json))
    }

    func delete(_ ids: [Int64], in answer: inout HostAnswer) async throws {
        let deleted = try await stores.openedToWrite().delete(ids).value
        answer.add("deleted", deleted)
    }

    func restore(_ ids: [Int64], in answer: inout HostAnswer) async throws {
        let store = try await stores.openedToWrite()
        var (restored, problems, _) = try await store.restore(ids)
        for problem in problems {
            guard case .notDeleted(let id) = problem else { throw problem }
            restored.append(id)
        }
        try await add(restored, of: store, to: &answer)
    }

    private func add(_ ids: [Int64], of store: ClipStore, to answer: inout HostAnswer) async throws {
        let clips = try await store.summaries(ids, maxBytes: Self.maxBytes)
        answer.add("clips", clips.map { JSONLiteral($0.json) })
        if clips.count < ids.count { answer.add(more: true) }
    }

    func find(urls: [String], in answer: inout HostAnswer) async throws {
        let room = Self.maxBytes - 5 * urls.count
        let (clips, isCut) = try await stores.opened().clips(withURLs: urls, maxBytes: room)
        answer.add("clips", clips.map { JSONLiteral($0?.json ?? "null") })
        if isCut { answer.add(more: true) }
    }

    func search(_ query: ClipQuery, limit: Int, in answer: inout HostAnswer) async throws {
        guard !query.admitsAll else {
            let page = try await stores.opened().page(after: nil, limit: limit, maxBytes: Self.maxBytes)
            answer.add("clips", page.clips.map { JSONLiteral($0.json) })
            return answer.add(more: page.next != nil)
        }
        let store = try await stores.openedToSearch()
        let (clips, hasMore) = try await store.matches(query, limit: limit, maxBytes: Self.maxBytes)
        answer.add("clips", clips.map { JSONLiteral($0.json) })
        answer.add(more: hasMore)
    }

    func tags(_ prefix: String, limit: Int, in answer: inout HostAnswer) async throws {
        let start = prefix.lowercased()
        let uses = try await stores.opened().tagCounts().filter { $0.name.lowercased().hasPrefix(start) }
        var left = Self.maxBytes
        let objects = uses.prefix(limit).map { ["name": $0.name, "count": $0.count] as JSONObject }
        let fitting = objects.prefix { object in
            left -= object.json.utf8.count + 1
            return left >= 0
        }
        answer.add("tags", Array(fitting))
    }

    func list(after cursor: ClipCursor?, limit: Int, in answer: inout HostAnswer) async throws {
        let page = try await stores.opened().page(after: cursor, limit: limit, maxBytes: Self.maxBytes)
        answer.add("clips", page.clips.map { JSONLiteral($0.json) })
        answer.add("count", page.count)
        answer.add("next", page.next?.description)
    }

    /// Returns the changes from now on.
    func changes() async throws -> ClipChangeFeed {
        try await ClipChangeFeed(
            of: stores.opened(), maxChanges: HostLimits.changes, maxBytes: Self.maxBytes)
    }
}
