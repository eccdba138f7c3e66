import Platform

/// A clip's tags, one text with commas in the store.
package struct Tags: Hashable, Sendable {
    package let names: [String]

    /// Creates tags from names: trimmed, without empty ones and repetitions. A comma in a name becomes a
    /// space.
    package init(_ names: some Sequence<String>) {
        var seen: Set<String> = []
        self.names =
            names
            .map { name in
                // Bytes of other letters are above those of ASCII.
                if name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") }) { return name }
                let words = name.split { $0 == "," || $0.isNewline || $0 == "\t" || $0 == " " }
                return words.joined(separator: " ")
            }
            .filter { !$0.isEmpty && seen.insert($0).inserted }
    }

    /// Whether a name has a comma, which a tag cannot have.
    package static func hasComma(_ names: [String]) -> Bool { names.contains { $0.contains(",") } }

    package init(joined text: String) {
        // Bytes are split several times faster; an accent of another alphabet may join a comma to one character.
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        let names: [Substring] =
            isASCII
            ? text.utf8.split(separator: UInt8(ascii: ",")).map { Substring($0) } : text.split(separator: ",")
        self.init(names.map(String.init))
    }

    package var joined: String { names.joined(separator: ",") }
}

/// A change of tags as the user types it: `+NAME` adds a tag, as does `#NAME`, the form of the list, and `-NAME` removes
/// one. A comma or the next sign ends a name, which may contain spaces, and be in quotes, as `words` has it. A name
/// without a sign is added.
package struct TagChange: Hashable, Sendable {
    package let adding: [String]
    package let removing: [String]

    package init(_ text: String) {
        var names: [(isAdded: Bool, words: [Substring])] = []
        for part in text.split(separator: ",") {
            var isNew = true
            for word in part.split(whereSeparator: \.isWhitespace) {
                if let sign = word.first, "+-#".contains(sign) {
                    names.append((sign != "-", [word.dropFirst()]))
                } else if isNew {
                    names.append((true, [word]))
                } else {
                    names[names.count - 1].words.append(word)
                }
                isNew = false
            }
        }
        func tags(_ isAdded: Bool) -> [String] {
            let typed = names.filter { $0.isAdded == isAdded }.map { $0.words.joined(separator: " ") }
            return typed.map(Self.unquoted)
        }
        self.init(adding: tags(true), removing: tags(false))
    }

    package init(adding: [String], removing: [String]) {
        let removed = Tags(removing).names
        // A tag that is added and removed is removed.
        self.adding = Tags(adding).names.filter { !removed.contains($0) }
        self.removing = removed
    }

    package var isEmpty: Bool { adding.isEmpty && removing.isEmpty }

    /// The change as the user types it.
    var words: String {
        (adding.map { "+" + Self.quoted($0) } + removing.map { "-" + Self.quoted($0) }).joined(separator: " ")
    }

    /// Quotes a name with spaces, which would look like several.
    private static func quoted(_ tag: String) -> String { tag.contains(" ") ? "“\(tag)”" : tag }

    private static func unquoted(_ tag: String) -> String {
        let ends = [tag.first, tag.last]
        let isQuoted = tag.count > 1 && [["\"", "\""], ["“", "”"]].contains(ends)
        return isQuoted ? String(tag.dropFirst().dropLast()) : tag
    }

    /// A sentence without an end about tags to remove that no clip had; nil without any.
    package var remark: String? {
        let names = removing.map(Self.quoted).joined(separator: ", ")
        return removing.isEmpty ? nil : "no \(removing.count == 1 ? "tag" : "tags") \(names) to remove"
    }

    /// Returns a sentence without an end, such as `tagged “Title” +swift`.
    package func sentence(_ subject: String) -> String {
        guard adding.isEmpty else { return "tagged \(subject) \(words)" }
        let names = removing.map(Self.quoted).joined(separator: ", ")
        return "removed the \(removing.count == 1 ? "tag" : "tags") \(names) from \(subject)"
    }

    func restricted(to names: Set<String>) -> TagChange {
        TagChange(adding: adding.filter(names.contains), removing: removing.filter(names.contains))
    }
}
