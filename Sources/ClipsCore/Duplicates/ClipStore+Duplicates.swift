import PersistentStore
import SearchIndex

extension ClipStore {
    /// Saves clips as one transaction, with a policy for URLs that already exist.
    ///
    /// Two processes may save the same URL concurrently: the second one to commit finds the other's clip, and
    /// resolves its own into that one.
    ///
    /// - Returns: the clip that contains each draft, and the numbers of clips.
    package func add(
        _ drafts: [ClipDraft], duplicates policy: DuplicatePolicy
    ) async throws -> (ids: [Int64], outcome: DuplicateOutcome) {
        for draft in drafts { try draft.check() }
        let now = now()
        var work = drafts.map { draft in
            var completed = draft.completed(author: author, now: now)
            if policy != .keepBoth { completed.url = CanonicalURL.inUsualSpelling(completed.url) }
            return (completed, isDated: draft.created != nil)
        }
        var ids: [Int64] = []
        var outcome = DuplicateOutcome()
        // The indices of this round's drafts in the first one, and the clips that were inserted for them.
        var (positions, own): ([Int], [Int64]) = (Array(drafts.indices), [])
        for round in 1... {
            let known = try await clips(like: work.map(\.0), includingVariants: policy != .keepBoth)
            var plan = DuplicatePlan(policy: policy, stored: known.filter { !own.contains($0.id) })
            for (draft, isDated) in work { plan.add(draft, isDated: isDated) }
            let saved: (inserted: [Int: Int64], found: [StoredObject])
            do {
                saved = try await commit(
                    plan, policy, removing: known.filter { own.contains($0.id) }, now: now)
            } catch StoreError.conflict where round < Self.maxRounds {
                continue
            } catch StoreError.constraint
                where round < Self.maxRounds && drafts.contains(where: { $0.uuid != nil })
            {
                // Another process has saved a clip with the same UUID.
                continue
            }
            outcome += plan.outcome
            outcome.saved -= own.count
            let now = plan.ids(saved.inserted)
            if ids.isEmpty { ids = now } else { for (index, id) in zip(positions, now) { ids[index] = id } }
            let others = saved.found.filter {
                !plan.knownIDs.contains($0.id.key) && !own.contains($0.id.key)
            }
            guard policy != .keepBoth, !others.isEmpty, round < Self.maxRounds else { break }
            let urls = Set(others.compactMap { $0[ClipAttribute.url.rawValue].textValue })
            let raced = plan.inserted(with: urls)
            own = raced.compactMap { saved.inserted[$0] }
            work = raced.map { (plan.content(at: $0), isDated: true) }
            positions = own.compactMap { ids.firstIndex(of: $0) }
        }
        return (ids, outcome)
    }

    /// More rounds can only be caused deliberately.
    private static var maxRounds: Int { 20 }

    private func clips(like drafts: [ClipDraft], includingVariants: Bool) async throws -> [Clip] {
        guard let predicate = DuplicatePlan.lookup(drafts) else { return [] }
        var known = try await container.fetch(FetchRequest(ClipModel.entity, where: predicate)).map(Clip.init)
        guard includingVariants else { return known }
        let keys = Set(drafts.map { CanonicalURL.key($0.url) })
        let (exact, prefixes) = DuplicatePlan.variants(drafts)
        let name = ClipAttribute.url.rawValue
        var request = FetchRequest(ClipModel.entity, where: .isOneOf(name, exact))
        request.attributes = [name]
        let lookup = request
        let variants = try await container.read { snapshot throws(StoreError) in
            let found =
                try snapshot.fetch(lookup)
                + snapshot.objects(of: ClipModel.entity, with: name, beginningWithOneOf: prefixes)
            return Set(
                found.filter { keys.contains(CanonicalURL.key($0[name].textValue ?? "")) }.map(\.id.key))
        }
        known += try await clips(variants.subtracting(known.map(\.id)).sorted())
        return known
    }

    private func commit(
        _ plan: DuplicatePlan, _ policy: DuplicatePolicy, removing: [Clip], now: Int64
    ) async throws -> (inserted: [Int: Int64], found: [StoredObject]) {
        let context = makeContext()
        // Other policies find the clips that another process has saved since the lookup.
        if policy == .keepBoth, removing.isEmpty, let batch = try plan.batch(author: author, now: now) {
            var request = BatchInsertRequest(
                ClipModel.entity, attributes: ClipModel.names, rows: batch.map(\.row))
            request.returnsObjectIDs = true
            let ids = try await context.execute(request).objectIDs ?? []
            return (Dictionary(uniqueKeysWithValues: zip(batch.map(\.index), ids.map(\.key))), [])
        }
        let temporary = try await plan.apply(to: context, author: author, now: now)
        for clip in removing { try await context.delete(clip.objectID, onVersion: clip.version) }
        let urls = Set(temporary.keys.map { plan.content(at: $0).url }).subtracting([""])
        var lookup: FetchRequest?
        if policy != .keepBoth, !urls.isEmpty {
            lookup = FetchRequest(
                ClipModel.entity,
                where: .isOneOf(ClipAttribute.url.rawValue, urls.sorted().map(AttributeValue.text)))
            lookup?.attributes = [ClipAttribute.url.rawValue]
        }
        let result = try await context.save(moving: nil, finding: lookup)
        return (temporary.mapValues { result.permanentID($0).key }, result.found)
    }
}
