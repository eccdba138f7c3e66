import ClipsCore
import FoundationEssentials

/// What of a clip is copied.
enum CopyForm: String, CaseIterable, Sendable {
    case url, title, text, markdown, json

    var key: Character {
        switch self {
        case .url: "u"
        case .title: "t"
        case .text: "x"
        case .markdown: "m"
        case .json: "a"
        }
    }

    func label(_ count: Int) -> String {
        switch self {
        case .url: count == 1 ? "address" : "addresses, one a line"
        case .title: count == 1 ? "title" : "titles, one a line"
        case .text: count == 1 ? "text" : "texts"
        case .markdown: count == 1 ? "Markdown link" : "Markdown links, as a list"
        case .json: count == 1 ? "all of it, as JSON" : "all of them, a JSON object a line"
        }
    }

    /// `the address`, `3 addresses`: what was copied.
    func told(_ count: Int) -> String {
        let one = [
            CopyForm.url: "the address", .title: "the title", .text: "the text",
            .markdown: "a Markdown link", .json: "the clip as JSON",
        ]
        let many = [
            CopyForm.url: "addresses", .title: "titles", .text: "texts", .markdown: "Markdown links",
            .json: "clips as JSON",
        ]
        return count == 1 ? one[self] ?? "" : "\(StatusLine.grouped(count)) \(many[self] ?? "")"
    }

    /// The clips in this form; nothing when none of them has any of it.
    func text(_ clips: [Clip]) -> String {
        switch self {
        case .url: clips.map(\.url).filter { !$0.isEmpty }.joined(separator: "\n")
        case .title: clips.map(\.displayTitle).joined(separator: "\n")
        case .text: clips.map(\.text).filter { !$0.isEmpty }.joined(separator: "\n\n")
        case .markdown:
            clips.map { (clips.count > 1 ? "- " : "") + Self.link($0) }.joined(separator: "\n")
        case .json: clips.compactMap(Self.json).joined(separator: "\n")
        }
    }

    private static func link(_ clip: Clip) -> String {
        // By scalars: a bracket with an accent on it is another character to Swift, and a bracket to Markdown.
        var title = String.UnicodeScalarView()
        for scalar in clip.displayTitle.unicodeScalars {
            if "[]\\`*_<".unicodeScalars.contains(scalar) { title.append("\\") }
            title.append(Character(scalar).isNewline ? " " : scalar)
        }
        guard !clip.url.isEmpty else { return String(title) }
        let target = clip.url.unicodeScalars.reduce(into: "") { target, scalar in
            switch scalar {
            case "(": target += "%28"
            case ")": target += "%29"
            case " ": target += "%20"
            case "<": target += "%3C"
            case ">": target += "%3E"
            default: target.unicodeScalars.append(scalar)
            }
        }
        return "[\(String(title))](\(target))"
    }

    private static func json(_ clip: Clip) -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(ClipObject(clip))).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// The keys that `clips list --json` uses, less what only the store needs.
private struct ClipObject: Encodable {
    let id: Int64
    let url, title, text, note: String
    let tags: [String]
    let author: String
    let starred, unread: Bool
    let created, updated: String

    init(_ clip: Clip) {
        (id, url, title, text, note) = (clip.id, clip.url, clip.title, clip.text, clip.note)
        (tags, author, starred, unread) = (clip.tags, clip.author, clip.isStarred, clip.isUnread)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        (created, updated) = (clip.created.ISO8601Format(style), clip.updated.ISO8601Format(style))
    }
}
