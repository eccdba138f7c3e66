package import PersistentStore
import SearchIndex

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
    /// - Parameter unlessURLExists: The indices of the drafts for which a clip of the same page is the result: the newest
    ///   with the URL, or else the oldest with a variant of it.
    /// - Returns: the clips of the drafts, in order. One draft may be the result of another one.
    package func addOnce(
        _ drafts: [ClipDraft], unlessURLExists: Set<Int> = []
    ) async throws -> [SavedClip] {
        let (author, now) = (author, now())
        let rows = try drafts.map { try $0.values(author: author, now: now) }
        return try await write { transaction throws(StoreError) -> [SavedClip] in
            var saved: [SavedClip] = []
            for (index, draft) in drafts.enumerated() {
                if unlessURLExists.contains(index),
                    let known = try Self.clip(ofPage: draft, in: transaction.snapshot)
                {
                    saved.append(SavedClip(id: known, isNew: false, object: nil))
                    continue
                }
                do throws(StoreError) {
                    let object = try transaction.insert(ClipModel.entity, rows[index])
                    saved.append(SavedClip(id: object.id.key, isNew: true, object: object))
                } catch {
                    // A repeated call is rare, so the index of the UUIDs refuses it without a query before.
                    guard case .constraint = error, let uuid = draft.uuid,
                        let known = try Self.newest(.uuid, uuid, in: transaction.snapshot)
                    else { throw error }
                    saved.append(SavedClip(id: known, isNew: false, object: nil))
                }
            }
            for (draft, clip) in zip(drafts, saved) where !draft.quotes.isEmpty {
                guard let uuid = try transaction.object(ClipModel.objectID(clip.id))?.text(.uuid) else {
                    continue
                }
                try transaction.insert(draft.quotes, clip: uuid, author: author, now: now)
                if !clip.isNew {
                    try transaction.set(stamped([String: AttributeValue]()), of: ClipModel.objectID(clip.id))
                }
            }
            return saved
        }.value
    }

    /// Returns the clip of a draft's page.
    private static func clip(
        ofPage draft: ClipDraft, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> Int64? {
        if let known = try newest(.url, CanonicalURL.inUsualSpelling(draft.url), in: snapshot) {
            return known
        }
        return try DuplicateLookup([draft], includesVariants: true).variants(in: snapshot).map(\.id).min()
    }

    static func newest(
        _ attribute: ClipAttribute, _ text: String, in snapshot: borrowing StoreSnapshot
    ) throws(StoreError) -> Int64? {
        guard !text.isEmpty else { return nil }
        let request = FetchRequest(
            clips: .equal(attribute.rawValue, .text(text)), [], sort: [SortKey("id", isAscending: false)],
            limit: 1)
        return try snapshot.fetch(request).first?.id.key
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
}
