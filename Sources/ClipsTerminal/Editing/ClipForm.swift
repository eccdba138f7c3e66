package import ClipsCore
package import PersistentStore
import Platform

/// A clip as an editable text: headers, an empty line, and the clip's text.
package struct ClipForm: Hashable {
    /// The attributes that the form has, in its order.
    static let attributes: [ClipAttribute] = [.title, .url, .tags, .note, .text]

    private var values: [ClipAttribute: String] = [:]

    init() {}

    package init(_ clip: Clip) {
        values = [.title: clip.title, .url: clip.url, .note: clip.note, .text: clip.text]
        values[.tags] = Tags(clip.tags).joined
    }

    /// A field as the clip stores it.
    subscript(_ attribute: ClipAttribute) -> String {
        get { values[attribute] ?? "" }
        set { values[attribute] = attribute == .tags ? Tags(joined: newValue).joined : newValue }
    }

    /// A line of an edited form that is not one of a form, or a missing one.
    package struct Problem: Error, Hashable {
        package let sentence: String
    }

    /// The text to edit. Further lines of the note are indented, as in a mail header.
    package var text: String {
        func lines(_ text: String) -> [Substring] {
            text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        }
        let values = [
            lines(self[.title]).joined(separator: " "), lines(self[.url]).joined(separator: " "),
            Tags(joined: self[.tags]).names.joined(separator: ", "),
            lines(self[.note]).joined(separator: "\n  "),
        ]
        let header = zip(Self.names, values).map { "\($0): \($1)\n" }.joined()
        return "\(header)\(Self.hint)\n\n\(self[.text])"
    }

    private static let names = attributes.dropLast().map(\.rawValue)
    /// The last line of the header, which is not read.
    private static let hint = "# The text begins below the empty line."

    /// Parses a form. The header ends after the hint, or at the first empty line if that is missing.
    package init(reading text: String) throws(Problem) {
        var rest = text[...]
        var (number, last, isInHeader) = (0, "", true)
        var note = ""
        var missing = Self.names
        let hasHint = text.hasPrefix(Self.hint) || text.contains("\n" + Self.hint)
        while isInHeader, !rest.isEmpty {
            let line = rest.prefix { $0 != "\n" && $0 != "\r\n" }
            rest = rest[line.endIndex...].dropFirst()
            number += 1
            if line == Self.hint {
                isInHeader = false
                if rest.first == "\n" || rest.first == "\r\n" { rest = rest.dropFirst() }
            } else if last == "note", line.hasPrefix("  ") {
                note += "\n" + line.dropFirst(2)
            } else if line.allSatisfy(\.isWhitespace) {
                isInHeader = hasHint
            } else if let colon = line.firstIndex(of: ":"),
                let index = missing.firstIndex(of: line[..<colon].lowercased())
            {
                last = missing.remove(at: index)
                let value = String(line[colon...].dropFirst().drop { $0 == " " })
                if let attribute = ClipAttribute(rawValue: last) { self[attribute] = value }
            } else {
                throw Problem(
                    sentence: last == "note"
                        ? "Line \(number) is not a field. Begin further lines of the note with two spaces."
                        : "Line \(number) is not one of the fields \(Self.names.listed).")
            }
        }
        guard missing.isEmpty else {
            throw Problem(
                sentence: missing.count == Self.names.count
                    ? "The form has no fields."
                    : "The line '\(missing[0]):' is missing. Leave it empty to remove the value.")
        }
        self[.note] += note
        // Editors add a line end to the last line.
        if rest.hasSuffix("\n") { rest = rest.dropLast() }
        self[.text] = String(rest)
    }

    /// Returns the attributes in which the form differs from a clip.
    package func changes(from clip: Clip) throws(Problem) -> [ClipAttribute: AttributeValue] {
        let old = (try? ClipForm(reading: ClipForm(clip).text)) ?? ClipForm(clip)
        var changes: [ClipAttribute: AttributeValue] = [:]
        for attribute in Self.attributes where self[attribute] != old[attribute] {
            let value = attribute == .url ? try savedURL() : self[attribute]
            if value != old[attribute] { changes[attribute] = .text(value) }
        }
        return changes
    }

    var draft: ClipDraft {
        var draft = ClipDraft()
        (draft.title, draft.url, draft.note) = (self[.title], self[.url], self[.note])
        (draft.text, draft.tags) = (self[.text], Tags(joined: self[.tags]).names)
        return draft
    }

    /// The form as a new clip.
    func newClip() throws(Problem) -> ClipDraft {
        var draft = draft
        draft.url = try savedURL()
        return draft
    }

    private func savedURL() throws(Problem) -> String {
        guard !self[.url].isEmpty else { return "" }
        guard let url = WebAddress.url(self[.url]) else {
            throw Problem(sentence: "The field 'url' needs a URL, such as https://example.org/page.")
        }
        return url
    }
}
