import PersistentStore

extension ClipDraft {
    /// Creates a draft with the contents of a saved clip.
    package init(_ clip: Clip) {
        self.init()
        url = clip.url
        title = clip.title
        text = clip.text
        note = clip.note
        tags = clip.tags
        isStarred = clip.isStarred
        isUnread = clip.isUnread
        created = clip.created.milliseconds
        updated = clip.updated.milliseconds
        author = clip.author
    }

    /// Returns the draft as it will be saved.
    func completed(author: String, now: Int64) -> ClipDraft {
        var draft = self
        draft.title = savedTitle
        draft.tags = Tags(tags).names
        draft.created = created ?? now
        draft.updated = updated ?? created ?? now
        draft.author = self.author ?? author
        return draft
    }

    /// Whether another draft would add nothing. Flags that the user has changed since, such as unread, do not
    /// count.
    func contains(_ other: ClipDraft, isDated: Bool) -> Bool {
        url == other.url && title == other.title && text == other.text && note == other.note
            && (!isDated || created == other.created) && Set(tags).isSuperset(of: other.tags)
    }

    func changes(from original: ClipDraft) throws(ClipError) -> [String: Value] {
        let old = try original.values(author: "", now: 0)
        return try values(author: "", now: 0).filter { name, value in
            name != ClipAttribute.uuid.rawValue && old[name] != value
        }
    }
}
