import ClipsCore

/// A reader of the links of a Markdown file: inline, by reference, in angle brackets, and bare. Headings
/// below the first level are tags. A file whose properties name its source, as those of Obsidian's clipper, is one
/// clip with the file as its text.
struct MarkdownReader: FormatReader {
    private var lines: LineSource
    private var headings: [(level: Int, name: String)] = []
    private var fence: Character?
    var items: [ImportItem] = []
    private var definitions: [String: (link: MarkdownLink, line: Int)] = [:]
    private var references: [(label: String, draft: ClipDraft)] = []
    /// Whether the file has the first line of an own one.
    private var isOwnFile = false
    /// The last clip of an own line, nil if its comment cannot be read, with the blocks after it.
    private var own: (draft: ClipDraft?, isComplete: Bool, line: Int, visible: VisibleClip)?

    let form = "Markdown"
    private(set) var unread = UnreadFields()
    /// The clip that the properties describe, and its text.
    private var page: (fielded: FieldedDraft, text: [UInt8])?
    private let maxText: Int

    /// The maximum number of links by reference, which are in memory until the end.
    private static let maxReferences = 1_000_000
    private static let tagsOpening = "<!-- TAGS:"

    init(_ source: UTF8Source) {
        lines = LineSource(source)
        maxText = source.limits.piece
    }

    mutating func read() throws(ImportError) -> Bool {
        guard let line = try lines.next() else {
            finish()
            return false
        }
        let text = String(decoding: line.bytes, as: UTF8.self)
        if page != nil {
            if page?.text.count ?? 0 <= maxText { page?.text += line.bytes + [UInt8(ascii: "\n")] }
        } else if lines.number == 1, text == FrontMatter.mark {
            try readProperties()
        } else {
            read(text, isTooLong: line.isTooLong)
        }
        return true
    }

    private mutating func finish() {
        finishOwn()
        if let page {
            var fielded = page.fielded
            fielded.set(.text, String(decoding: page.text, as: UTF8.self).trimmed)
            items.append(.success(fielded.draft))
            items += fielded.problems(line: lines.number)
        }
        resolve()
    }

    /// Reads the properties; without their end, they are lines like others.
    private mutating func readProperties() throws(ImportError) {
        var properties: [String] = []
        while properties.count < FrontMatter.maxLines, let line = try lines.next() {
            let text = String(decoding: line.bytes, as: UTF8.self)
            guard text != FrontMatter.mark && text != "..." else {
                let matter = FrontMatter(properties)
                if !matter.fielded.draft.url.isEmpty {
                    (page, unread) = ((matter.fielded, []), matter.unread)
                } else if !properties.isEmpty {
                    unread.insert("properties")
                }
                return
            }
            properties.append(text)
        }
        for line in properties { read(line, isTooLong: false) }
    }

    private mutating func read(_ line: String, isTooLong: Bool) {
        if own?.visible.add(line, limit: maxText) == true {
            if isTooLong { fail("it is longer than \(lines.limit)", line: lines.number) }
            return
        }
        finishOwn()
        if lines.number == 1 { isOwnFile = line == OwnMarkdownLine.header }
        if isTooLong { fail("it is longer than \(lines.limit)", line: lines.number) }
        let text = line.drop { $0 == " " || $0 == "\t" }
        if let mark = text.first, mark == "`" || mark == "~", text.prefix(while: { $0 == mark }).count >= 3 {
            fence = fence == nil ? mark : fence == mark ? nil : fence
            return
        }
        guard fence == nil else { return }
        if let own = OwnMarkdownLine(line) { return read(own) }
        if isOwnFile, var draft = OwnMarkdownLine.draft(line) {
            draft.tags = tags
            own = (draft, false, lines.number, VisibleClip())
            return
        }
        if readHeading(text) { return }
        if let definition = MarkdownLink.definition(text) {
            definitions[definition.label.lowercased()] = (definition.link, lines.number)
            return
        }
        readLinks(of: text)
    }

    private var tags: [String] { headings.map(\.name) }

    private mutating func readHeading(_ text: Substring) -> Bool {
        let level = text.prefix { $0 == "#" }.count
        guard (1...6).contains(level), text.dropFirst(level).first?.isWhitespace == true else { return false }
        headings.removeAll { $0.level >= level }
        let name = MarkdownLink.plain(text.dropFirst(level)).filter { $0 != "#" }
        if level > 1 && !name.isEmpty && !name.contains("://") {
            headings.append((level, name.trimmed))
        }
        readLinks(of: text.dropFirst(level))
        return true
    }

    private mutating func readLinks(of text: Substring) {
        var (links, note) = MarkdownLink.all(in: text)
        var tags = tags
        // buku writes tags there.
        if note.hasPrefix(Self.tagsOpening), note.hasSuffix(OwnMarkdownLine.closing) {
            let words = note.dropFirst(Self.tagsOpening.count).dropLast(OwnMarkdownLine.closing.count)
            tags += words.split(separator: ",").map(\.trimmed)
            note = ""
        }
        for link in links {
            var draft = draft(link, tags)
            (draft.note, note) = (note, "")
            if let label = link.label {
                guard references.count < Self.maxReferences else {
                    fail("there are too many links by reference", line: lines.number)
                    continue
                }
                references.append((label.lowercased(), draft))
            } else {
                items.append(.success(draft))
            }
        }
    }

    private func draft(_ link: MarkdownLink, _ tags: [String]) -> ClipDraft {
        var draft = ClipDraft()
        draft.url = link.url
        draft.title = link.title
        draft.tags = tags
        return draft
    }

    private mutating func read(_ own: OwnMarkdownLine) {
        var draft = own.draft
        guard let object = JSONParser.parse(own.object).value,
            (try? ClipRecord.apply(object, to: &draft)) != nil, !draft.isEmpty
        else {
            self.own = (nil, false, lines.number, VisibleClip())
            return fail("the clip's comment cannot be read", line: lines.number)
        }
        self.own = (draft, true, lines.number, VisibleClip())
    }

    /// Adds the clip of an own line with the edits of its visible words.
    private mutating func finishOwn() {
        guard let own else { return }
        self.own = nil
        guard var draft = own.draft else { return }
        let isRead = own.visible.apply(to: &draft)
        items.append(.success(draft))
        guard !isRead else { return }
        let reason =
            own.isComplete
            ? "the visible note, text, or quotes are not those of the clip's comment; the comment was read"
            : "the note, text, and quotes of a clip without its comment were not read"
        items.append(.problem(reason, line: own.line, changed: 1))
    }

    private mutating func resolve() {
        var used: Set<String> = []
        for reference in references {
            guard let link = definitions[reference.label]?.link else { continue }
            used.insert(reference.label)
            var draft = reference.draft
            draft.url = link.url
            if draft.title.isEmpty { draft.title = link.title }
            items.append(.success(draft))
        }
        for (label, definition) in definitions.sorted(by: { $0.value.line < $1.value.line })
        where !used.contains(label) {
            var link = definition.link
            if link.title.isEmpty { link.title = label }
            items.append(.success(draft(link, [])))
        }
    }
}

/// A line of this program's export: a link, and the rest of the clip in a comment.
struct OwnMarkdownLine {
    static let opening = "<!-- clips "
    static let closing = " -->"
    static let header = "# Clips"

    let draft: ClipDraft
    let object: [UInt8]

    init?(_ line: String) {
        guard line.hasPrefix("- "), line.hasSuffix(Self.closing), let start = line.lastRange(of: Self.opening)
        else {
            return nil
        }
        object = Array(line[start.upperBound...].dropLast(Self.closing.count).utf8)
        var draft = ClipDraft()
        if let link = MarkdownLink.all(in: line[..<start.lowerBound]).links.first, link.label == nil {
            draft.url = link.url
            draft.title = link.title
        }
        self.draft = draft
    }

    /// Returns the URL and the title of a line without its comment.
    static func draft(_ line: String) -> ClipDraft? {
        let words = line.trimmed
        guard words.hasPrefix("- ") else { return nil }
        var draft = ClipDraft()
        if words.hasPrefix("- **"), words.hasSuffix("**"), words.utf8.count > 6 {
            draft.title = MarkdownLink.plain(words.dropFirst(4).dropLast(2))
            return draft
        }
        let (links, note) = MarkdownLink.all(in: words.dropFirst(2))
        guard words.hasPrefix("- ["), links.count == 1, note.isEmpty, links[0].label == nil
        else { return nil }
        (draft.url, draft.title) = (links[0].url, links[0].title)
        return draft
    }
}

extension String {
    func lastRange(of words: String) -> Range<String.Index>? {
        var found: Range<String.Index>?
        var rest = self[...]
        while let range = rest.firstRange(of: words) {
            found = range
            rest = rest[range.upperBound...]
        }
        return found
    }
}
