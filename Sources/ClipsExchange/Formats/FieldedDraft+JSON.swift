import ClipsCore

extension ClipDraft {
    /// Whether there is a URL or a text. A title or a note alone is a clip only in a file of this program.
    var hasSource: Bool { !url.isEmpty || !text.isEmpty }
}

extension FieldedDraft {
    /// Reads a clip from a JSON object with any known names of keys; returns nil if it is not an object.
    init?(_ object: JSONValue, except known: Set<String> = [], _ unread: inout UnreadFields) {
        guard case .object(let members) = object else { return nil }
        self.init()
        read(members, except: known, &unread)
        checkURL()
    }

    /// Reads the members of an object, except those with known keys.
    mutating func read(
        _ members: [String: JSONValue], except known: Set<String> = [], _ unread: inout UnreadFields
    ) {
        // Pinboard, Delicious, and Scuttle call the title a description.
        let isPosts = members["href"] != nil && members["url"] == nil
        // Without a value, a clip is unread; with false, it is read.
        let rest = members.filter {
            !known.contains($0.key)
                && (!$0.value.isEmpty || $0.value.isFalse && ClipField(name: $0.key) == .unread)
        }
        let has = { (name: String) in members[name] != nil }
        let address =
            ["url", "canonical", "article__url"].lazy.compactMap { members[$0]?.string }.first ?? ""
        let article = JSONValue.object(members).articleAddress
        for (name, value) in rest.sorted(by: { $0.key < $1.key }) {
            if isPosts && name == "description" {
                value.word.map { set(.title, $0) }
            } else if let (own, field) = Self.substitutes[name] {
                if members[own]?.isEmpty ?? true, let word = value.word { set(field, word) }
            } else if let page = value.string, Self.isPart(name, of: has) {
                set(.text, WebPage.text(ofMarkup: page, at: address) ?? page)
            } else if let field = Self.markedUp[name], let text = value.string {
                set(field, MarkupReferences.replaced(Array(text.utf8), in: .html))
            } else if name == "textContent", has("content") {
                // Readability's text without structure.
                continue
            } else if isPosts && name == "shared" {
                if value.word == "no" { set(.isPrivate, "yes") }
            } else if let article, set(feedItem: name, value, at: article) {
                continue
            } else if name == "content", case .object(let content) = value {
                // Karakeep's link, or text.
                for (name, value) in content.sorted(by: { $0.key < $1.key }) where !value.isEmpty {
                    if name != "type" && !set(value, name, has) { unread.insert("content.\(name)") }
                }
            } else if !set(value, name, has, spacedTags: isPosts) {
                unread.insert(name)
            }
        }
        if isPosts { assumeRead() }
    }

    /// Whether a value is a part of a page, as it is known of the contents of wallabag and of Readability only.
    private static func isPart(_ name: String, of has: (String) -> Bool) -> Bool {
        name == "content" && ["is_archived", "is_fav", "textContent", "article__url"].contains(where: has)
    }

    /// The texts of readability.com with references to characters.
    private static let markedUp: [String: ClipField] = ["article__title": .title, "article__excerpt": .note]

    /// linkding's values of the page, which it shows while the user has written none.
    private static let substitutes: [String: (own: String, field: ClipField)] = [
        "website_title": ("title", .title), "website_description": ("description", .note),
    ]

    /// Returns false if there is no field for the name.
    private mutating func set(
        _ value: JSONValue, _ name: String, _ has: (String) -> Bool, spacedTags: Bool = false
    ) -> Bool {
        guard let field = ClipField(name: name, besides: has) else { return false }
        if let values = value.array {
            return set(values, field)
        } else if field == .tags, case .object(let names) = value {
            // Pocket's tags are keys.
            addTags(names.keys.sorted())
        } else if let word = value.word {
            set(field, word, spacedTags: spacedTags)
        } else if let title = (value["title"] ?? value["name"])?.string {
            set(field, title)
        } else {
            return false
        }
        return true
    }

    /// Reads a member of an article that Google Reader, or a reader with its interface, has starred.
    private mutating func set(feedItem name: String, _ value: JSONValue, at address: String) -> Bool {
        switch name {
        case "title": value.string.map { set(.title, MarkupReferences.replaced(Array($0.utf8), in: .html)) }
        case "alternate", "canonical": if draft.url.isEmpty { set(.url, address) }
        case "content", "summary":
            guard let page = value["content"]?.string else { return false }
            set(.text, WebPage.text(ofMarkup: page, at: address) ?? page)
        case "categories":
            // Labels are the only categories of the user.
            addTags(
                (value.array ?? []).compactMap(\.string).compactMap { category in
                    category.firstRange(of: "/label/").map { String(category[$0.upperBound...]) }
                })
        case "crawlTimeMsec": value.word.map { set(.created, $0) }
        // The time of the article, not of the star.
        case "updated": break
        default: return false
        }
        return true
    }

    private mutating func set(_ values: [JSONValue], _ field: ClipField) -> Bool {
        if field == .quotes {
            let quotes = values.prefix(Quote.maxCount).compactMap { value -> Quote? in
                // wallabag calls the passage a quote, and the note a text.
                let words = ["quote", "content", "text"].compactMap { value[$0]?.string }
                guard let passage = words.first, !passage.isEmpty else { return nil }
                let time = ["addedAt", "createdAt", "created_at", "created"].lazy.compactMap {
                    value[$0]?.word
                }
                .first
                return Quote(
                    passage, note: value["note"]?.string ?? (words.count > 1 ? words[1] : ""),
                    created: time.flatMap(FileDate.milliseconds))
            }
            for quote in quotes { add(quote) }
            return quotes.count == values.count
        }
        let words = values.compactMap {
            $0.word ?? $0["name"]?.string ?? $0["label"]?.string ?? $0["tag"]?.string ?? $0["text"]?.string
        }
        if field == .tags {
            addTags(words)
        } else {
            for word in words { set(field, word) }
        }
        return words.count == values.count
    }
}

extension JSONValue {
    /// The address of an article as Google Reader writes it, empty if there is none; nil for another object.
    var articleAddress: String? {
        let links = ["alternate", "canonical"].compactMap { self[$0]?.array }
        let hasPage = ["content", "summary"].contains { self[$0]?["content"]?.string != nil }
        guard !links.isEmpty || hasPage && self["categories"]?.array != nil else { return nil }
        return links.compactMap { $0.first?["href"]?.string }.first ?? ""
    }

    fileprivate var isFalse: Bool { if case .bool(false) = self { true } else { false } }
}
