package import PersistentStore
import SearchIndex

/// Clips whose URLs are variants of one, oldest first. The first one remains.
package struct DuplicateGroup: Hashable, Sendable {
    package let clips: [Clip]
}

/// Finds and merges the duplicates that a store has.
extension ClipStore {
    /// Returns the groups of duplicates, by their oldest clips, without their texts and notes.
    ///
    /// - Complexity: Reads the URL of each clip; 16 bytes for each.
    package func duplicates() async throws(StoreError) -> [DuplicateGroup] {
        let name = ClipAttribute.url.rawValue
        let (first, rest) = try await container.read { snapshot throws(StoreError) in
            var first: [Int: Int64] = [:]
            var rest: [Int: [Int64]] = [:]
            var request = FetchRequest(
                ClipModel.entity, where: .compare(name, .notEqual, .text("")),
                sort: [SortKey("id", isAscending: true)], limit: 1000)
            request.attributes = [name]
            while true {
                let objects = try snapshot.fetch(request)
                for object in objects {
                    let key = CanonicalURL.key(object[name].textValue ?? "").hashValue
                    if first[key] == nil {
                        first[key] = object.id.key
                    } else {
                        rest[key, default: []].append(object.id.key)
                    }
                }
                guard let last = objects.last, objects.count == request.limit else { break }
                request.after = snapshot.position(of: last, in: request.sort)
            }
            return (first, rest)
        }
        var groups: [DuplicateGroup] = []
        for (key, ids) in rest {
            groups += try await duplicates(among: (first[key].map { [$0] } ?? []) + ids)
        }
        return groups.sorted { $0.clips[0].id < $1.clips[0].id }
    }

    private func duplicates(among ids: [Int64]) async throws(StoreError) -> [DuplicateGroup] {
        var request = FetchRequest(ClipModel.entity, where: .keys(ids))
        request.attributes = ClipModel.listAttributes
        let clips = try await container.fetch(request).map(Clip.init)
        return Dictionary(grouping: clips) { CanonicalURL.key($0.url) }.values.filter { $0.count > 1 }
            .map { DuplicateGroup(clips: $0.sorted { ($0.created, $0.id) < ($1.created, $1.id) }) }
    }

    /// Makes each group one clip, all in one transaction.
    ///
    /// - Parameter policy: `merge` retains all contents, `skip` the oldest clip, `replace` the contents of the
    ///   newest.
    /// - Returns: the remaining clips, and the number of deleted ones. A group whose texts together exceed the
    ///   size of a clip remains.
    package func mergeDuplicates(
        _ groups: [DuplicateGroup], _ policy: DuplicatePolicy
    ) async throws -> (remaining: [Int64], deleted: Int, token: HistoryToken?) {
        for attempt in 1... {
            let context = makeContext(name: "dedupe")
            var (remaining, deleted): ([Int64], Int) = ([], 0)
            for group in groups {
                let ids = group.clips.map(\.id)
                let clips = try await clips(ids)
                guard let first = clips.first, clips.count > 1,
                    Set(clips.map { CanonicalURL.key($0.url) }).count == 1,
                    let content = content(of: clips.map { ClipDraft($0) }, policy)
                else { continue }
                let changes = try content.changes(from: ClipDraft(first))
                if !changes.isEmpty {
                    try await context.update(first.objectID, changes, onVersion: first.version)
                }
                for clip in clips.dropFirst() {
                    try await context.delete(clip.objectID, onVersion: clip.version)
                }
                remaining.append(first.id)
                deleted += clips.count - 1
            }
            guard deleted > 0 else { return ([], 0, nil) }
            do {
                return (remaining, deleted, try await context.save().token)
            } catch {
                guard case .conflict = error, attempt < Self.maxAttempts else { throw error }
            }
        }
        return ([], 0, nil)
    }

    private func content(of drafts: [ClipDraft], _ policy: DuplicatePolicy) -> ClipDraft? {
        switch policy {
        case .keepBoth: return nil
        case .skip: return drafts.first
        case .replace: return drafts.last
        case .merge:
            let merged = drafts.dropFirst().reduce(drafts[0], ClipMerge.merged)
            let fits = [merged.text, merged.note].allSatisfy { $0.utf8.count <= ClipDraft.largestText }
            return fits ? merged : nil
        }
    }
}
