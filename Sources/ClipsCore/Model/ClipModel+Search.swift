package import SearchIndex

extension ClipModel {
    /// What of a clip is searched.
    package static let searched = SearchSchema(
        entity: entity, title: ClipAttribute.title.rawValue, tags: ClipAttribute.tags.rawValue,
        url: ClipAttribute.url.rawValue, text: ClipAttribute.text.rawValue, note: ClipAttribute.note.rawValue,
        author: ClipAttribute.author.rawValue, created: ClipAttribute.created.rawValue,
        starred: ClipAttribute.starred.rawValue, unread: ClipAttribute.unread.rawValue)
}
