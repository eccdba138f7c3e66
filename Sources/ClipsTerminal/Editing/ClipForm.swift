package import ClipsCore
package import PersistentStore

/// A clip as an editable text: headers, an empty line, and the clip's text.
package struct ClipForm: Hashable {
    var title = ""
    var url = ""
    var tags: [String] = []
    var note = ""
    var body = ""

    init() {}

    package init(_ clip: Clip) {
        (title, url, tags, note, body) = (clip.title, clip.url, clip.tags, clip.note, clip.text)
    }

    init(_ draft: ClipDraft) {
        (title, url, tags, note, body) = (draft.title, draft.url, draft.tags, draft.note, draft.text)
    }

    /// The text to edit. Further lines of the note are indented, as in a mail header.
    package var text: String {
        let note = note.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n  ")
        let header =
            "title: \(title)\nurl: \(url)\ntags: \(Tags(tags).names.joined(separator: ", "))\nnote: \(note)"
        return "\(header)\n\(Self.hint)\n\n\(body)"
    }

    /// The last line of the header, which is not read.
    private static let hint = "# The text begins below the empty line."

    /// Parses a form. The header ends at the first empty line or other line that is not a header.
    package init(reading text: String) {
        var rest = text[...]
        var last = ""
        while !rest.isEmpty {
            let line = rest.prefix { $0 != "\n" && $0 != "\r\n" }
            let next = rest[line.endIndex...].dropFirst()
            if line.allSatisfy(\.isWhitespace), !(last == "note" && line.hasPrefix("  ")) {
                rest = next
                break
            }
            if line == Self.hint {
                last = ""
            } else if last == "note", line.hasPrefix("  ") {
                note += "\n" + line.dropFirst(2)
            } else if let colon = line.firstIndex(of: ":"),
                set(line[..<colon].lowercased(), line[colon...].dropFirst())
            {
                last = line[..<colon].lowercased()
            } else {
                break
            }
            rest = next
        }
        // Editors add a line end to the last line.
        if rest.hasSuffix("\n") { rest = rest.dropLast() }
        body = String(rest)
    }

    private mutating func set(_ name: String, _ value: Substring) -> Bool {
        let value = String(value.drop { $0 == " " })
        switch name {
        case "title": title = value
        case "url": url = value
        case "tags": tags = Tags(joined: value).names
        case "note": note = value
        default: return false
        }
        return true
    }

    /// Returns the attributes in which the form differs from a clip.
    package func changes(from clip: Clip) -> [ClipAttribute: AttributeValue] {
        let old = ClipForm(reading: ClipForm(clip).text)
        var changes: [ClipAttribute: AttributeValue] = [:]
        if title != old.title { changes[.title] = .text(title) }
        if url != old.url { changes[.url] = .text(url) }
        if tags != old.tags { changes[.tags] = .text(Tags(tags).joined) }
        if note != old.note { changes[.note] = .text(note) }
        if body != old.body { changes[.text] = .text(body) }
        return changes
    }

    var draft: ClipDraft {
        var draft = ClipDraft()
        (draft.title, draft.url, draft.tags, draft.note, draft.text) = (title, url, tags, note, body)
        return draft
    }
}
