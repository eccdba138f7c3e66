package import FoundationEssentials
package import PersistentStore

/// One saved clip.
package struct Clip: Hashable, Sendable, Identifiable {
    package let id: Int64
    package let version: Int64
    package var uuid: String
    package var url: String
    package var title: String
    package var text: String
    package var note: String
    package var tags: [String]
    package var author: String
    package var isStarred: Bool
    package var isUnread: Bool
    package var created: Date
    package var updated: Date

    package init(_ object: StoredObject) {
        id = object.id.key
        version = object.version
        func text(_ attribute: ClipAttribute) -> String { object[attribute.rawValue].textValue ?? "" }
        func date(_ attribute: ClipAttribute) -> Date {
            Date(milliseconds: object[attribute.rawValue].integerValue ?? 0)
        }
        uuid = text(.uuid)
        url = text(.url)
        title = text(.title)
        self.text = text(.text)
        note = text(.note)
        tags = Tags(joined: text(.tags)).names
        author = text(.author)
        isStarred = object[ClipAttribute.starred.rawValue].booleanValue
        isUnread = object[ClipAttribute.unread.rawValue].booleanValue
        created = date(.created)
        updated = date(.updated)
    }

    package var objectID: ObjectID { ClipModel.objectID(id) }

    /// What to call the clip when it has no title: where it is from, or the beginning of what it says.
    package var displayTitle: String {
        if title.contains(where: { !$0.isWhitespace }) { return title }
        if !url.isEmpty { return url }
        let line = text.drop { $0.isWhitespace }.prefix { !$0.isNewline }
        return line.isEmpty ? "(untitled)" : String(line.prefix(200))
    }
}

extension Date {
    /// Milliseconds since 1970 UTC, as the store keeps times.
    package init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// A store of somebody's making may hold a time that no number of milliseconds tells.
    package var milliseconds: Int64 {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        return Int64(exactly: milliseconds) ?? (milliseconds > 0 ? .max : .min)
    }
}
