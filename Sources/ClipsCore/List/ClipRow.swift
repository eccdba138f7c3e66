package import FoundationEssentials
package import PersistentStore

/// What the list shows of a clip.
package struct ClipRow: LiveListRow {
    package let id: Int64
    package let position: SortPosition
    package let title: String
    package let url: String
    /// The host of the address without `www.`, or nothing.
    package let site: String
    package let tags: [String]
    package let author: String
    package let isStarred: Bool
    package let isUnread: Bool
    package let created: Date

    package init(_ object: StoredObject, position: SortPosition) {
        let clip = Clip(object)
        id = clip.id
        self.position = position
        title = clip.displayTitle
        url = clip.url
        site = Self.site(of: clip.url)
        tags = clip.tags
        author = clip.author
        isStarred = clip.isStarred
        isUnread = clip.isUnread
        created = clip.created
    }

    private static func site(of url: String) -> String {
        guard let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") else { return "" }
        var host = url[url.index(colon, offsetBy: 3)...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if let at = host.lastIndex(of: "@") { host = host[host.index(after: at)...] }
        return String(host.hasPrefix("www.") ? host.dropFirst(4) : host)
    }
}
