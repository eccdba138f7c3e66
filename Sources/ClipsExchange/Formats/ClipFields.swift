import ClipsCore

/// The fields of a clip, by the names that programs give to columns and keys.
enum ClipField: Hashable {
    case url, title, text, note, tags, folder, created, updated, starred, unread, read, archived, status,
        author, feed,
        isPrivate, byline

    init?(name: String) {
        // Most names are written as in the table.
        guard
            let field = Self.names[name]
                ?? Self.names[name.lowercased().filter { $0.isLetter || $0.isNumber }]
        else { return nil }
        self = field
    }

    private static let names: [String: ClipField] = [
        "url": .url, "href": .url, "link": .url, "uri": .url, "address": .url, "givenurl": .url,
        "resolvedurl": .url,
        "booktitle": .title, "bookauthor": .byline,
        "title": .title, "name": .title, "giventitle": .title, "resolvedtitle": .title,
        "text": .text, "content": .text, "selection": .text, "highlights": .text, "body": .text,
        "highlight": .text, "textcontent": .text,
        "note": .note, "notes": .note, "description": .note, "excerpt": .note, "comment": .note,
        "extended": .note, "summary": .note, "annotation": .note,
        "tags": .tags, "tag": .tags, "labels": .tags, "keywords": .tags, "categories": .tags,
        "tagnames": .tags, "documenttags": .tags, "lists": .tags,
        "folder": .folder, "collection": .folder, "category": .folder,
        "created": .created, "createdat": .created, "added": .created, "addedat": .created,
        "timeadded": .created, "timestamp": .created, "date": .created, "dateadded": .created,
        "adddate": .created, "savedat": .created, "time": .created, "datecreated": .created,
        "highlightedat": .created, "saveddate": .created,
        "updated": .updated, "updatedat": .updated, "modified": .updated, "lastmodified": .updated,
        "lastupdate": .updated, "timeupdated": .updated, "datemodified": .updated,
        "starred": .starred, "favorite": .starred, "favourite": .starred, "isfavorite": .starred,
        "important": .starred, "star": .starred,
        "favourited": .starred, "private": .isPrivate, "isprivate": .isPrivate,
        "unread": .unread, "toread": .unread, "readlater": .unread,
        "read": .read, "isread": .read, "archived": .archived, "isarchived": .archived,
        "status": .status, "author": .author,
    ]

    /// Whether a word means yes to a service.
    static func isTrue(_ word: String) -> Bool {
        ["1", "true", "yes", "y", "on", "x"].contains(word.lowercased())
    }
}

/// A clip under construction from named fields.
struct FieldedDraft {
    private(set) var draft = ClipDraft()
    /// The problems of fields that could not be read.
    private(set) var complaints: [String] = []

    init(_ draft: ClipDraft = ClipDraft()) { self.draft = draft }

    mutating func set(_ field: ClipField, _ word: String, spacedTags: Bool = false) {
        guard !word.isEmpty else { return }
        switch field {
        case .url: if draft.url.isEmpty { draft.url = word } else { addNote(word) }
        case .title:
            if draft.title.isEmpty { draft.title = word } else if draft.title != word { addNote(word) }
        case .text: draft.text += (draft.text.isEmpty ? "" : "\n\n") + word
        case .note: addNote(word)
        case .tags: draft.tags += Self.tags(word, spaced: spacedTags)
        case .folder: setFolder(word)
        case .created: draft.created = time(word)
        case .updated: draft.updated = time(word)
        case .starred: draft.isStarred = ClipField.isTrue(word)
        case .unread: draft.isUnread = ClipField.isTrue(word)
        case .read: draft.isUnread = !ClipField.isTrue(word)
        case .archived: setArchived(ClipField.isTrue(word))
        case .status:
            setArchived(["archive", "archived", "1"].contains(word.lowercased()))
            if ["read", "2"].contains(word.lowercased()) { draft.isUnread = false }
        case .author: draft.author = word
        case .feed: if word != draft.url { addNote("feed: \(word)") }
        case .byline: addNote("author: \(word)")
        // Privacy has no counterpart in a store of one user; the tag retains it.
        case .isPrivate: if ClipField.isTrue(word) { addTags(["private"]) }
        }
    }

    mutating func addTags(_ tags: [String]) { draft.tags += tags }

    /// Handles folders that are states of a clip rather than topics.
    private mutating func setFolder(_ word: String) {
        switch word.lowercased() {
        case "unread": draft.isUnread = true
        case "archive": setArchived(true)
        case "starred": (draft.isStarred, draft.isUnread) = (true, false)
        case "unsorted": break
        default: draft.tags += word.split(separator: "/").map { String($0) }
        }
    }

    /// Services archive clips that were read.
    private mutating func setArchived(_ isArchived: Bool) {
        draft.isArchived = isArchived
        draft.isUnread = !isArchived
    }

    private mutating func addNote(_ word: String) {
        guard draft.note != word else { return }
        draft.note += (draft.note.isEmpty ? "" : "\n\n") + word
    }

    private mutating func time(_ word: String) -> Int64? {
        let time = FileDate.milliseconds(word)
        if time == nil && word != "0" {
            complaints.append("a date cannot be read; the clip is saved without it")
        }
        return time
    }

    private static func tags(_ word: String, spaced: Bool) -> [String] {
        // Instapaper writes JSON in a cell.
        if word.hasPrefix("[") {
            let parsed = JSONParser.parse(Array(word.utf8))
            if parsed.problem == nil, let list = parsed.value?.array {
                let names = list.compactMap(\.string)
                if names.count == list.count { return names }
            }
        }
        let separators: Set<Character> =
            word.contains(",") ? [","] : word.contains("|") ? ["|"] : spaced ? [" "] : [","]
        return word.split { separators.contains($0) }.map { String($0) }
    }
}
