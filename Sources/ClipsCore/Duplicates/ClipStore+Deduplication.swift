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
                clips: .compare(name, .notEqual, .text("")), [.url], sort: [SortKey("id")], limit: 1000)
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
        var part: [Int64] = []
        for (key, ids) in rest {
            part += (first[key].map { [$0] } ?? []) + ids
            guard part.count >= Self.partSize else { continue }
            groups += try await duplicates(among: part)
            part = []
        }
        groups += try await duplicates(among: part)
        return groups.sorted { $0.clips[0].id < $1.clips[0].id }
    }

    private func duplicates(among ids: [Int64]) async throws(StoreError) -> [DuplicateGroup] {
        let request = FetchRequest(
            ClipModel.entity, where: .keys(ids), attributes: ClipModel.listAttributes)
        let clips = try await container.fetch(request).map(Clip.init)
        return Dictionary(grouping: clips) { CanonicalURL.key($0.url) }.values.filter { $0.count > 1 }
            .map { DuplicateGroup(clips: $0.sorted { ($0.created, $0.id) < ($1.created, $1.id) }) }
    }

    /// Makes each group one clip.
    ///
    /// - Parameter policy: `merge` retains all contents, `skip` the oldest clip, `replace` the contents of the
    ///   newest.
    /// - Returns: the remaining clips, and the number of deleted ones. A group whose texts together exceed the
    ///   size of a clip remains.
    package func mergeDuplicates(
        _ groups: [DuplicateGroup], _ policy: DuplicatePolicy
    ) async throws -> (remaining: [Int64], deleted: Int, token: HistoryToken?) {
        let written = try await inParts(groups.map { $0.clips.map(\.id) }, work: "dedupe") {
            transaction, part throws(StoreError) in
            let known = try Self.clips(part.flatMap(\.self), in: transaction.snapshot)
            let clips = Dictionary(uniqueKeysWithValues: known.map { ($0.id, $0) })
            var merged: [(remaining: Int64, deleted: Int)] = []
            for ids in part {
                let clips = ids.compactMap { clips[$0] }
                guard let first = clips.first, clips.count > 1,
                    Set(clips.map { CanonicalURL.key($0.url) }).count == 1,
                    let content = content(of: clips.map { ClipDraft($0) }, policy),
                    let changes = try? content.changes(from: ClipDraft(first))
                else { continue }
                let hasQuotes = try transaction.moveQuotes(of: clips.dropFirst().map(\.uuid), to: first.uuid)
                // A clip that gets nothing from the others is not changed.
                if hasQuotes || changes.keys.contains(where: { $0 != ClipAttribute.updated.rawValue }) {
                    try transaction.set(changes, of: first.objectID)
                }
                for clip in clips.dropFirst() { try transaction.delete(clip.objectID) }
                merged.append((first.id, clips.count - 1))
            }
            return merged
        }
        let deleted = written.value.reduce(0) { $0 + $1.deleted }
        return (written.value.map(\.remaining), deleted, written.token)
    }

    private func content(of drafts: [ClipDraft], _ policy: DuplicatePolicy) -> ClipDraft? {
        switch policy {
        case .keepBoth: return nil
        case .skip: return drafts.first
        case .replace: return drafts.last
        case .merge:
            let merged = drafts.dropFirst().reduce(drafts[0]) { ClipMerge.merged($0, $1) }
            let fits = [merged.text, merged.note].allSatisfy { $0.utf8.count <= ClipDraft.largestText }
            return fits ? merged : nil
        }
    }
}
