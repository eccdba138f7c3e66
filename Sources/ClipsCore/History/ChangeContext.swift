package import PersistentStore

/// The titles and tags that name changes of the history.
package struct ChangeContext: Sendable {
    fileprivate var titles: [Int64: String] = [:]
    fileprivate var tags: [Int64: String] = [:]

    private static let maxTitle = 40

    /// Returns a change such as `starred clip 7 “Title”`, or `insert Record 3` for another entity.
    package func sentence(_ change: HistoryChange) -> String {
        guard change.objectID.entity == ClipModel.entity else {
            let names = change.updatedAttributes.joined(separator: ", ")
            return "\(change.kind) \(change.objectID)\(names.isEmpty ? "" : " (\(names))")"
        }
        let clip = change.objectID.key
        let title = change.tombstone.flatMap(ClipModel.title(of:)) ?? titles[clip]
        let quoted = title.map { " “\($0.prefix(Self.maxTitle))\($0.count > Self.maxTitle ? "…" : "")”" }
        return ChangeWords(change, tags: tags[change.number]).sentence("clip \(clip)\(quoted ?? "")")
    }
}

extension ClipStore {
    /// Reads the present titles of the clips that changed, and the tags after the changes.
    package func context(of changes: [HistoryChange]) async throws(StoreError) -> ChangeContext {
        let changes = changes.filter { $0.objectID.entity == ClipModel.entity }
        let named = Set(changes.filter { $0.kind != .delete }.map(\.objectID.key)).sorted()
        guard !named.isEmpty else { return ChangeContext() }
        let tagged = changes.filter { $0.updatedAttributes.contains(ClipAttribute.tags.rawValue) }
        return try await container.read { snapshot throws(StoreError) in
            var context = ChangeContext()
            var request = FetchRequest(ClipModel.entity, where: .keys(named))
            request.attributes = [ClipAttribute.title.rawValue, ClipAttribute.url.rawValue]
            for object in try snapshot.fetch(request) {
                let clip = Clip(object)
                context.titles[clip.id] = clip.displayTitle
            }
            // Each batch of transactions reads the later ones.
            context.tags = try snapshot.tags(
                after: tagged.map { ($0.number, $0.objectID.key) }, maxLater: 20_000)
            return context
        }
    }
}
