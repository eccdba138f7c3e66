import FoundationEssentials
package import PersistentStore

extension ClipStore {
    /// Saves a clip that somebody deleted again, under its own id, with changes made to it meanwhile.
    package func bringBack(
        _ clip: Clip, with changes: [ClipAttribute: Value]
    ) async throws(StoreError) -> SaveResult {
        var values: [ClipAttribute: Value] = [
            .uuid: .text(clip.uuid), .url: .text(clip.url), .title: .text(clip.title),
            .text: .text(clip.text), .note: .text(clip.note), .tags: .text(Tags(clip.tags).joined),
            .author: .text(clip.author), .starred: .boolean(clip.isStarred),
            .unread: .boolean(clip.isUnread),
            .created: .integer(Int64((clip.created.timeIntervalSince1970 * 1000).rounded())),
        ]
        values.merge(changes) { $1 }
        let context = makeContext()
        let named = Dictionary(uniqueKeysWithValues: values.map { ($0.rawValue, $1) })
        try await context.restore(clip.objectID, stamped(named))
        return try await context.save()
    }
}
