package import PersistentStore

/// Saves, deletes, and reads the quotes of clips. Each change also changes the time of the clip, so that lists and
/// readers show it.
extension ClipStore {
    /// Adds a quote to a clip. Returns whether the clip exists.
    package func add(_ quote: Quote, to clip: Int64) async throws(StoreError) -> Written<Bool> {
        let (author, now) = (author, now())
        return try await write { transaction throws(StoreError) -> Bool in
            guard let uuid = try transaction.touch(clip, at: now) else { return false }
            try transaction.insert([quote], clip: uuid, author: author, now: now)
            return true
        }
    }

    /// Replaces the note of a quote, or deletes the quote. Returns whether it existed.
    ///
    /// - Parameter note: The note; nil to delete the quote.
    package func change(
        _ quote: Quote, of clip: Int64, note: String?
    ) async throws(StoreError) -> Written<Bool> {
        let now = now()
        return try await write { transaction throws(StoreError) -> Bool in
            let request = FetchRequest(Quote.entity, where: .equal("uuid", .text(quote.uuid)))
            guard let object = try transaction.fetch(request).first else { return false }
            _ = try transaction.touch(clip, at: now)
            guard let note else { return try transaction.delete(object.id) }
            try transaction.set(["note": .text(note)], of: object.id)
            return true
        }
    }
}

extension StoreSnapshot {
    /// Returns the quotes of clips by the UUIDs of the clips, oldest first.
    func quotes(of clips: [String]) throws(StoreError) -> [String: [Quote]] {
        let found = try fetch(Self.request(clips))
        return Dictionary(grouping: found) { $0[Quote.clip].textValue ?? "" }
            .mapValues { $0.map(Quote.init) }
    }

    fileprivate static func request(_ clips: [String]) -> FetchRequest {
        FetchRequest(
            Quote.entity, where: .isOneOf(Quote.clip, clips.map(AttributeValue.text)),
            sort: [SortKey("created"), SortKey("id")])
    }
}

extension StoreTransaction {
    /// Changes the time of a clip, also within the millisecond of its last change: the history has no change to the same
    /// value, and would not name the clip.
    ///
    /// - Returns: The UUID of the clip; nil if it does not exist.
    fileprivate mutating func touch(_ clip: Int64, at now: Int64) throws(StoreError) -> String? {
        let clips = try fetch(FetchRequest(clips: .keys([clip]), [.updated, .uuid]))
        guard let object = clips.first else { return nil }
        let isSame = object[.updated].integerValue == now
        try set([ClipAttribute.updated.rawValue: .integer(isSame ? now + 1 : now)], of: object.id)
        return object[.uuid].textValue
    }

    /// Inserts quotes of a clip, except those that it has. A UUID that a quote of another clip has is replaced.
    mutating func insert(_ quotes: [Quote], clip: String, author: String, now: Int64) throws(StoreError) {
        guard !quotes.isEmpty else { return }
        let request = FetchRequest(
            Quote.entity, where: .isOneOf("uuid", quotes.map { AttributeValue.text($0.uuid) }))
        var known: [String: String] = [:]
        for object in try fetch(request) { known[Quote(object).uuid] = object[Quote.clip].textValue ?? "" }
        for var quote in quotes where known[quote.uuid] != clip {
            if known[quote.uuid] != nil || quote.uuid.isEmpty { quote.uuid = ClipUUID.make(at: now) }
            known[quote.uuid] = clip
            try insert(Quote.entity, quote.values(clip: clip, author: author, now: now))
        }
    }

    /// Deletes clips with their quotes. Returns those that existed.
    mutating func deleteClips(_ ids: [Int64]) throws(StoreError) -> [Int64] {
        let clips = try fetch(FetchRequest(clips: .keys(ids), [.uuid])).map { $0.text(.uuid) }
        for quote in try fetch(StoreSnapshot.request(clips)) { try delete(quote.id) }
        var deleted: [Int64] = []
        for id in ids where try delete(ClipModel.objectID(id)) { deleted.append(id) }
        return deleted
    }

    /// Restores the quotes that transactions deleted with clips, and those that were deleted later because the clips had
    /// left them. Reads the history after the first deletion once.
    ///
    /// - Parameter clips: The UUIDs that the clips had, those that they have now, and their deletions.
    mutating func restoreQuotes(of clips: [(old: String, new: String, deletion: HistoryToken)])
        throws(StoreError)
    {
        guard let first = clips.map(\.deletion).min(by: { $0.number < $1.number }) else { return }
        let deletions = ChangePredicate.and([.entity(Quote.entity), .kind(.delete)])
        var deleted = (try snapshot.transaction(first, changes: deletions)?.changes ?? []).map {
            ($0, first.number, false)
        }
        try snapshot.forEachChange(HistoryFetchRequest(.after(first), changes: deletions)) { change, origin in
            let work = StepName(origin.contextName).work
            let isRepair = work.split(separator: " ").last == UndoHistory.repairingContext[...]
            deleted.append((change, origin.number, isRepair))
            return true
        }
        guard !deleted.isEmpty else { return }
        let known = Dictionary(clips.map { (AttributeValue.text($0.old), $0) }) { first, _ in first }
        for (change, number, isRepair) in deleted {
            guard let tombstone = change.tombstone, let clip = tombstone[Quote.clip].flatMap({ known[$0] }),
                number == clip.deletion.number || isRepair && number > clip.deletion.number,
                try object(change.objectID) == nil
            else { continue }
            var values = try ClipStore.restorable([tombstone], of: Quote.entity, in: snapshot)[0]
            values[Quote.clip] = .text(clip.new)
            try restore(change.objectID, values)
        }
    }

    /// Gives the quotes of clips to another clip.
    ///
    /// - Returns: Whether they had any.
    mutating func moveQuotes(of clips: [String], to clip: String) throws(StoreError) -> Bool {
        let quotes = try fetch(StoreSnapshot.request(clips))
        for quote in quotes { try update(quote.id, [Quote.clip: .text(clip)]) }
        return !quotes.isEmpty
    }
}
