import PersistentStore
import SearchIndex

/// The clips to insert, change, and delete to save drafts with a policy.
struct DuplicatePlan {
    /// A clip that is stored or will be inserted.
    private struct Entry {
        let stored: Clip?
        let original: ClipDraft
        var content: ClipDraft
        /// The entry with which it was merged; it is then deleted.
        var remaining: Int?
        var isDeleted: Bool { remaining != nil }
        var uuid: String? { stored?.uuid ?? content.uuid }
    }

    private enum Key: Hashable {
        case uuid(String)
        case url(String)
        /// Without a URL, only the same text of the same time is the same clip.
        case words(created: Int64, title: String, text: String)
    }

    private let policy: DuplicatePolicy
    /// Whether variants of a URL are one page.
    private let hasVariants: Bool
    private var entries: [Entry] = []
    private var indices: [Key: [Int]] = [:]
    /// The entry of each draft.
    private var destinations: [Int] = []
    private(set) var outcome = DuplicateOutcome()

    init(policy: DuplicatePolicy, hasVariants: Bool = true, stored: [Clip]) {
        (self.policy, self.hasVariants) = (policy, hasVariants)
        for clip in stored.sorted(by: { $0.id < $1.id }) {
            let content = ClipDraft(clip)
            append(Entry(stored: clip, original: content, content: content), key(content), clip.uuid)
        }
    }

    /// Plans a draft that has its dates and author.
    ///
    /// - Parameter isDated: Whether its time was given, rather than the present.
    mutating func add(_ draft: ClipDraft, isDated: Bool) {
        let key = draft.url.isEmpty && !isDated ? nil : key(draft)
        let itself = draft.uuid.flatMap { indices[.uuid($0)] } ?? []
        let others = (key.flatMap { indices[$0] } ?? []).filter { !itself.contains($0) }
        // One with this very URL is meant rather than an older variant.
        func isExact(_ index: Int) -> Bool { !draft.url.isEmpty && entries[index].content.url == draft.url }
        let same = (itself + others.filter(isExact) + others.filter { !isExact($0) })
            .filter { !entries[$0].isDeleted }
        guard let first = same.first else { return insert(draft, key) }
        let equal =
            policy == .merge
            ? nil : same.first { entries[$0].content.contains(draft, isDated: isDated) }
        if outcome.firstExisting == nil, let stored = entries[equal ?? first].stored {
            (outcome.firstExisting, outcome.formerTitle) = (stored.id, stored.displayTitle)
        }
        if policy == .keepBoth, itself.contains(first) {
            outcome.unchanged += 1
            return destinations.append(first)
        }
        if let equal {
            outcome.unchanged += 1
            return destinations.append(equal)
        }
        switch policy {
        case .keepBoth:
            outcome.addedAsDuplicate += 1
            insert(draft, key)
        case .skip:
            outcome.skipped += 1
            destinations.append(first)
        case .merge:
            let before = entries[first].content
            var merged = ClipMerge.merged(
                before, dated(draft, isDated, before), title: draft.hasChosenTitle ? draft.title : nil)
            guard [merged.text, merged.note].allSatisfy({ $0.utf8.count <= ClipDraft.largestText }) else {
                outcome.addedAsDuplicate += 1
                return insert(draft, key)
            }
            // Another draft is read or unread by default only.
            if !draft.hasReadState { merged.isUnread = before.isUnread }
            merged.hasReadState = before.hasReadState
            // The UUID of a stored clip remains, whichever one the draft brings.
            if entries[first].stored != nil { merged.uuid = before.uuid }
            if merged == before {
                outcome.unchanged += 1
            } else {
                outcome.merged += 1
                if before.isArchived && !merged.isArchived { outcome.unarchived += 1 }
                outcome.remaining.formUnion(same.dropFirst().compactMap { entries[$0].stored?.id })
                if !isDated { merged.updated = max(merged.updated ?? 0, draft.updated ?? 0) }
            }
            resolve([first], on: merged)
        case .replace:
            outcome.replaced += 1
            resolve(same, on: draft)
        }
    }

    /// Returns an undated draft with the dates and author of the stored clip.
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
        append(Entry(stored: nil, original: draft, content: draft), key, draft.uuid)
    }

    private mutating func append(_ entry: Entry, _ key: Key?, _ uuid: String?) {
        if let key { indices[key, default: []].append(entries.count) }
        if let uuid { indices[.uuid(uuid), default: []].append(entries.count) }
        entries.append(entry)
    }

    private mutating func resolve(_ indices: [Int], on content: ClipDraft) {
        guard let first = indices.first else { return }
        entries[first].content = content
        for index in indices.dropFirst() {
            entries[index].remaining = first
            if entries[index].stored != nil { outcome.deleted += 1 }
        }
        destinations.append(first)
    }

    private func key(_ draft: ClipDraft) -> Key {
        draft.url.isEmpty
            ? .words(created: draft.created ?? 0, title: draft.title, text: draft.text)
            : .url(hasVariants ? CanonicalURL.key(draft.url) : draft.url)
    }
}

extension DuplicatePlan {
    /// Makes the changes. Returns the clip that contains each draft.
    mutating func apply(
        in transaction: inout StoreTransaction, author: String, now: Int64
    ) throws -> [Int64] {
        var ids = entries.map { $0.stored?.id ?? 0 }
        try applyQuotes(in: &transaction, author: author, now: now)
        var inserted: [Int] = []
        for (index, entry) in entries.enumerated() {
            guard let clip = entry.stored else {
                if !entry.isDeleted { inserted.append(index) }
                continue
            }
            if entry.isDeleted {
                try transaction.delete(clip.objectID)
            } else if entry.content != entry.original {
                let changes = try entry.content.changes(from: entry.original)
                if !changes.isEmpty { try transaction.set(changes, of: clip.objectID) }
            }
        }
        if inserted.count < Self.smallestBatch {
            for index in inserted {
                let values = try entries[index].content.values(author: author, now: now)
                ids[index] = try transaction.insert(ClipModel.entity, values).id.key
            }
        } else {
            let rows = try inserted.map { try entries[$0].content.row(author: author, now: now) }
            var request = BatchRequest.insert(ClipModel.entity, attributes: ClipModel.names, rows: rows)
            request.returnsObjectIDs = true
            let keys = try transaction.execute(request).objectIDs ?? []
            for (index, key) in zip(inserted, keys) { ids[index] = key.key }
        }
        return destinations.map { ids[$0] }
    }

    /// Moves the quotes of deleted clips to the remaining ones, and adds those of the drafts.
    private mutating func applyQuotes(
        in transaction: inout StoreTransaction, author: String, now: Int64
    ) throws(StoreError) {
        for index in entries.indices where entries[index].stored == nil && entries[index].content.uuid == nil
        {
            entries[index].content.uuid = entries[index].content.quotes.isEmpty ? nil : ClipUUID.make(at: now)
        }
        for entry in entries {
            guard let clip = entry.stored, var index = entry.remaining else { continue }
            while let next = entries[index].remaining { index = next }
            guard let uuid = entries[index].uuid else { continue }
            _ = try transaction.moveQuotes(of: [clip.uuid], to: uuid)
        }
        for entry in entries where !entry.isDeleted && entry.content.quotes != entry.stored?.quotes {
            guard let uuid = entry.uuid else { continue }
            try transaction.insert(entry.content.quotes, clip: uuid, author: author, now: now)
        }
    }

    /// The number of clips from which a batch costs less than single insertions.
    private static let smallestBatch = 20
}

extension ClipDraft {
    /// Returns the draft as it will be saved.
    func completed(author: String, now: Int64) -> ClipDraft {
        var draft = self
        draft.url = CanonicalURL.inUsualSpelling(url)
        draft.title = savedTitle
        draft.tags = Tags(tags).names
        draft.created = created ?? now
        draft.updated = updated ?? created ?? now
        draft.author = self.author ?? author
        return draft
    }

    /// Whether another draft would add nothing. Flags that the user has changed since, such as unread, do not
    /// count.
    func contains(_ other: ClipDraft, isDated: Bool) -> Bool {
        url == other.url && title == other.title && text == other.text && note == other.note
            && (!isDated || created == other.created) && Set(tags).isSuperset(of: other.tags)
            && other.quotes.allSatisfy { $0.isKnown(among: quotes) }
    }

    func changes(from original: ClipDraft) throws(ClipError) -> [String: AttributeValue] {
        let old = try original.values(author: "", now: 0)
        return try values(author: "", now: 0).filter { name, value in
            name != ClipAttribute.uuid.rawValue && old[name] != value
        }
    }
}
