import ClipsCore
import SearchIndex

/// A link of a line of Markdown.
struct MarkdownLink {
    var url = ""
    var title = ""
    /// The label of the URL's definition; nil for an inline link.
    var label: String?

    private typealias Found = (range: Range<Int>, link: MarkdownLink?)

    /// Returns the links of a line in order, and the words after the first one that are its note.
    static func all(in line: Substring) -> (links: [MarkdownLink], note: String) {
        let bytes = Array(line.utf8)
        let code = TextCode.all(in: bytes)
        let marks = InlineMark.all(in: bytes, code: code, isDocument: true) { name, form in
            form != .short || name.count > 1 && LinkAddress.urls(in: Array(name)).isEmpty
        }
        let images = Dictionary(marks.filter { $0.kind == .image }.map { ($0.opening.lowerBound, $0) }) { $1 }
        var all: [Found] = code.map { ($0.range, nil) }
        for mark in marks where [.link, .image, .address].contains(mark.kind) {
            // The title of an image that is a link is its description.
            all.append(
                (mark.range, link(mark, words: (images[mark.words.lowerBound] ?? mark).words, in: bytes)))
        }
        for url in LinkAddress.urls(in: bytes, between: marks) {
            all.append((url, MarkdownLink(url: string(bytes[url]))))
        }
        all.sort { ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound) }
        // The outermost ones.
        var end = 0
        let links = all.filter { found in
            guard found.range.lowerBound >= end else { return false }
            end = found.range.upperBound
            return found.link != nil
        }
        return (links.compactMap(\.link), note(links.map(\.range), in: bytes))
    }

    private static func link(_ mark: InlineMark, words: Range<Int>, in bytes: [UInt8]) -> MarkdownLink? {
        let (target, title) = (plain(string(bytes[mark.target])), plain(string(bytes[words])))
        if mark.kind == .address {
            return target.contains("://") || target.hasPrefix("mailto:") ? MarkdownLink(url: target) : nil
        }
        guard mark.kind == .link, !target.isEmpty else { return nil }
        return mark.isNamed
            ? MarkdownLink(title: title, label: target)
            : MarkdownLink(url: HTMLText.address(target), title: title)
    }

    private static func string(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the words after the first of several ranges. They are its note if no other one follows, or if words after
    /// a dash or a colon do.
    private static func note(_ links: [Range<Int>], in bytes: [UInt8]) -> String {
        guard let first = links.first else { return "" }
        let words = string(bytes[first.upperBound...])
        let note = words.drop { "-–—: \t*|".contains($0) }
        if links.count > 1 {
            let between = string(bytes[first.upperBound..<links[1].lowerBound])
            let separator = between.prefix(words.count - note.count)
            guard separator.contains(where: { "-–—:".contains($0) }), between.contains(where: \.isLetter)
            else {
                return ""
            }
        }
        return plain(note).trimmed
    }

    /// `[label]: address "title"`
    static func definition(_ line: Substring) -> (label: String, link: MarkdownLink)? {
        guard line.first == "[", let end = line.firstRange(of: "]:") else { return nil }
        let rest = line[end.upperBound...].drop(while: \.isWhitespace)
        let address = rest.first == "<" ? "" : rest.prefix { !$0.isWhitespace }
        let target = address.isEmpty ? String(rest) : "<\(address)>\(rest.dropFirst(address.count))"
        let bytes = Array("\(line[..<end.lowerBound])](\(target))".utf8)
        let link = InlineMark.all(in: bytes, code: [], isDocument: true).first { $0.range == bytes.indices }
        guard let link, link.kind == .link, !link.target.isEmpty else { return nil }
        let title = string(bytes[(link.target.upperBound + 1)...].dropLast()).trimmed
        let label = plain(string(bytes[link.words]))
        guard !label.isEmpty, !label.hasPrefix("^") else { return nil }
        return (
            label,
            MarkdownLink(
                url: plain(string(bytes[link.target])), title: plain(String(title.dropFirst().dropLast())))
        )
    }

    /// Returns words without backslashes and entities.
    static func plain(_ text: some StringProtocol) -> String {
        guard text.contains("\\") || text.contains("&") else { return String(text) }
        var scalars = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\\", let next = rest.first, next.isASCII, UInt8(next.value).isPunctuation {
                scalars.append(next)
                rest.removeFirst()
            } else if scalar == "&",
                let (name, character) = entities.first(where: { rest.starts(with: $0.0.unicodeScalars) })
            {
                scalars.append(character)
                rest.removeFirst(name.unicodeScalars.count)
            } else {
                scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    private static let entities: [(String, Unicode.Scalar)] = [
        ("amp;", "&"), ("lt;", "<"), ("gt;", ">"), ("quot;", "\""), ("nbsp;", "\u{A0}"), ("#39;", "'"),
    ]
}
