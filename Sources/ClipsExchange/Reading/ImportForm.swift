/// The files of a product in one format, and the fields that an import of them fills.
package struct ImportForm: Sendable {
    package let product: String
    package let format: ImportFormat
    /// The names of columns or keys that identify the product; empty if none does.
    private let keys: Set<String>
    /// The fields in addition to URL and title.
    package let fields: String

    private init(_ product: String, _ format: ImportFormat, _ fields: String, keys: Set<String> = []) {
        (self.product, self.format, self.fields, self.keys) = (product, format, fields, keys)
    }

    /// Returns the name of the first form whose keys are among names.
    static func name(_ format: ImportFormat, of names: Set<String>) -> String? {
        all.first { $0.format == format && !$0.keys.isEmpty && $0.keys.isSubset(of: names) }
            .map { "\($0.product) \(format.rawValue.uppercased())" }
    }

    /// The forms in the order of recognition.
    package static let all: [ImportForm] = [
        ImportForm("browsers", .html, "note, tags, created, updated"),
        ImportForm("Pocket", .html, "tags, created, read, archived"),
        ImportForm("linkding", .html, "note, tags, created, updated, read, archived, private"),
        ImportForm("Raindrop", .html, "note, tags, created, updated, star"),
        ImportForm("Pinboard", .html, "note, tags, created, read, private"),
        ImportForm("Shaarli", .html, "note, tags, created, private"),
        ImportForm("Firefox", .json, "note, tags, created, updated"),
        ImportForm("Chromium", .json, "tags, created, updated"),
        ImportForm(
            "linkding", .json, "note, tags, created, updated, read, archived", keys: ["url", "tag_names"]),
        ImportForm(
            "wallabag", .json, "text, note, tags, created, updated, read, star, archived, quotes",
            keys: ["url", "is_archived", "is_starred"]),
        ImportForm(
            "wallabag 1", .json, "text, read, star", keys: ["url", "is_read", "is_fav"]),
        ImportForm(
            "Readability", .json, "text, note, created, read, star, archived",
            keys: ["article__url", "article__title"]),
        ImportForm("ArchiveBox", .json, "tags, created, updated", keys: ["url", "timestamp", "is_static"]),
        ImportForm(
            "GoodLinks", .json, "note, tags, created, read, star, quotes",
            keys: ["url", "addedAt", "starred"]),
        ImportForm(
            "LinkAce", .json, "note, tags, created, updated, private", keys: ["url", "check_disabled"]),
        ImportForm("Shaarli", .json, "note, tags, created, updated, private", keys: ["url", "shorturl"]),
        ImportForm(
            "Omnivore", .json, "note, tags, created, updated, read, archived",
            keys: ["url", "savedAt", "labels"]),
        ImportForm("Pinboard", .json, "note, tags, created, read, private", keys: ["href", "description"]),
        ImportForm("Google Reader", .json, "text, note, tags, created"),
        ImportForm("Karakeep", .json, "text, note, tags, created, read, star, archived"),
        ImportForm("Linkwarden", .json, "text, note, tags, created, star"),
        ImportForm("Pocket", .json, "note, tags, created, read, star, archived"),
        ImportForm("clips", .jsonl, "all, without loss"),
        ImportForm("clips", .csv, "all, without loss"),
        ImportForm("Readwise", .csv, "no URL, text, note, tags, created", keys: ["highlight", "book title"]),
        ImportForm(
            "Instapaper", .csv, "text, tags, created, read, star, archived",
            keys: ["url", "selection", "folder"]),
        ImportForm("Diigo", .csv, "text, note, tags, created", keys: ["tags", "comments", "annotations"]),
        ImportForm("Matter", .csv, "note, tags, read, star", keys: ["in queue", "favorited"]),
        ImportForm(
            "Readwise Reader", .csv, "tags, created, read, archived",
            keys: ["reading progress", "document tags"]),
        ImportForm(
            "LinkAce", .csv, "note, tags, created, updated, private", keys: ["check_disabled"]),
        ImportForm("Raindrop", .csv, "text, note, tags, created, star", keys: ["url", "excerpt", "cover"]),
        ImportForm("Pocket", .csv, "tags, created, read, archived", keys: ["url", "time_added", "status"]),
        ImportForm("wallabag", .csv, "text, tags, created", keys: ["mime type", "creation date"]),
        ImportForm("OPML", .xml, "note, tags, created"),
        ImportForm("XBEL", .xml, "note, tags, created, updated"),
        ImportForm("Pinboard", .xml, "note, tags, created, read, private"),
        ImportForm("links", .markdown, "note, tags"),
        ImportForm("Obsidian", .markdown, "text, note, tags, created"),
        ImportForm("feeds", .newsboat, "tags"),
        ImportForm("Firefox", .places, "note, tags, created, updated"),
        ImportForm("Safari", .plist, "note, tags, created, read"),
        ImportForm("references", .ris, "note, tags"),
        ImportForm("references", .bibtex, "note, tags"),
        ImportForm("highlights", .kindle, "no URL, text, created"),
        ImportForm("OneTab", .text, "tags, created"),
        ImportForm("links, texts", .text, "text"),
    ]
}
