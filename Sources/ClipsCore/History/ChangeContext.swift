package import PersistentStore

/// The titles and tags that name changes of the history.
package struct ChangeContext: Sendable {
    fileprivate var titles: [Int64: String] = [:]
    fileprivate var tags: [Int64: String] = [:]
    /// The present quotes by their keys, and the clips to which quotes belong, by their UUIDs.
    fileprivate var quotes: [Int64: StoredObject] = [:]
    fileprivate var owners: [AttributeValue: Clip] = [:]

    private static let maxTitle = 40

    /// Returns a change such as `starred clip 7 “Title”`, or `insert Record 3` for another entity.
    package func sentence(_ change: HistoryChange, role: UndoHistory.Role = .work) -> String {
        if change.objectID.entity == Quote.entity, let sentence = quoteSentence(change) { return sentence }
        guard change.objectID.entity == ClipModel.entity else {
            let names = change.updatedAttributes.joined(separator: ", ")
            return "\(change.kind) \(change.objectID)\(names.isEmpty ? "" : " (\(names))")"
        }
        let clip = change.objectID.key
        let title = change.tombstone.flatMap(ClipModel.title(of:)) ?? titles[clip]
        let quoted = title.map { " \(Self.quoted($0))" }
        return ChangeWords(change, tags: tags[change.number], role: role).sentence(
            "clip \(clip)\(quoted ?? "")")
    }

    /// Returns a change such as `quoted “Words” from clip 7 “Title”`; nil if the words are not known any more.
    private func quoteSentence(_ change: HistoryChange) -> String? {
        func value(_ name: String) -> AttributeValue? {
            change.tombstone?[name] ?? quotes[change.objectID.key]?[name]
        }
        guard let text = value("text")?.textValue else { return nil }
        let owner = value(Quote.clip).flatMap { owners[$0] }
        let source = owner.map { "clip \($0.id) \(Self.quoted($0.displayTitle))" } ?? "a deleted clip"
        return switch change.kind {
        case .insert: "quoted \(Self.quoted(text)) from \(source)"
        case .delete: "deleted the quote \(Self.quoted(text)) from \(source)"
        case .update: "changed the quote \(Self.quoted(text)) from \(source)"
        }
    }

    private static func quoted(_ text: String) -> String {
        "“\(text.prefix(maxTitle))\(text.count > maxTitle ? "…" : "")”"
    }
}

extension ClipStore {
    /// Reads the present titles of the clips that changed, and the tags after the changes.
    package func context(of changes: [HistoryChange]) async throws(StoreError) -> ChangeContext {
        let quoting = changes.filter { $0.objectID.entity == Quote.entity }
        let changes = changes.filter { $0.objectID.entity == ClipModel.entity }
        let named = Set(changes.filter { $0.kind != .delete }.map(\.objectID.key)).sorted()
        guard !named.isEmpty || !quoting.isEmpty else { return ChangeContext() }
        let tagged = changes.filter { $0.updatedAttributes.contains(ClipAttribute.tags.rawValue) }
        return try await container.read { snapshot throws(StoreError) in
            var context = try snapshot.quoteContext(of: quoting)
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

extension StoreSnapshot {
    fileprivate func quoteContext(of changes: [HistoryChange]) throws(StoreError) -> ChangeContext {
        var context = ChangeContext()
        guard !changes.isEmpty else { return context }
        for quote in try fetch(FetchRequest(Quote.entity, where: .keys(changes.map(\.objectID.key)))) {
            context.quotes[quote.id.key] = quote
        }
        let clips =
            context.quotes.values.map { $0[Quote.clip] } + changes.compactMap { $0.tombstone?[Quote.clip] }
        var request = FetchRequest(
            ClipModel.entity, where: .isOneOf(ClipAttribute.uuid.rawValue, Array(Set(clips))))
        request.attributes = [ClipAttribute.uuid, .title, .url].map(\.rawValue)
        for clip in try fetch(request) { context.owners[clip[.uuid]] = Clip(clip) }
        return context
    }
}
