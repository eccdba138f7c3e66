package import FoundationEssentials
package import PersistentStore
package import SearchIndex

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
    /// Whether the clip is hidden from lists without a filter.
    package var isArchived: Bool
    package var created: Date
    package var updated: Date
    /// The state of the link; nil if it is never checked.
    package var link: LinkState?
    /// The quotes, oldest first, if whole clips were read.
    package var quotes: [Quote] = []

    package init(_ object: StoredObject) {
        id = object.id.key
        version = object.version
        uuid = object.text(.uuid)
        url = object.text(.url)
        title = object.text(.title)
        text = object.text(.text)
        note = object.text(.note)
        tags = Tags(joined: object.text(.tags)).names
        author = object.text(.author)
        isStarred = object[.starred].booleanValue
        isUnread = object[.unread].booleanValue
        isArchived = object[.archived].booleanValue
        link = LinkState(object.text(.link), of: url)
        created = object.date(.created)
        updated = object.date(.updated)
    }

    package var isDead: Bool { link == .dead }
    package var isMoved: Bool { link == .moved }

    package var objectID: ObjectID { ClipModel.objectID(id) }

    /// The title; without one, the URL or the first line of the text.
    package var displayTitle: String { Self.displayTitle(title, url: url) { text } }

    static func displayTitle(_ title: String, url: String, text: () -> String) -> String {
        if !title.isBlank { return title }
        if !url.isEmpty { return url }
        let line = ReadText.firstLine(String(text().prefix(2000)))
        return line.isEmpty ? untitled : String(line.prefix(200))
    }

    /// The title of a clip without title, URL, and text.
    package static let untitled = "(untitled)"

    /// Returns the beginning of a title or another text in quotation marks.
    package static func quoted(_ text: String, upTo length: Int = 40) -> String {
        let line = text.prefix(length).map { $0.isNewline ? " " : String($0) }.joined()
        return "“\(line)\(text.dropFirst(length).isEmpty ? "" : "…")”"
    }
}

extension String {
    /// Whether all letters are spaces, or signs without columns.
    var isBlank: Bool {
        unicodeScalars.allSatisfy { $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint }
    }
}

extension StoredObject {
    subscript(_ attribute: ClipAttribute) -> AttributeValue { self[attribute.rawValue] }

    func text(_ attribute: ClipAttribute) -> String { self[attribute].textValue ?? "" }

    /// Whether the object is a clip that was deleted and returned, which may have a new UUID.
    func isClip(deletedAs tombstone: [String: AttributeValue]) -> Bool {
        [.uuid, .created].contains { (name: ClipAttribute) in self[name] == tombstone[name.rawValue] }
    }

    func date(_ attribute: ClipAttribute) -> Date { Date(milliseconds: self[attribute].integerValue ?? 0) }
}

extension Date {
    /// The milliseconds since 1970 UTC, clamped: a malicious store may contain any number.
    package var milliseconds: Int64 {
        let milliseconds = (timeIntervalSince1970 * 1000).rounded()
        return Int64(exactly: milliseconds) ?? (milliseconds > 0 ? .max : .min)
    }
}

/// The form in which an author is shown.
package enum AuthorName {
    /// The name of a window without another one.
    package static let app = "app"
    /// An external writer leaves no name.
    package static let unknown = "another program"
    /// The form of earlier versions, which filters accept.
    private static let formerUnknown = "(unknown)"

    package static func isUnknown(_ name: String) -> Bool { name == unknown || name == formerUnknown }

    package static func shown(_ name: String?) -> String {
        name.flatMap { $0.isEmpty ? nil : $0 } ?? unknown
    }

    /// Returns the name of a window next to others, such as `app 2`.
    package static func shown(_ name: String?, window: Int?) -> String {
        shown(name) + (window.flatMap { $0 > 1 ? " \($0)" : nil } ?? "")
    }

    /// Returns the name of a consumer. A second window registers as `app#2`, which the history shows as `app 2`.
    package static func shown(consumer name: String) -> String {
        guard let sign = name.lastIndex(of: "#"), sign > name.startIndex,
            let number = Int(name[sign...].dropFirst())
        else { return name }
        return shown(String(name[..<sign]), window: number)
    }

    /// Returns the name for a column, which is too narrow for that of an external writer.
    package static func shown(_ name: String?, inColumn width: Int) -> String {
        let name = shown(name)
        return name == unknown && name.count > width ? "other" : name
    }
}
