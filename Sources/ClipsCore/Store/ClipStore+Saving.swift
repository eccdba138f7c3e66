package import PersistentStore
import SearchIndex

/// The result of an edit during which other writers may have changed the clip.
package enum EditOutcome: Equatable, Sendable {
    case saved
    /// Saved; other writers had changed these attributes, none of which the edit changes.
    case savedWithOthers([ClipAttribute])
    /// Not saved: the edit and other writers set these attributes to different values.
    case clashed([ClipAttribute])
    /// Not saved: the clip was deleted.
    case deleted
}

/// A clip that exists for the page of a new one.
package struct EarlierClip: Hashable, Sendable {
    package let id: Int64
    /// Whether it has the same URL, and not another one that leads to the page.
    package let hasSameURL: Bool
}

/// Saves clips. What a change depends on is read with the write lock, so no other writer changes it in between.
extension ClipStore {
    /// Saves clips as one transaction and returns their IDs, in order. A clip whose UUID exists is not saved
    /// again.
    package func add(_ drafts: [ClipDraft]) async throws -> [Int64] { try await addOnce(drafts).map(\.id) }

    /// Saves one clip.
    ///
    /// - Returns: the clip's ID, the clips that had its URL or a variant of it before, those with the same URL
    ///   first, then oldest first, and the token that undoes the save.
    package func add(
        _ draft: ClipDraft
    ) async throws -> (id: Int64, earlier: [EarlierClip], token: HistoryToken?) {
        let added = try await add(draft, unlessSaved: false)
        return (added.id ?? 0, added.earlier, added.token)
    }

    /// Saves one clip, unless its URL or a variant of it exists.
    ///
    /// - Returns: the clip's ID, the clips of its page, and the token that undoes the save; no ID if nothing was saved.
    package func addUnlessSaved(
        _ draft: ClipDraft
    ) async throws -> (id: Int64?, earlier: [EarlierClip], token: HistoryToken?) {
        try await add(draft, unlessSaved: true)
    }

    private func add(
        _ draft: ClipDraft, unlessSaved: Bool
    ) async throws -> (id: Int64?, earlier: [EarlierClip], token: HistoryToken?) {
        let values = try draft.values(author: author, now: now())
        let lookup = DuplicateLookup([draft], includesVariants: true)
        let (url, author, now) = (CanonicalURL.inUsualSpelling(draft.url), author, now())
        let written = try await write { transaction throws(StoreError) in
            let same = url.isEmpty ? [] : try lookup.variants(in: transaction.snapshot)
            let earlier = same.map { EarlierClip(id: $0.id, hasSameURL: $0.url == url) }
                .sorted { ($0.hasSameURL ? 0 : 1, $0.id) < ($1.hasSameURL ? 0 : 1, $1.id) }
            guard earlier.isEmpty || !unlessSaved else { return (Int64?.none, earlier) }
            let clip = try transaction.insert(ClipModel.entity, values)
            try transaction.insert(draft.quotes, clip: clip.text(.uuid), author: author, now: now)
            return (clip.id.key, earlier)
        }
        return (written.value.0, written.value.1, written.token)
    }

    /// Changes attributes of a clip.
    ///
    /// - Parameter version: The version on which the changes are based; nil for any.
    /// - Throws: `StoreError.conflict` if the clip has another version, or was deleted.
    @discardableResult
    package func update(
        _ id: Int64, version: Int64? = nil, _ changes: [ClipAttribute: AttributeValue]
    ) async throws(StoreError) -> Written<Void> {
        let values = stamped(changes)
        return try await write { transaction throws(StoreError) in
            try transaction.update(ClipModel.objectID(id), values, onVersion: version)
        }
    }

    /// Saves the changes of an edit that may have taken any time.
    ///
    /// - Parameter base: The clip as it was when the edit began.
    package func save(_ changes: [ClipAttribute: AttributeValue], editedFrom base: Clip)
        async throws(StoreError) -> EditOutcome
    {
        let values = stamped(changes)
        return try await write { transaction throws(StoreError) in
            guard let stored = try transaction.object(base.objectID).map(Clip.init),
                stored.uuid == base.uuid
            else { return .deleted }
            let theirs = stored.version == base.version ? [] : stored.differences(from: base)
            let clashing = theirs.filter {
                changes[$0] != nil && changes[$0] != ClipDraft(stored).value(of: $0)
            }
            guard clashing.isEmpty else { return .clashed(clashing) }
            try transaction.set(values, of: base.objectID)
            return theirs.isEmpty ? .saved : .savedWithOthers(theirs)
        }.value
    }

    /// Deletes clips. The result has only those that existed.
    @discardableResult
    package func delete(_ ids: [Int64]) async throws(StoreError) -> Written<[Int64]> {
        try await inParts(ids) { transaction, part throws(StoreError) in
            try transaction.deleteClips(part)
        }
    }

    /// Saves a deleted clip again under its ID, with changes.
    @discardableResult
    package func restore(
        _ clip: Clip, with changes: [ClipAttribute: AttributeValue]
    ) async throws(StoreError) -> Written<Void> {
        var values: [ClipAttribute: AttributeValue] = [
            .uuid: .text(clip.uuid), .author: .text(clip.author),
            .created: .integer(clip.created.milliseconds),
        ]
        for attribute in Clip.editable { values[attribute] = ClipDraft(clip).value(of: attribute) }
        let restored = stamped(values.merging(changes) { $1 })
        return try await write(work: UndoHistory.Role.restore.contextName) {
            transaction throws(StoreError) in
            let values = try Self.restorable([restored], in: transaction.snapshot)[0]
            try transaction.restore(clip.objectID, values)
        }
    }
}

/// Changes many clips. Deleted clips are left out.
extension ClipStore {
    /// Sets a flag of clips, such as the star.
    ///
    /// - Returns: the clips that changed.
    @discardableResult
    package func set(
        _ flag: ClipAttribute, _ isOn: Bool, of ids: [Int64]
    ) async throws(StoreError) -> [Int64] {
        try await update(ids, [flag]) { clip in
            ClipDraft(clip).value(of: flag) == .boolean(isOn) ? nil : [flag: .boolean(isOn)]
        }.value
    }

    /// Sets an attribute of the clips that do not have it, or unsets it if all of them have it.
    ///
    /// - Parameter value: The value to set; nil for either.
    /// - Returns: the value, and the clips that changed.
    package func toggle(
        _ attribute: ClipAttribute, to value: Bool? = nil, of ids: [Int64]
    ) async throws(StoreError) -> Written<(isOn: Bool, clips: [Int64])> {
        let name = attribute.rawValue
        return try await write { transaction throws(StoreError) in
            let objects = try transaction.fetch(FetchRequest(clips: .keys(ids), [attribute]))
            let isOn = value ?? objects.contains { !$0[name].booleanValue }
            let chosen = objects.filter { $0[name].booleanValue != isOn }
            let values = stamped([attribute: .boolean(isOn)])
            for object in chosen { try transaction.set(values, of: object.id) }
            return (isOn: isOn, clips: chosen.map(\.id.key))
        }
    }

    /// Adds and removes tags of clips. Tags that other writers add concurrently remain.
    ///
    /// - Returns: the clips that changed, and the tags that at least one of them did or did not have.
    package func tag(
        _ ids: [Int64], adding: [String], removing: [String]
    ) async throws(StoreError) -> Written<(clips: [Int64], change: TagChange)> {
        let change = TagChange(adding: adding, removing: removing)
        let removed = Set(change.removing)
        let written = try await inParts(ids) { transaction, part throws(StoreError) in
            var (clips, names) = ([Int64](), Set<String>())
            for object in try transaction.fetch(FetchRequest(clips: .keys(part), [.tags])) {
                let tags = Tags(Clip(object).tags)
                let new = Tags((tags.names + change.adding).filter { !removed.contains($0) })
                guard new != tags else { continue }
                try transaction.set(stamped([.tags: .text(new.joined)]), of: object.id)
                clips.append(object.id.key)
                names.formUnion(Set(new.names).symmetricDifference(tags.names))
            }
            return [(clips: clips, names: names)]
        }
        let names = written.value.reduce(into: Set<String>()) { $0.formUnion($1.names) }
        let clips = written.value.flatMap(\.clips)
        return Written(value: (clips, change.restricted(to: names)), token: written.token)
    }

    /// Updates clips according to their present values.
    ///
    /// - Parameters:
    ///   - attributes: The attributes that `changes` needs.
    ///   - changes: A closure that returns the changes of a clip; nil for none.
    /// - Returns: the clips that changed.
    func update(
        _ ids: [Int64], _ attributes: [ClipAttribute],
        _ changes: @Sendable (Clip) -> [ClipAttribute: AttributeValue]?
    ) async throws(StoreError) -> Written<[Int64]> {
        try await inParts(ids) { transaction, part throws(StoreError) in
            var changed: [Int64] = []
            for object in try transaction.fetch(FetchRequest(clips: .keys(part), attributes)) {
                guard let values = changes(Clip(object)) else { continue }
                try transaction.set(stamped(values), of: object.id)
                changed.append(object.id.key)
            }
            return changed
        }
    }
}

extension Clip {
    fileprivate static let editable: [ClipAttribute] = [
        .title, .url, .tags, .note, .text, .starred, .unread, .archived,
    ]

    fileprivate func differences(from other: Clip) -> [ClipAttribute] {
        let (mine, theirs) = (ClipDraft(self), ClipDraft(other))
        return Self.editable.filter { mine.value(of: $0) != theirs.value(of: $0) }
    }
}

/// An error after some batches were saved, whose message must not say that nothing was.
package struct PartialSave: Error, CustomStringConvertible {
    package let description: String

    package init(_ error: any Error, saved: Int) {
        let sentence = error.sentence
        guard saved > 0, let range = sentence.firstRange(of: "Nothing was saved") else {
            description = sentence
            return
        }
        description =
            sentence[..<range.lowerBound] + "Nothing more was saved" + sentence[range.upperBound...]
    }
}
