package import PersistentStore

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

/// Saves clips.
extension ClipStore {
    /// Saves clips as one transaction and returns their IDs, in order. A clip whose UUID exists is not saved
    /// again.
    package func add(_ drafts: [ClipDraft]) async throws -> [Int64] { try await addOnce(drafts).map(\.id) }

    /// Saves one clip.
    ///
    /// - Returns: the clip's ID, the clips that had its URL before, oldest first, and the token that undoes
    ///   the save.
    package func add(
        _ draft: ClipDraft
    ) async throws -> (id: Int64, earlier: [Int64], token: HistoryToken?) {
        let context = makeContext()
        let temporary = try await context.insert(ClipModel.entity, draft.values(author: author, now: now()))
        var lookup: FetchRequest?
        if !draft.url.isEmpty {
            let sameURL = ObjectPredicate.equal(ClipAttribute.url.rawValue, .text(draft.url))
            lookup = FetchRequest(ClipModel.entity, where: sameURL, limit: 10)
            lookup?.attributes = []
        }
        let result = try await context.save(moving: nil, finding: lookup)
        return (result.permanentID(temporary).key, result.found.map(\.id.key), result.token)
    }

    /// Changes attributes of a clip.
    ///
    /// - Parameter version: The version on which the changes are based; nil for any.
    @discardableResult
    package func update(
        _ id: Int64, version: Int64? = nil, _ changes: [ClipAttribute: AttributeValue]
    ) async throws(StoreError) -> SaveResult {
        let context = makeContext()
        let values = Dictionary(uniqueKeysWithValues: changes.map { ($0.rawValue, $1) })
        try await context.update(ClipModel.objectID(id), stamped(values), onVersion: version)
        return try await context.save()
    }

    /// Saves the changes of an edit that may have taken any time.
    ///
    /// - Parameter base: The clip as it was when the edit began.
    package func save(_ changes: [ClipAttribute: AttributeValue], editedFrom base: Clip)
        async throws(StoreError) -> EditOutcome
    {
        var version = base.version
        var theirs: [ClipAttribute] = []
        for _ in 0..<Self.maxAttempts {
            do {
                try await update(base.id, version: version, changes)
                return theirs.isEmpty ? .saved : .savedWithOthers(theirs)
            } catch {
                guard case .conflict(let conflicts) = error else { throw error }
                guard let stored = conflicts.first?.stored.map(Clip.init) else { return .deleted }
                theirs = stored.differences(from: base)
                let clashing = theirs.filter {
                    changes[$0] != nil && changes[$0] != ClipDraft(stored).value(of: $0)
                }
                guard clashing.isEmpty else { return .clashed(clashing) }
                version = stored.version
            }
        }
        return .clashed(Array(changes.keys))
    }

    /// Deletes clips as one transaction. The result has only those that existed.
    @discardableResult
    package func delete(_ ids: [Int64]) async throws(StoreError) -> SaveResult {
        let context = makeContext()
        for id in ids { try await context.delete(ClipModel.objectID(id)) }
        return try await context.save()
    }

    /// Saves a deleted clip again under its ID, with changes.
    package func restore(
        _ clip: Clip, with changes: [ClipAttribute: AttributeValue]
    ) async throws(StoreError) -> SaveResult {
        var values: [ClipAttribute: AttributeValue] = [
            .uuid: .text(clip.uuid), .author: .text(clip.author),
            .created: .integer(clip.created.milliseconds),
        ]
        for attribute in Clip.editable { values[attribute] = ClipDraft(clip).value(of: attribute) }
        values.merge(changes) { $1 }
        let context = makeContext()
        let named = Dictionary(uniqueKeysWithValues: values.map { ($0.rawValue, $1) })
        let restorable = try await container.read { snapshot throws(StoreError) in
            try Self.restorable([named], in: snapshot)[0]
        }
        try await context.restore(clip.objectID, stamped(restorable))
        return try await context.save()
    }

    /// Attempts to save before a continuous conflict with other writers becomes an error.
    static let maxAttempts = 100
}

/// Changes many clips as one transaction. Deleted clips are left out.
extension ClipStore {
    /// Sets a flag of clips, such as the star.
    ///
    /// - Returns: the number of clips that changed.
    @discardableResult
    package func set(_ flag: ClipAttribute, _ isOn: Bool, of ids: [Int64]) async throws(StoreError) -> Int {
        try await update(ids, [flag]) { clip in
            ClipDraft(clip).value(of: flag) == .boolean(isOn) ? nil : [flag: .boolean(isOn)]
        }.count
    }

    /// Sets an attribute of the clips that do not have it, or unsets it if all of them have it.
    package func toggle(
        _ attribute: ClipAttribute, of ids: [Int64]
    ) async throws(StoreError) -> (result: SaveResult, isOn: Bool, count: Int) {
        let objects = try await read([attribute], of: ids)
        let without = objects.filter { !$0[attribute.rawValue].booleanValue }
        let chosen = without.isEmpty ? objects : without
        let context = makeContext()
        await context.setMergePolicy(.byPropertyStoreTrumps)
        for object in chosen {
            try await context.update(
                object.id, stamped([attribute.rawValue: .boolean(!without.isEmpty)]))
        }
        return (try await context.save(), !without.isEmpty, chosen.count)
    }

    /// Adds and removes tags of clips. Tags that other writers add concurrently remain.
    package func tag(
        _ ids: [Int64], adding: [String], removing: [String]
    ) async throws(StoreError) -> (result: SaveResult?, count: Int) {
        let removed = Set(Tags(removing).names)
        return try await update(ids, [.tags]) { clip in
            let tags = Tags(clip.tags)
            let new = Tags((tags.names + adding).filter { !removed.contains($0) })
            return new == tags ? nil : [.tags: .text(new.joined)]
        }
    }

    /// Updates clips according to their values at the commit: after a conflict, reads them again.
    ///
    /// - Parameters:
    ///   - attributes: The attributes that `changes` needs.
    ///   - changes: A closure that returns the changes of a clip; nil for none.
    func update(
        _ ids: [Int64], _ attributes: [ClipAttribute], _ changes: (Clip) -> [ClipAttribute: AttributeValue]?
    ) async throws(StoreError) -> (result: SaveResult?, count: Int) {
        var attempts = 0
        while true {
            let context = makeContext()
            var count = 0
            for object in try await read(attributes, of: ids) {
                guard let values = changes(Clip(object)) else { continue }
                let named = Dictionary(uniqueKeysWithValues: values.map { ($0.rawValue, $1) })
                try await context.update(object.id, stamped(named), onVersion: object.version)
                count += 1
            }
            guard count > 0 else { return (nil, 0) }
            do {
                return (try await context.save(), count)
            } catch {
                attempts += 1
                guard case .conflict = error, attempts < Self.maxAttempts else { throw error }
            }
        }
    }

    func read(_ attributes: [ClipAttribute], of ids: [Int64]) async throws(StoreError)
        -> [StoredObject]
    {
        var request = FetchRequest(ClipModel.entity, where: .keys(ids))
        request.attributes = attributes.map(\.rawValue)
        return try await container.fetch(request)
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
