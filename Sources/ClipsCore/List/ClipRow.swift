package import FoundationEssentials
import LiveQuery
package import PersistentStore
import SearchIndex

/// The row of a clip in a list: one object, which all lists and frames share.
package final class ClipRow: StoredRow {
    package typealias Commit = TransactionSummary

    package let id: Int64
    package let position: SortPosition
    package let title: String
    package let url: String
    /// The host of the URL without `www.`; empty if there is none.
    package let site: String
    package let tags: [String]
    package let author: String
    package let isStarred: Bool
    package let isUnread: Bool
    package let isArchived: Bool
    package let created: Date
    /// A sign before the title of a dead or a moved link; empty for others.
    package let linkSign: String

    /// More than any terminal shows.
    private static let maxTitle = 4096

    package init(_ object: StoredObject, position: SortPosition) {
        id = object.id.key
        self.position = position
        url = object.text(.url)
        let name = Clip.displayTitle(object.text(.title), url: url) { object.text(.text) }
        title = name.utf8.count > Self.maxTitle ? String(name.prefix(Self.maxTitle)) : name
        site = Self.site(of: url)
        tags = Tags(joined: object.text(.tags)).names
        author = object.text(.author)
        isStarred = object[.starred].booleanValue
        isUnread = object[.unread].booleanValue
        isArchived = object[.archived].booleanValue
        created = object.date(.created)
        let link = object.text(.link)
        linkSign = link.isEmpty ? "" : LinkState(link, of: url)?.sign ?? ""
    }

    package static func == (one: ClipRow, other: ClipRow) -> Bool {
        one === other
            || (one.id, one.position, one.title, one.url, one.tags, one.author)
                == (other.id, other.position, other.title, other.url, other.tags, other.author)
                && (one.isStarred, one.isUnread, one.isArchived, one.created, one.linkSign)
                    == (other.isStarred, other.isUnread, other.isArchived, other.created, other.linkSign)
    }

    package static func site(of url: String) -> String {
        let bytes = url.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8)
        else {
            return ""
        }
        var host = bytes[bytes.index(colon, offsetBy: 3)...].prefix { !"/?#".utf8.contains($0) }
        if let at = host.lastIndex(of: UInt8(ascii: "@")) { host = host[host.index(after: at)...] }
        // Another program may write capital letters.
        let isWorldWide = Substring(host.prefix(4)).lowercased() == "www."
        return String(Substring(isWorldWide ? host.dropFirst(4) : host))
    }
}
