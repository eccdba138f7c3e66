import FoundationEssentials
import PersistentStore

/// A clip that is to be saved.
package struct ClipDraft: Hashable, Sendable {
    package var url = ""
    package var title = ""
    package var text = ""
    package var note = ""
    package var tags: [String] = []
    package var isStarred = false
    package var isUnread = true

    package init() {}

    /// The most that one of a clip's texts may hold.
    package static let largestText = 64 << 20

    /// Nothing worth saving.
    package var isEmpty: Bool {
        url.isEmpty && title.isEmpty && text.isEmpty && note.isEmpty
    }

    func values(author: String, now: Int64) throws(ClipError) -> [String: Value] {
        guard !isEmpty else { throw .emptyClip }
        for (name, value) in [("url", url), ("title", title), ("text", text), ("note", note)]
        where value.utf8.count > Self.largestText {
            throw .tooLong(name, bytes: value.utf8.count)
        }
        let values: [ClipAttribute: Value] = [
            .uuid: .text(UUID().uuidString.lowercased()), .url: .text(url),
            .title: .text(Self.oneLine(savedTitle)),
            .text: .text(text), .note: .text(note), .tags: .text(Tags(tags).joined), .author: .text(author),
            .starred: .boolean(isStarred), .unread: .boolean(isUnread), .created: .integer(now),
            .updated: .integer(now),
        ]
        return Dictionary(uniqueKeysWithValues: values.map { ($0.rawValue, $1) })
    }

    /// A clip without a title and an address is called by its first line.
    private var savedTitle: String {
        guard title.isEmpty && url.isEmpty else { return title }
        let source = text.isEmpty ? note : text
        return String(source.drop { $0.isWhitespace }.prefix { !$0.isNewline }.prefix(120))
    }

    private static func oneLine(_ title: String) -> String {
        title.split { $0.isNewline }.joined(separator: " ")
    }
}

/// Why a clip cannot be saved or found.
package enum ClipError: Error, Hashable, Sendable, CustomStringConvertible {
    case emptyClip
    case tooLong(String, bytes: Int)
    case noSuchClip(String)
    case ambiguous(String)

    package var description: String {
        switch self {
        case .emptyClip: "There is nothing to save: give a URL, a title or a text."
        case .tooLong(let name, let bytes):
            "The \(name) has \(bytes >> 20) MB; a clip takes up to \(ClipDraft.largestText >> 20) MB. Nothing was saved."
        case .noSuchClip(let id): "There is no clip \(id). 'clips list' shows the ids."
        case .ambiguous(let id): "More than one clip begins with \(id). Give more of the id."
        }
    }
}
