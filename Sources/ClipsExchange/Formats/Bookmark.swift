import ClipsCore

/// One link of a bookmark file.
struct Bookmark {
    let attributes: [String: String]
    let line: Int
    let folders: [String]
    let heading: String
    var title = ""
    var note = ""

    /// The clip and its problems.
    var items: [ImportItem] {
        let url = HTMLText.address(attributes["href"] ?? "")
        let words = HTMLText.repaired(title)
        guard !url.isEmpty || attributes["data-clips"] != nil else {
            // A named anchor, not a link.
            return attributes["href"] == nil && attributes["name"] ?? attributes["id"] != nil
                ? [] : [.problem("a bookmark has no URL", line: line)]
        }
        var fielded = FieldedDraft()
        fielded.set(.url, url)
        fielded.set(.title, HTMLText.oneLine(words))
        if let isUnread { fielded.set(.unread, isUnread ? "yes" : "no") }
        if isArchived { fielded.set(.archived, "yes") }
        fielded.assumeRead()
        if Self.stars.contains(where: says) { fielded.set(.starred, "yes") }
        fielded.set(.note, Self.withoutMarks(HTMLText.repaired(note)).trimmed)
        // Scuttle has no text next to the link.
        if let words = attributes["description"] { fielded.set(.note, words.trimmed) }
        setDates(&fielded)
        setTags(&fielded)
        setRemarks(&fielded)
        var draft = fielded.draft
        var items: [ImportItem] = []
        if let own = attributes["data-clips"] {
            let object = JSONParser.parse(Array(own.utf8)).value
            if object.flatMap({ try? ClipRecord.apply($0, to: &draft) }) == nil {
                items = [.problem("the clip's data-clips attribute cannot be read", line: line)]
            }
        }
        items += fielded.problems(line: line)
        return draft.isEmpty ? [.problem("a bookmark has no URL", line: line)] : [.success(draft)] + items
    }

    /// The names of the non-empty attributes that are not read.
    var unreadAttributes: [String] {
        attributes.filter { !Self.read.contains($0.key) && !$0.value.isEmpty }.map(\.key)
    }

    private static let read: Set<String> = [
        "href", "name", "id", "add_date", "time_added", "last_modified", "tags", "private", "public",
        "toread",
        "unread", "shortcuturl", "feed", "feedurl", "description", "data-clips",
        "data-important", "important", "favorite", "starred",
    ]
    /// The attributes of favorites; the first is Raindrop's.
    private static let stars = ["data-important", "important", "favorite", "starred"]

    /// Removes the marks that linkding puts around notes.
    private static func withoutMarks(_ note: String) -> String {
        guard let start = note.firstRange(of: "[linkding-notes]"),
            let end = note.lastRange(of: "[/linkding-notes]"), start.upperBound <= end.lowerBound
        else { return note }
        let parts = [
            note[..<start.lowerBound], note[start.upperBound..<end.lowerBound], note[end.upperBound...],
        ]
        return parts.map(\.trimmed).filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private func says(_ name: String) -> Bool { ClipField.isTrue(attributes[name] ?? "") }

    /// Whether the clip is unread; nil if the file does not say so. Pocket's heading does, and this program's export,
    /// which marks unread clips only.
    private var isUnread: Bool? {
        if let word = attributes["toread"] ?? attributes["unread"] { return ClipField.isTrue(word) }
        if attributes["data-clips"] != nil { return false }
        let isPocket = attributes["time_added"] != nil
        return isPocket && HTMLText.oneLine(heading).lowercased() == "unread" ? true : nil
    }

    /// Whether the bookmark is below the second heading of Pocket, or has the tag by which linkding marks it.
    private var isArchived: Bool {
        attributes["time_added"] != nil && HTMLText.oneLine(heading).lowercased() == "read archive"
            || tags.contains { $0 == Self.archivedTag }
    }

    private static let archivedTag = "linkding:bookmarks.archived"

    /// A comma at the end shows that the separator is a comma.
    private var tags: [Substring] {
        attributes["tags"]?.split(separator: ",", omittingEmptySubsequences: false) ?? []
    }

    private func setDates(_ fielded: inout FieldedDraft) {
        if let word = attributes["add_date"] ?? attributes["time_added"] { fielded.set(.created, word) }
        if let word = attributes["last_modified"] { fielded.set(.updated, word) }
    }

    private func setTags(_ fielded: inout FieldedDraft) {
        for folder in folders {
            let name = HTMLText.oneLine(HTMLText.repaired(folder))
            if !name.isEmpty { fielded.addTags([name]) }
        }
        // Services that know private links separate tags by spaces when there is no comma.
        let isService = attributes["private"] != nil || attributes["public"] != nil
        let words = tags.filter { $0 != Self.archivedTag }.joined(separator: ",")
        if !words.isEmpty { fielded.set(.tags, HTMLText.repaired(words), spacedTags: isService) }
        if says("private") || attributes["public"] == "0" { fielded.set(.isPrivate, "yes") }
        if says("feed") || attributes["feedurl"] != nil { fielded.addTags(["feed"]) }
    }

    /// Adds values without a counterpart in a clip to the note.
    private func setRemarks(_ fielded: inout FieldedDraft) {
        if let keyword = attributes["shortcuturl"], !keyword.isEmpty {
            fielded.set(.note, "keyword: \(keyword)")
        }
        if let feed = attributes["feedurl"], !feed.isEmpty, feed != attributes["href"] {
            fielded.set(.note, "feed: \(feed)")
        }
    }
}

/// Normalizes the text of pages.
enum HTMLText {
    /// Returns a URL without white space around it and line ends inside.
    static func address(_ text: String) -> String {
        let breaks: Set<Character> = ["\n", "\r", "\t", "\r\n"]
        return repaired(text).trimmed.filter { !breaks.contains($0) }
    }

    static func oneLine(_ text: String) -> String {
        let line = text.trimmed
        guard line.contains(where: \.isNewline) else { return line }
        return line.split { $0.isNewline }.map(\.trimmed).joined(separator: " ")
    }

    /// Replaces characters that HTML reads as Windows-1252, such as `&#146;` for an apostrophe.
    static func repaired(_ text: String) -> String {
        guard text.utf8.contains(0xC2),
            text.unicodeScalars.contains(where: { (0x80...0x9F).contains($0.value) })
        else { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let index = Int(scalar.value) - 0x80
            scalars.append(windows.indices.contains(index) ? windows[index] : scalar)
        }
        return String(scalars)
    }

    private static let windows = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)
}
