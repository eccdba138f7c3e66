package import ClipsCore
import Platform

/// The limits of one message, which the extension gets with `hello`.
package enum HostLimits {
    /// The size of an answer or a push in bytes. Browsers close the connection beyond 1 MiB.
    package static let answer = 512 << 10
    /// The room in an answer for its other members.
    static let margin = 1 << 10
    package static let clips = 1000
    static let urls = 1000
    package static let tags = 100
    package static let page = 200
    package static let tagNames = 1000
    /// The number of changes in a push.
    static let changes = 100
    /// The number of values in a message: those of the largest `save`, and some.
    static let values = 200_000
    package static let query = 10_000

    /// The sizes of values in bytes of UTF-8.
    package static let markup = 2 << 20
    package static let url = 64 << 10
    package static let title = 10_000
    package static let note = 1 << 20
    package static let text = 32 << 20
    package static let tag = 200

    static var json: JSONObject {
        [
            "clips": clips, "urls": urls, "tags": tags, "url": url, "title": title, "note": note,
            "text": text, "tag": tag,
        ]
    }

    /// Checks the values of a clip.
    package static func check(_ draft: ClipDraft) throws(HostError) {
        for (name, value, limit) in [
            ("url", draft.url, url), ("title", draft.title, title), ("note", draft.note, note),
            ("text", draft.text, text),
        ] where value.utf8.count > limit {
            throw HostError(.tooBig, "The \(name) has more than \(limit) bytes.")
        }
        guard draft.quotes.allSatisfy({ max($0.text.utf8.count, $0.note.utf8.count) <= note }) else {
            throw HostError(.tooBig, "A quote has more than \(note) bytes.")
        }
        guard draft.tags.count <= tags else { throw HostError(.tooBig, "A clip has up to \(tags) tags.") }
        guard draft.tags.allSatisfy({ $0.utf8.count <= tag }) else {
            throw HostError(.tooBig, "A tag has more than \(tag) bytes.")
        }
        guard draft.url.isEmpty || isAllowed(draft.url) else {
            throw HostError(.invalid, "Only pages with http, https, and file URLs can be saved.")
        }
    }

    private static func isAllowed(_ url: String) -> Bool {
        let start = url.prefix(8).lowercased()
        return ["http://", "https://", "file://"].contains { start.hasPrefix($0) }
    }
}
