package import PersistentStore
import SearchIndex

extension ClipStore {
    /// Saves clips as one transaction, with a policy for URLs that already exist.
    ///
    /// - Returns: the clip that contains each draft, and the numbers of clips.
    package func add(
        _ drafts: [ClipDraft], duplicates policy: DuplicatePolicy
    ) async throws -> (ids: [Int64], outcome: DuplicateOutcome) {
        try await save(drafts, duplicates: policy).value
    }

    /// Saves a clip, or merges it into the oldest clip with its URL, or else of its page.
    ///
    /// - Returns: the clip that contains the draft, whether it existed, and whether it was archived until then.
    package func merge(
        _ draft: ClipDraft
    ) async throws -> Written<(clip: Int64, isMerged: Bool, isUnarchived: Bool)> {
        let written = try await save([draft], duplicates: .merge)
        let (ids, outcome) = written.value
        return Written(
            value: (clip: ids[0], isMerged: outcome.saved == 0, isUnarchived: outcome.unarchived > 0),
            token: written.token)
    }

    /// Returns how many drafts are of a page that is saved, and the first clip of one of them with its title.
    package func existing(
        _ drafts: [ClipDraft]
    ) async throws(StoreError) -> (count: Int, first: (id: Int64, title: String)?) {
        let lookup = DuplicateLookup(drafts, includesVariants: true)
        return try await container.read { snapshot throws(StoreError) in
            let stored = try lookup.variants(in: snapshot)
            let keys = Set(stored.map { CanonicalURL.key($0.url) })
            let count = drafts.count { !$0.url.isEmpty && keys.contains(CanonicalURL.key($0.url)) }
            let urls = Set(drafts.map { CanonicalURL.inUsualSpelling($0.url) })
            let exact = stored.filter { urls.contains($0.url) }
            guard let id = (exact.isEmpty ? stored : exact).map(\.id).min(),
                let title = try snapshot.titles(of: [id])[id]
            else {
                return (0, nil)
            }
            return (count, (id, title))
        }
    }

    private func save(
        _ drafts: [ClipDraft], duplicates policy: DuplicatePolicy
    ) async throws -> Written<(ids: [Int64], outcome: DuplicateOutcome)> {
        for draft in drafts { try draft.check() }
        let (author, now) = (author, now())
        let work = drafts.map { draft in
            (draft: draft.completed(author: author, now: now), isDated: draft.created != nil)
        }
        // Of many clips, finding the variants costs more than saving, and they would only be counted.
        let hasVariants = policy != .keepBoth || drafts.count < Self.partSize
        let lookup = DuplicateLookup(work.map(\.draft), includesVariants: hasVariants)
        return try await write { transaction in
            var plan = DuplicatePlan(
                policy: policy, hasVariants: hasVariants, stored: try lookup.clips(in: transaction.snapshot))
            for (draft, isDated) in work { plan.add(draft, isDated: isDated) }
            return (ids: try plan.apply(in: &transaction, author: author, now: now), outcome: plan.outcome)
        }
    }
}
