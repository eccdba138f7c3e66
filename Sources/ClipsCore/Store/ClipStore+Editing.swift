package import PersistentStore

/// What became of an edit that somebody else may have overtaken.
package enum EditOutcome: Equatable, Sendable {
    case saved
    /// The others changed these attributes and the edit none of them: both are kept.
    case savedBeside([ClipAttribute])
    /// Both gave these attributes new values: nothing was saved.
    case clashed([ClipAttribute])
    /// The clip was deleted: nothing was saved.
    case deleted
}

extension ClipStore {
    /// Saves what a person changed of a clip, however long that took.
    ///
    /// - Parameter base: the clip as it was when the editing began.
    package func save(_ changes: [ClipAttribute: Value], editedFrom base: Clip)
        async throws(StoreError) -> EditOutcome
    {
        var version = base.version
        var theirs: [ClipAttribute] = []
        for _ in 0..<Self.mostAttempts {
            do {
                try await update(base.id, version: version, changes)
                return theirs.isEmpty ? .saved : .savedBeside(theirs)
            } catch {
                guard case .conflict(let conflicts) = error else { throw error }
                guard let stored = conflicts.first?.stored.map(Clip.init) else { return .deleted }
                theirs = stored.differences(from: base)
                let clashing = theirs.filter { changes[$0] != nil && changes[$0] != stored.value($0) }
                guard clashing.isEmpty else { return .clashed(clashing) }
                version = stored.version
            }
        }
        return .clashed(Array(changes.keys))
    }
}

extension Clip {
    private static let editable: [ClipAttribute] = [.title, .url, .tags, .note, .text, .starred, .unread]

    func differences(from other: Clip) -> [ClipAttribute] {
        Self.editable.filter { value($0) != other.value($0) }
    }

    func value(_ attribute: ClipAttribute) -> Value? {
        switch attribute {
        case .title: .text(title)
        case .url: .text(url)
        case .tags: .text(Tags(tags).joined)
        case .note: .text(note)
        case .text: .text(text)
        case .starred: .boolean(isStarred)
        case .unread: .boolean(isUnread)
        default: nil
        }
    }
}
