package import PersistentStore

/// A clip that contains a draft.
package struct SavedClip: Hashable, Sendable {
    package let id: Int64
    /// Whether the call saved it; false if it existed.
    package let isNew: Bool
    /// The clip as the call saved it; nil if it existed.
    fileprivate let object: StoredObject?
}

extension ClipStore {
    /// Saves drafts as one transaction, each at most once: a repeated call finds the clips of the first one.
    ///
    /// - Parameter unlessURLExists: The indices of the drafts for which a clip with the same URL is the result.
    /// - Returns: the clips of the drafts, in order. One draft may be the result of another one.
    package func addOnce(
        _ drafts: [ClipDraft], unlessURLExists: Set<Int> = []
    ) async throws -> [SavedClip] {
        var own: Set<Int64> = []
        for attempt in 1... {
            var plan = SavingPlan(drafts, unlessURLExists: unlessURLExists)
            // A repeated call is rare: the first attempt leaves it to the index of the UUIDs, which refuses it.
            if attempt > 1 || !unlessURLExists.isEmpty, let predicate = plan.lookup {
                try await findExisting(predicate, for: &plan)
            }
            let inserted = plan.inserted
            guard !inserted.isEmpty else { return plan.results([:], own: own) }
            let canRetry = attempt < Self.maxAttempts && plan.lookup != nil
            guard let (objects, found) = try await insert(inserted, of: plan, canRetry: canRetry) else {
                continue
            }
            let raced = plan.raced(by: found)
            guard raced.isEmpty || attempt == Self.maxAttempts else {
                // Another process saved the URL first. Both know the order, so only one gives way.
                own.formUnion(objects.values.map(\.id.key))
                try await delete(raced.compactMap { objects[$0]?.id.key })
                continue
            }
            return plan.results(objects, own: own)
        }
        return []
    }

    /// Returns the clips of the inserted drafts, and the clips that had their URLs; nil if one of the UUIDs exists.
    private func insert(
        _ inserted: [Int], of plan: SavingPlan, canRetry: Bool
    ) async throws -> (objects: [Int: StoredObject], found: [StoredObject])? {
        let context = makeContext()
        for index in inserted {
            try await context.insert(
                ClipModel.entity, plan.drafts[index].values(author: author, now: now()))
        }
        do {
            let result = try await context.save(moving: nil, finding: plan.raceLookup)
            return (Dictionary(uniqueKeysWithValues: zip(inserted, result.objects)), result.found)
        } catch {
            guard case .constraint = error, canRetry else { throw error }
            return nil
        }
    }

    /// Returns the summaries of saved clips, and reads only those that existed.
    ///
    /// - Parameter maxBytes: The size of the JSON before which the result ends.
    package func summaries(of saved: [SavedClip], maxBytes: Int) async throws(StoreError) -> [ClipSummary] {
        let objects = saved.compactMap(\.object)
        guard objects.count == saved.count else {
            return try await summaries(saved.map(\.id), maxBytes: maxBytes)
        }
        var left = maxBytes
        return Array(
            objects.lazy.map { ClipSummary(Clip($0)) }.prefix { summary in
                left -= summary.json.utf8.count + 1
                return left >= 0
            })
    }

    private func findExisting(
        _ predicate: ObjectPredicate, for plan: inout SavingPlan
    ) async throws(StoreError) {
        var request = FetchRequest(ClipModel.entity, where: predicate)
        request.attributes = SavingPlan.attributes
        for object in try await container.fetch(request) { plan.addStored(object) }
    }
}

/// The drafts to insert, given the stored clips with their UUIDs and URLs.
private struct SavingPlan {
    private enum Source {
        case stored(Int64)
        case draft(Int)
    }

    let drafts: [ClipDraft]
    private let unlessURLExists: Set<Int>
    private var stored: Set<Int64> = []
    private var byUUID: [String: Int64] = [:]
    private var byURL: [String: Int64] = [:]

    static let attributes = [ClipAttribute.uuid.rawValue, ClipAttribute.url.rawValue]

    init(_ drafts: [ClipDraft], unlessURLExists: Set<Int>) {
        self.drafts = drafts
        self.unlessURLExists = unlessURLExists.filter {
            drafts.indices.contains($0) && !drafts[$0].url.isEmpty
        }
    }

    private var urls: [AttributeValue] {
        Set(unlessURLExists.map { drafts[$0].url }).sorted().map(AttributeValue.text)
    }

    /// Admits the stored clips that the plan needs; nil if it needs none.
    var lookup: ObjectPredicate? {
        let uuids = Set(drafts.compactMap(\.uuid)).sorted().map(AttributeValue.text)
        let parts = [(ClipAttribute.uuid, uuids), (.url, urls)].filter { !$1.isEmpty }
            .map { ObjectPredicate.isOneOf($0.rawValue, $1) }
        return parts.isEmpty ? nil : parts.count == 1 ? parts[0] : .or(parts)
    }

    /// Finds, with the write lock, the clips with a URL of which there must be only one.
    var raceLookup: FetchRequest? {
        guard !unlessURLExists.isEmpty else { return nil }
        var request = FetchRequest(ClipModel.entity, where: .isOneOf(ClipAttribute.url.rawValue, urls))
        request.attributes = [ClipAttribute.url.rawValue]
        return request
    }

    /// Adds a clip. Called in the order of the IDs; the newest clip with a URL is its result.
    mutating func addStored(_ object: StoredObject) {
        stored.insert(object.id.key)
        if let uuid = object[ClipAttribute.uuid.rawValue].textValue { byUUID[uuid] = object.id.key }
        if let url = object[ClipAttribute.url.rawValue].textValue { byURL[url] = object.id.key }
    }

    private var sources: [Source] {
        var byUUID = byUUID.mapValues(Source.stored)
        var byURL = byURL.mapValues(Source.stored)
        return drafts.indices.map { index in
            let draft = drafts[index]
            let known =
                draft.uuid.flatMap { byUUID[$0] }
                ?? (unlessURLExists.contains(index) ? byURL[draft.url] : nil)
            let source = known ?? .draft(index)
            if let uuid = draft.uuid { byUUID[uuid] = source }
            if !unlessURLExists.isEmpty, !draft.url.isEmpty, byURL[draft.url] == nil {
                byURL[draft.url] = source
            }
            return source
        }
    }

    /// The indices of the drafts to insert.
    var inserted: [Int] {
        sources.enumerated().compactMap { index, source in
            if case .draft(index) = source { index } else { nil }
        }
    }

    /// Returns the inserted drafts whose URL another process has saved since the lookup.
    func raced(by found: [StoredObject]) -> [Int] {
        guard !found.isEmpty else { return [] }
        let urls = Set(
            found.filter { !stored.contains($0.id.key) }
                .compactMap { $0[ClipAttribute.url.rawValue].textValue })
        return inserted.filter { unlessURLExists.contains($0) && urls.contains(drafts[$0].url) }
    }

    func results(_ inserted: [Int: StoredObject], own: Set<Int64>) -> [SavedClip] {
        sources.enumerated().map { index, source in
            switch source {
            case .stored(let id): SavedClip(id: id, isNew: own.contains(id), object: nil)
            case .draft(let origin):
                SavedClip(
                    id: inserted[origin]?.id.key ?? 0, isNew: origin == index, object: inserted[origin])
            }
        }
    }
}
