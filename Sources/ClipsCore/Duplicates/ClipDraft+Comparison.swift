import PersistentStore

extension ClipDraft {
    /// What a clip says, without what the store made up for it.
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

    /// As it will be when it is saved.
    func completed(author: String, now: Int64) -> ClipDraft {
        var draft = self
        draft.title = savedTitle
        draft.tags = Tags(tags).names
        draft.created = created ?? now
        draft.updated = updated ?? created ?? now
        draft.author = self.author ?? author
        return draft
    }

    /// Whether another draft would add nothing; what a person did with the clip since, as reading it, does not
    /// count.
    func says(_ other: ClipDraft, isDated: Bool) -> Bool {
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
