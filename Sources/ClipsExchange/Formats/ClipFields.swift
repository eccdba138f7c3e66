import ClipsCore

/// The fields of a clip, by the names that programs give to columns and keys.
enum ClipField: Hashable {
    case url, title, text, note, tags, folder, created, updated, starred, unread, read, readTime, archived,
        state, number, author, feed, isPrivate, visibility, byline, quotes,
        uuid

    init?(name: String) {
        // Most names are written as in the table.
        guard
            let field = Self.names[name]
                ?? Self.names[name.lowercased().filter { $0.isLetter || $0.isNumber }]
        else { return nil }
        self = field
    }

    /// Creates the field of a name in a record, since services give some names to different fields.
    ///
    /// - Parameter has: Whether the record has a name, in lower case.
    init?(name: String, besides has: (String) -> Bool) {
        switch name.lowercased() {
        case "given_url" where has("url"), "resolved_url" where has("url"): return nil
        // Whether ArchiveBox has stored a copy.
        case "is_archived" where has("is_static") || has("archive_path"): return nil
        case "status" where has("item_id") || has("resolved_id") || has("given_url"): self = .number
        case "archive" where has("article__url"): self = .archived
        case "visibility" where has("check_disabled"): self = .visibility
        // The list of Readwise Reader; elsewhere, a position in a book.
        case "location" where has("reading progress"): self = .state
        default: self.init(name: name)
        }
    }

    private static let names: [String: ClipField] = [
        "url": .url, "href": .url, "link": .url, "uri": .url, "address": .url, "givenurl": .url,
        "resolvedurl": .url,
        "articleurl": .url, "articletitle": .title, "articleexcerpt": .note,
        "booktitle": .title, "bookauthor": .byline, "publishedby": .byline,
        "title": .title, "name": .title, "giventitle": .title, "resolvedtitle": .title,
        "text": .text, "content": .text, "selection": .text, "body": .text,
        "highlight": .text, "textcontent": .text, "highlights": .quotes, "annotations": .quotes,
        "note": .note, "notes": .note, "description": .note, "excerpt": .note, "comment": .note,
        "comments": .note, "desc": .note,
        "extended": .note, "summary": .note, "annotation": .note,
        "tags": .tags, "tag": .tags, "labels": .tags, "keywords": .tags, "categories": .tags,
        "tagnames": .tags, "documenttags": .tags, "lists": .tags,
        "folder": .folder, "collection": .folder, "category": .folder,
        "created": .created, "createdat": .created, "added": .created, "addedat": .created,
        "timeadded": .created, "timestamp": .created, "date": .created, "dateadded": .created,
        "adddate": .created, "savedat": .created, "time": .created, "datecreated": .created,
        "creationdate": .created,
        "highlightedat": .created, "saveddate": .created,
        "updated": .updated, "updatedat": .updated, "modified": .updated, "lastmodified": .updated,
        "lastupdate": .updated, "timeupdated": .updated, "datemodified": .updated,
        "starred": .starred, "favorite": .starred, "favourite": .starred, "isfavorite": .starred,
        "important": .starred, "star": .starred,
        "favourited": .starred, "favorited": .starred, "isstarred": .starred, "isfav": .starred,
        "isfavourite": .starred, "private": .isPrivate, "isprivate": .isPrivate,
        "unread": .unread, "toread": .unread, "readlater": .unread,
        "read": .read, "isread": .read, "readat": .readTime, "archived": .archived, "isarchived": .archived,
        "status": .state, "state": .state, "author": .byline, "byline": .byline,
    ]

    /// Whether a word means yes to a service.
    static func isTrue(_ word: String) -> Bool {
        ["1", "true", "yes", "y", "on", "x"].contains(word.lowercased())
    }
}

/// A clip under construction from named fields.
struct FieldedDraft {
    private var collected = ClipDraft()
    private var isPrivate = false
    /// The problems of fields that could not be read.
    private(set) var complaints: [String] = []
    /// The problems of values that are saved as they are.
    private(set) var doubts: [String] = []

    init(_ draft: ClipDraft = ClipDraft()) { collected = draft }

    /// The problems as items.
    ///
    /// - Parameter name: The name of the part of the file, before each.
    func problems(line: Int = 0, of name: String? = nil) -> [ImportItem] {
        let prefix = name.map { "\($0): " } ?? ""
        return complaints.map { .problem(prefix + $0, line: line, changed: 1) }
            + doubts.map { .problem(prefix + $0, line: line, changed: 0) }
    }

    /// The clip. Privacy has no counterpart in a store of one user; a tag after those of the user retains it.
    var draft: ClipDraft {
        var draft = collected
        if isPrivate { draft.tags.append("private") }
        return draft
    }

    mutating func set(_ field: ClipField, _ word: String, spacedTags: Bool = false) {
        guard !word.isEmpty else { return }
        switch field {
        case .url: if collected.url.isEmpty { collected.url = word } else { addNote(word) }
        case .title:
            if collected.title.isEmpty {
                collected.title = word
            } else if collected.title != word {
                addNote(word)
            }
        case .text, .quotes: collected.text += (collected.text.isEmpty ? "" : "\n\n") + word
        case .note: addNote(word)
        case .tags: collected.tags += Self.tags(word, spaced: spacedTags)
        case .folder: setFolder(word)
        case .created: collected.created = time(word)
        case .updated: collected.updated = time(word)
        case .starred: collected.isStarred = ClipField.isTrue(word)
        case .unread: setUnread(ClipField.isTrue(word))
        case .read: setUnread(!ClipField.isTrue(word))
        case .archived: setArchived(ClipField.isTrue(word))
        case .readTime: setUnread(!ClipField.isTrue(word) && FileDate.milliseconds(word) == nil)
        case .state:
            switch word.lowercased() {
            case "archive", "archived": setArchived(true)
            case "read": setUnread(false)
            // The last three are lists of Readwise Reader.
            case "unread", "new", "later", "shortlist": if !collected.hasReadState { setUnread(true) }
            default: break
            }
        // Pocket's numbers; others have other meanings.
        case .number:
            switch word {
            case "0": if !collected.hasReadState { setUnread(true) }
            case "1": setArchived(true)
            case "2": setUnread(false)
            default: break
            }
        case .author: collected.author = word
        case .feed: if word != collected.url { addNote("feed: \(word)") }
        case .byline: addNote("author: \(word)")
        case .isPrivate: if ClipField.isTrue(word) { isPrivate = true }
        // LinkAce's number of private links since version 2; 1 is public, and 2 internal.
        case .visibility: if word == "3" { isPrivate = true }
        case .uuid: setUUID(word)
        }
    }

    /// Restores the empty values of this program's export.
    mutating func restoreEmpty(author: String?) {
        collected.hasExactTitle = true
        collected.author = author
    }

    /// Reports a URL without a scheme that is none as a word of 'clips add' either.
    mutating func checkURL() {
        let scheme = collected.url.prefix { $0 != ":" }
        let hasScheme =
            scheme.count < collected.url.count && scheme.allSatisfy { $0.isASCII && !$0.isWhitespace }
        if !collected.url.isEmpty, !hasScheme, WebAddress.url(collected.url) == nil {
            doubts.append("'url' is not a URL; it is saved as it is")
        }
    }

    /// Makes a new clip read, as bookmarks are, unless the file says otherwise. A saved clip retains its state.
    mutating func assumeRead() { if !collected.hasReadState { collected.isUnread = false } }

    mutating func addTags(_ tags: [String]) { collected.tags += tags }

    mutating func add(_ quote: Quote) { collected.quotes.append(quote) }

    /// Adds the quotes of this program's export.
    mutating func addQuotes(json: String) {
        let list = JSONParser.parse(Array(json.utf8))
        if list.problem == nil, let value = list.value, let quotes = try? ClipRecord.quotes(value) {
            collected.quotes += quotes
        } else {
            complaints.append("the quotes cannot be read; the clip is saved without them")
        }
    }

    /// Handles folders that are states of a clip rather than topics.
    private mutating func setFolder(_ word: String) {
        switch word.lowercased() {
        case "unread": setUnread(true)
        case "archive": setArchived(true)
        case "starred":
            collected.isStarred = true
            assumeRead()
        case "unsorted": break
        default: collected.tags += word.split(separator: "/").map { String($0) }
        }
    }

    /// Services archive clips that were read, unless the file says otherwise.
    private mutating func setArchived(_ isArchived: Bool) {
        collected.isArchived = isArchived
        if isArchived && !collected.hasReadState { setUnread(false) }
    }

    private mutating func setUUID(_ word: String) {
        guard word.utf8.count <= ClipRecord.longestUUID else {
            return complaints.append("'uuid' is not a UUID; the clip is saved with a new one")
        }
        collected.uuid = word
    }

    private mutating func setUnread(_ isUnread: Bool) {
        (collected.isUnread, collected.hasReadState) = (isUnread, true)
    }

    private mutating func addNote(_ word: String) {
        guard collected.note != word else { return }
        collected.note += (collected.note.isEmpty ? "" : "\n\n") + word
    }

    private mutating func time(_ word: String) -> Int64? {
        let time = FileDate.milliseconds(word)
        if time == nil && word != "0" {
            complaints.append("a date cannot be read; the clip is saved without it")
        }
        return time
    }

    private static func tags(_ word: String, spaced: Bool) -> [String] {
        // Instapaper writes JSON in a cell, and Readwise and Matter write lists of Python.
        if word.hasPrefix("[") {
            let parsed = JSONParser.parse(Array(word.utf8))
            if parsed.problem == nil, let list = parsed.value?.array {
                let names = list.compactMap(\.string)
                if names.count == list.count { return names }
            }
            if word.hasSuffix("]"), let names = quoted(word.dropFirst().dropLast(), separator: ",") {
                return names
            }
        }
        // Diigo writes tags of several words in quotes.
        if spaced, !word.contains(","), let names = quoted(word[...], separator: " ") { return names }
        let separators: Set<Character> =
            word.contains(",") ? [","] : word.contains("|") ? ["|"] : spaced ? [" "] : [","]
        return word.split { separators.contains($0) }.map { String($0) }
    }

    /// Returns a text with the characters of escapes in Python or YAML.
    static func unescaped(_ text: String) -> String {
        var (result, rest) = ("", text[...])
        while let next = rest.popFirst() {
            guard next == "\\", let letter = rest.popFirst() else {
                result.append(next)
                continue
            }
            let digits = ["x": 2, "u": 4, "U": 8][letter].map { rest.prefix($0) } ?? ""
            if let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) {
                rest = rest.dropFirst(digits.count)
                result.unicodeScalars.append(scalar)
            } else {
                result += ["n": "\n", "t": "\t"][letter] ?? String(letter)
            }
        }
        return result
    }

    /// Returns the names of a list in which some are in quotes; nil if there are no quotes, or unbalanced ones.
    private static func quoted(_ list: Substring, separator: Character) -> [String]? {
        guard list.contains("'") || list.contains("\"") else { return nil }
        var names: [String] = []
        var rest = list
        while let first = rest.first {
            if first == separator || first.isWhitespace {
                rest.removeFirst()
                continue
            }
            guard first == "'" || first == "\"" else {
                let name = rest.prefix { $0 != separator }
                names.append(name.trimmed)
                rest = rest.dropFirst(name.count)
                continue
            }
            rest.removeFirst()
            var name = ""
            while let next = rest.popFirst(), next != first {
                name.append(next)
                if next == "\\", let letter = rest.popFirst() { name.append(letter) }
            }
            guard rest.first == nil || rest.first == separator else { return nil }
            names.append(unescaped(name))
        }
        return names
    }
}
