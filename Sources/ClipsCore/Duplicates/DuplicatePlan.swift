import PersistentStore

/// Which clips to insert, change and delete so that drafts are saved by a policy.
struct DuplicatePlan {
    /// A clip with the address: in the store, or about to be.
    private struct Entry {
        let stored: Clip?
        let original: ClipDraft
        var content: ClipDraft
        var isDeleted = false
    }

    private enum Key: Hashable {
        case url(String)
        /// Without an address, only the very same text of the very same time is the same clip.
        case words(created: Int64, title: String, text: String)
    }

    private let policy: DuplicatePolicy
    private var entries: [Entry] = []
    private var places: [Key: [Int]] = [:]
    /// Where each draft ended up.
    private var destinations: [Int] = []
    private(set) var outcome = DuplicateOutcome()

    init(policy: DuplicatePolicy, stored: [Clip]) {
        self.policy = policy
        for clip in stored.sorted(by: { $0.id < $1.id }) {
            let content = ClipDraft(clip)
            append(Entry(stored: clip, original: content, content: content), Self.key(content))
        }
    }

    /// What to look for in the store before drafts can be planned.
    static func lookup(_ drafts: [ClipDraft]) -> Predicate? {
        let urls = Set(drafts.map(\.url)).subtracting([""])
        let times = Set(drafts.filter { $0.url.isEmpty }.compactMap(\.created))
        var parts: [Predicate] = []
        if !urls.isEmpty { parts.append(.isOneOf(ClipAttribute.url.rawValue, urls.sorted().map(Value.text))) }
        if !times.isEmpty {
            parts.append(.isOneOf(ClipAttribute.created.rawValue, times.sorted().map(Value.integer)))
        }
        return parts.isEmpty ? nil : parts.count == 1 ? parts[0] : .or(parts)
    }

    /// Plans one draft that has its dates and author; `isDated` when its time is not just now.
    mutating func add(_ draft: ClipDraft, isDated: Bool) {
        let key = draft.url.isEmpty && !isDated ? nil : Self.key(draft)
        let same = (key.flatMap { places[$0] } ?? []).filter { !entries[$0].isDeleted }
        guard let first = same.first else { return insert(draft, key) }
        if let place = same.first(where: { entries[$0].content.says(draft, isDated: isDated) }) {
            if policy != .merge {
                outcome.alreadyThere += 1
                return destinations.append(place)
            }
        }
        switch policy {
        case .keepBoth:
            outcome.keptBeside += 1
            insert(draft, key)
        case .skip:
            outcome.skipped += 1
            destinations.append(first)
        case .merge:
            let before = entries[first].content
            var merged = same.dropFirst().reduce(ClipMerge.merged(before, dated(draft, isDated, before))) {
                ClipMerge.merged($0, entries[$1].content)
            }
            guard [merged.text, merged.note].allSatisfy({ $0.utf8.count <= ClipDraft.largestText }) else {
                outcome.keptBeside += 1
                return insert(draft, key)
            }
            if merged == before && same.count == 1 {
                outcome.alreadyThere += 1
            } else {
                outcome.merged += 1
                if !isDated { merged.updated = max(merged.updated ?? 0, draft.updated ?? 0) }
            }
            settle(same, on: merged)
        case .replace:
            outcome.replaced += 1
            settle(same, on: draft)
        }
    }

    /// A time that the draft does not know changes nothing.
    private func dated(_ draft: ClipDraft, _ isDated: Bool, _ known: ClipDraft) -> ClipDraft {
        guard !isDated else { return draft }
        var draft = draft
        draft.created = known.created
        draft.author = known.author
        draft.updated = known.updated
        return draft
    }

    private mutating func insert(_ draft: ClipDraft, _ key: Key?) {
        outcome.saved += 1
        destinations.append(entries.count)
        append(Entry(stored: nil, original: draft, content: draft), key)
    }

    private mutating func append(_ entry: Entry, _ key: Key?) {
        if let key { places[key, default: []].append(entries.count) }
        entries.append(entry)
    }

    private mutating func settle(_ places: [Int], on content: ClipDraft) {
        guard let first = places.first else { return }
        entries[first].content = content
        for place in places.dropFirst() { entries[place].isDeleted = true }
        destinations.append(first)
    }

    private static func key(_ draft: ClipDraft) -> Key {
        draft.url.isEmpty
            ? .words(created: draft.created ?? 0, title: draft.title, text: draft.text) : .url(draft.url)
    }
}

extension DuplicatePlan {
    var knownIDs: Set<Int64> { Set(entries.compactMap { $0.stored?.id }) }

    /// Puts the changes into a context. Returns the temporary ids of the inserted clips, by their places.
    func apply(to context: StoreContext, author: String, now: Int64) async throws -> [Int: ObjectID] {
        var temporary: [Int: ObjectID] = [:]
        for (place, entry) in entries.enumerated() {
            guard let clip = entry.stored else {
                guard !entry.isDeleted else { continue }
                let values = try entry.content.values(author: author, now: now)
                temporary[place] = try await context.insert(ClipModel.entity, values)
                continue
            }
            if entry.isDeleted {
                await context.delete(clip.objectID, onVersion: clip.version)
            } else if entry.content != entry.original {
                let changes = try entry.content.changes(from: entry.original)
                try await context.update(clip.objectID, changes, onVersion: clip.version)
            }
        }
        return temporary
    }

    /// The clip that each draft is in now.
    func ids(_ inserted: [Int: Int64]) -> [Int64] {
        destinations.map { place in entries[place].stored?.id ?? inserted[place] ?? 0 }
    }

    /// The inserted clips whose addresses are among these.
    func inserted(with urls: Set<String>) -> [Int] {
        entries.indices.filter {
            entries[$0].stored == nil && !entries[$0].isDeleted && urls.contains(entries[$0].content.url)
        }
    }

    func content(at place: Int) -> ClipDraft { entries[place].content }
}
