package import PersistentStore
import SearchIndex

/// The contents of a clip that is not saved yet.
package struct ClipDraft: Hashable, Sendable {
    /// The UUID under which the clip is saved at most once; nil for a new one.
    package var uuid: String?
    package var url = ""
    package var title = ""
    /// Whether an empty title is saved as it is, as that of a clip that was exported.
    package var hasExactTitle = false
    /// Whether the user gave the title, so that it remains the title of a merged clip.
    package var hasChosenTitle = false
    package var text = ""
    package var note = ""
    package var tags: [String] = []
    package var isStarred = false
    package var isUnread = true
    /// Whether the source says if the clip is read. Without it, a saved clip that the draft is merged into retains its
    /// state.
    package var hasReadState = false
    package var isArchived = false
    /// The times of the first save and the last change elsewhere, in milliseconds since 1970; nil for now.
    package var created: Int64?
    package var updated: Int64?
    /// The author elsewhere; nil for the author of the store that saves it.
    package var author: String?
    /// The quotes to add to the clip.
    package var quotes: [Quote] = []

    package init() {}

    /// The title that the clip will have in lists.
    package var displayTitle: String { Clip.displayTitle(title, url: url) { text } }

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
        isArchived = clip.isArchived
        created = clip.created.milliseconds
        updated = clip.updated.milliseconds
        author = clip.author
        quotes = clip.quotes
    }

    /// The maximum size of each of a clip's texts, in bytes.
    package static let largestText = 64 << 20

    /// Whether there is nothing to save.
    package var isEmpty: Bool {
        url.isEmpty && title.isEmpty && text.isEmpty && note.isEmpty && tags.isEmpty
    }

    private var tooLong: (name: String, bytes: Int)? {
        [("url", url), ("title", title), ("text", text), ("note", note)].lazy.map { ($0, $1.utf8.count) }
            .first { $0.1 > Self.largestText }
    }

    /// The name of a text that exceeds the size of a clip; nil if none does.
    package var tooLongText: String? { tooLong?.name }

    /// Throws an error if the draft cannot be saved.
    func check() throws(ClipError) {
        guard !isEmpty else { throw .emptyClip }
        if let (name, bytes) = tooLong { throw .tooLong(name, bytes: bytes) }
        for value in quotes.flatMap({ [$0.text, $0.note] }) where value.utf8.count > Quote.maxText {
            throw .tooLong("quote", bytes: value.utf8.count)
        }
    }

    /// The value that a user can edit; nil for the other attributes.
    package func value(of attribute: ClipAttribute) -> AttributeValue? {
        switch attribute {
        case .title: .text(Self.oneLine(title))
        case .url: .text(url)
        case .tags: .text(Tags(tags).joined)
        case .note: .text(note)
        case .text: .text(text)
        case .starred: .boolean(isStarred)
        case .unread: .boolean(isUnread)
        case .archived: .boolean(isArchived)
        case .uuid, .author, .created, .updated, .link: nil
        }
    }

    /// Returns the values to save, in the order of ``ClipModel/names``.
    func row(author: String, now: Int64) throws(ClipError) -> [AttributeValue] {
        try check()
        return [
            .text(uuid ?? ClipUUID.make(at: now)), .text(CanonicalURL.inUsualSpelling(url)),
            .text(savedTitle),
            .text(text), .text(note),
            .text(Tags(tags).joined), .text(self.author ?? author), .boolean(isStarred), .boolean(isUnread),
            .integer(created ?? now), .integer(updated ?? created ?? now), .boolean(isArchived),
        ]
    }

    func values(author: String, now: Int64) throws(ClipError) -> [String: AttributeValue] {
        // A dictionary type that is needed anyway: each other one costs a program that saves one clip
        // start-up time.
        Dictionary(uniqueKeysWithValues: zip(ClipModel.names, try row(author: author, now: now)))
    }

    /// The characters in which the first line with words is searched.
    private static let maxTitleSource = 2000

    /// The title on one line; for a clip without title and URL, its first line.
    var savedTitle: String {
        let line = Self.oneLine(title)
        guard line.isEmpty && url.isEmpty && !hasExactTitle else { return line }
        let source = text.isEmpty ? note : text
        return String(ReadText.firstLine(String(source.prefix(Self.maxTitleSource))).prefix(120))
    }

    /// Returns a title without line ends.
    package static func oneLine(_ title: String) -> String {
        // The line ends of ASCII, and the first bytes of the others.
        guard title.utf8.contains(where: { (0x0A...0x0D).contains($0) || $0 == 0xC2 || $0 == 0xE2 }) else {
            return title
        }
        return title.split { $0.isNewline }.joined(separator: " ")
    }
}

/// An error in saving or finding a clip.
package enum ClipError: Error, Hashable, Sendable, CustomStringConvertible {
    case emptyClip
    case tooLong(String, bytes: Int)
    case noSuchClip(String)
    case ambiguous(String)
    case notDeleted(Int64)
    case notInHistory(Int64)

    package var description: String {
        switch self {
        case .emptyClip: "There is nothing to save: give a URL, a title, or a text."
        case .tooLong(let name, let bytes):
            "The \(name) has \(bytes >> 20) MB; a clip takes up to \(ClipDraft.largestText >> 20) MB. Nothing was saved."
        case .noSuchClip(let id): "There is no clip \(id). 'clips list' shows the IDs."
        case .ambiguous(let id): "More than one clip begins with \(id). Give more of the id."
        case .notDeleted(let id): "Clip \(id) is not deleted."
        case .notInHistory(let id):
            "The history has no deletion of clip \(id). 'clips history' shows what can be restored."
        }
    }
}
