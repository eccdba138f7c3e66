package import PersistentStore

/// The titles and values that name changes of the history.
package struct ChangeContext: Sendable {
    fileprivate var titles: [Int64: String] = [:]
    fileprivate var replaced = ReplacedTitles()
    fileprivate var values: [Int64: ValuesAfter] = [:]
    /// The present quotes by their keys, and the clips to which quotes belong, by their UUIDs.
    fileprivate var quotes: [Int64: StoredObject] = [:]
    fileprivate var owners: [AttributeValue: Clip] = [:]

    /// Returns a change such as `starred clip 7 “Title”`, or `insert Record 3` for another entity; nil if that of another
    /// change of the transaction says it.
    ///
    /// - Parameter transaction: The changes of the transaction, or of a piece of it.
    package func sentence(
        _ change: HistoryChange, of transaction: [HistoryChange] = [], role: UndoHistory.Role = .work
    ) -> String? {
        if change.objectID.entity == Quote.entity {
            let hasClip = transaction.contains { $0.objectID.entity == ClipModel.entity }
            return quoteSentence(change, role)
                ?? (hasClip ? nil : ChangeWords(QuoteCounts([change]), role: role).phrase)
        }
        if change.changesOnlyTime, transaction.contains(where: { isKnownQuote($0, of: change.objectID.key) })
        {
            return nil
        }
        guard change.objectID.entity == ClipModel.entity else {
            let names = change.updatedAttributes.joined(separator: ", ")
            return "\(change.kind) \(change.objectID)\(names.isEmpty ? "" : " (\(names))")"
        }
        let clip = change.objectID.key
        let title =
            change.tombstone.flatMap(ClipModel.title(of:)) ?? replaced.title(of: clip, at: change.number)
            ?? titles[clip]
        let quoted = title.map { " \(Clip.quoted($0))" }
        let quotes = QuoteCounts(ofClipsIn: transaction)
        return ChangeWords(change, after: values[change.number], quotes: quotes, role: role).sentence(
            "clip \(clip)\(quoted ?? "")")
    }

    /// - Parameter clip: The clip to which the quote belongs, if its clip is not deleted.
    private func isKnownQuote(_ change: HistoryChange, of clip: Int64) -> Bool {
        change.objectID.entity == Quote.entity && quoteSentence(change) != nil
            && owner(of: change).map { $0.id == clip } ?? true
    }

    private func value(_ name: String, of change: HistoryChange) -> AttributeValue? {
        change.tombstone?[name] ?? quotes[change.objectID.key]?[name]
    }

    private func owner(of quote: HistoryChange) -> Clip? {
        value(Quote.clip, of: quote).flatMap { owners[$0] }
    }

    /// Returns a change such as `quoted “Words” from clip 7 “Title”`, or the one that it undid; nil if the words are not
    /// known any more.
    private func quoteSentence(_ change: HistoryChange, _ role: UndoHistory.Role = .work) -> String? {
        guard let text = value("text", of: change)?.textValue else { return nil }
        let owner = owner(of: change)
        let source = owner.map { "clip \($0.id) \(Clip.quoted($0.displayTitle))" } ?? "a deleted clip"
        let quote = "\(Clip.quoted(text)) from \(source)"
        return switch (change.kind, role.isUndo) {
        case (.insert, false), (.delete, true): role.sentence("quoted \(quote)")
        case (.delete, false), (.insert, true): role.sentence("deleted the quote \(quote)")
        case (.update, _): role.sentence("changed the quote \(quote)")
        }
    }
}

extension StoreSnapshot {
    /// Returns titles as ``titles(of:maxLater:)`` does; of a clip whose ID another one has now, the title that it had when
    /// it was first deleted after a transaction.
    func titles(of clips: [Int64], after token: HistoryToken) throws(StoreError) -> [Int64: String] {
        var titles = try titles(of: clips)
        for clip in try fetch(FetchRequest(clips: .keys(clips), [.uuid, .created])) {
            let deletion = ChangePredicate.and([.object(clip.id), .kind(.delete)])
            let request = HistoryFetchRequest(.after(token), changes: deletion, limit: 1)
            let deleted = try transactions(request).first?.changes.first?.tombstone
            if let deleted, !clip.isClip(deletedAs: deleted) {
                titles[clip.id.key] = ClipModel.title(of: deleted)
            }
        }
        return titles
    }
}

extension ClipStore {
    /// Returns the titles of clips, as ``StoreSnapshot/titles(of:maxLater:)`` does.
    package func titles(of clips: [Int64]) async throws(StoreError) -> [Int64: String] {
        try await container.read { snapshot throws(StoreError) in try snapshot.titles(of: clips) }
    }

    /// Reads the titles of the clips that changed, and the values after the changes.
    package func context(of changes: [HistoryChange]) async throws(StoreError) -> ChangeContext {
        let quoting = changes.filter { $0.objectID.entity == Quote.entity }
        let changes = changes.filter { $0.objectID.entity == ClipModel.entity }
        let named = Set(changes.filter { $0.kind != .delete }.map(\.objectID.key)).sorted()
        guard !named.isEmpty || !quoting.isEmpty else { return ChangeContext() }
        let updates = changes.map { ($0, ChangeWords($0).lacking) }.filter { !$0.1.isEmpty }
        let lacking = updates.reduce(into: Set()) { $0.formUnion($1.1) }
        return try await container.read { snapshot throws(StoreError) in
            var context = try snapshot.quoteContext(of: quoting)
            // Each batch of transactions reads the later ones.
            let maxLater = 100_000
            context.titles = try snapshot.titles(of: named, maxLater: maxLater)
            context.replaced.add(
                changes.lazy.map {
                    ($0.number, $0.kind, $0.objectID.key, $0.tombstone.flatMap(ClipModel.title(of:)))
                })
            context.values = try snapshot.values(
                lacking, after: updates.map { ($0.0.number, $0.0.objectID.key) }, maxLater: maxLater)
            return context
        }
    }
}

extension StoreSnapshot {
    /// Returns the present titles of clips, and the last titles of deleted ones.
    ///
    /// - Parameter maxLater: The maximum number of changes among which deletions are searched.
    func titles(
        of clips: [Int64], maxLater: Int = TransactionDetail.maxLaterChanges
    ) throws(StoreError) -> [Int64: String] {
        var titles: [Int64: String] = [:]
        var untitled: [Int64] = []
        for object in try fetch(FetchRequest(clips: .keys(clips), [.title, .url])) {
            let clip = Clip(object)
            titles[clip.id] = clip.displayTitle
            if clip.displayTitle == Clip.untitled, clip.title != Clip.untitled { untitled.append(clip.id) }
        }
        // A text may be megabytes, and is the title only without a better one.
        var request = FetchRequest(clips: .keys(untitled), [.text])
        request.maxTextBytes = 4096
        if !untitled.isEmpty {
            for object in try fetch(request) { titles[object.id.key] = Clip(object).displayTitle }
        }
        let missing = clips.filter { titles[$0] == nil }
        guard !missing.isEmpty else { return titles }
        let deletions = try transactions(
            after: max(0, try newestToken().number - Int64(maxLater)),
            changes: .and([.kind(.delete), .objects(Set(missing.map(ClipModel.objectID)))]))
        for change in deletions.flatMap(\.changes) {
            titles[change.objectID.key] = change.tombstone.flatMap(ClipModel.title(of:))
        }
        return titles
    }

    /// Returns the transactions after one, or all if the history begins later.
    func transactions(
        after number: Int64, where predicate: TransactionPredicate? = nil, changes: ChangePredicate? = nil
    ) throws(StoreError) -> [HistoryTransaction] {
        var found: [HistoryTransaction] = []
        try forEachTransaction(after: number, where: predicate, changes: changes) {
            found.append($0)
            return true
        }
        return found
    }

    /// Passes the transactions after one, or all if the history begins later.
    func forEachTransaction(
        after number: Int64, where predicate: TransactionPredicate? = nil, changes: ChangePredicate? = nil,
        _ body: (HistoryTransaction) throws(StoreError) -> Bool
    ) throws(StoreError) {
        var request = HistoryFetchRequest(.afterTransaction(number), where: predicate, changes: changes)
        do {
            try forEachTransaction(request, body)
        } catch .tokenExpired {
            request.start = .beginning
            try forEachTransaction(request, body)
        }
    }

    fileprivate func quoteContext(of changes: [HistoryChange]) throws(StoreError) -> ChangeContext {
        var context = ChangeContext()
        guard !changes.isEmpty else { return context }
        for quote in try fetch(FetchRequest(Quote.entity, where: .keys(changes.map(\.objectID.key)))) {
            context.quotes[quote.id.key] = quote
        }
        let clips =
            context.quotes.values.map { $0[Quote.clip] } + changes.compactMap { $0.tombstone?[Quote.clip] }
        let request = FetchRequest(
            clips: .isOneOf(ClipAttribute.uuid.rawValue, Array(Set(clips))), [.uuid, .title, .url])
        for clip in try fetch(request) { context.owners[clip[.uuid]] = Clip(clip) }
        return context
    }
}
