import ClipsCore
import ClipsTerminal
import FoundationEssentials
import Glibc
import Platform
import SearchIndex
import Terminal

/// Clips as text for users and as JSON for programs, safe for a terminal.
struct ClipLines {
    let isJSON: Bool
    private let table: ClipTable?

    init(isJSON: Bool) {
        self.isJSON = isJSON
        table = nil
    }

    init(table: ClipTable) {
        isJSON = false
        self.table = table
    }

    func line(_ clip: Clip) -> String {
        guard !isJSON else { return JSONLine.shown(ClipRecord(clip).json()) }
        if let table { return table.line(clip) }
        let tags = clip.tags.isEmpty ? "" : "  [" + clip.tags.joined(separator: ", ") + "]"
        let url = clip.url.isEmpty || clip.url == clip.displayTitle ? "" : "  " + clip.url
        let star = clip.isStarred ? "* " : ""
        return SafeText.line(
            "\(clip.id)  \(Self.day(clip.created))  \(AuthorName.shown(clip.author))  \(star)\(clip.link?.sign ?? "")\(clip.displayTitle)\(url)\(tags)"
        )
    }

    /// Returns all fields of a clip; for a program, as they are stored.
    static func page(_ clip: Clip, isOnTerminal: Bool) -> String {
        var text = ""
        func line(_ text: some StringProtocol) -> String {
            isOnTerminal ? SafeText.line(String(text)) : SafeText.stored(String(text))
        }
        func field(_ name: String, _ value: String) {
            guard !value.isEmpty else { return }
            text += "\(name): \(line(String(value.map { $0.isNewline ? " " : $0 })))\n"
        }
        field("id", "\(clip.id) (\(clip.uuid))")
        field("title", clip.displayTitle)
        field("url", isOnTerminal ? ReadableURL.text(clip.url) : clip.url)
        field("tags", clip.tags.joined(separator: ", "))
        field("author", AuthorName.shown(clip.author))
        field("saved", LocalTime(clip.created).full)
        if clip.updated != clip.created { field("changed", LocalTime(clip.updated).full) }
        field("starred", clip.isStarred ? "yes" : "")
        field("archived", clip.isArchived ? "yes" : "")
        field("read", clip.isUnread ? "" : "yes")
        field("link", clip.link == .dead || clip.link == .moved ? clip.link?.rawValue ?? "" : "")
        field("note", clip.note)
        for quote in clip.quotes {
            field("quote", quote.text)
            field("  note", quote.note)
        }
        guard !clip.text.isEmpty else { return text }
        let lines = clip.text.split(omittingEmptySubsequences: false) { $0.isNewline }
        return text + "\n" + lines.map { line($0) + "\n" }.joined()
    }

    private static func day(_ date: Date) -> String { String(LocalTime(date).dateAndTime.dropLast(6)) }
}

/// One JSON object on one line, keys in alphabetical order.
enum JSONLine {
    /// Returns JSON without invisible characters if standard output is a terminal.
    static func shown(_ json: String) -> String { isOnTerminal ? SafeText.json(json) : json }

    private static let isOnTerminal = isatty(STDOUT_FILENO) == 1

    static func time(_ date: Date) -> String {
        date.ISO8601Format(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
