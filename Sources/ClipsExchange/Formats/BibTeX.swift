import ClipsCore

/// A parser of BibTeX: titles, authors, URLs, abstracts, notes, and keywords.
struct BibTeX {
    private var scalars: ArraySlice<Unicode.Scalar>
    private var line = 1
    private var strings: [String: String] = [:]
    private var unread = UnreadFields()

    private static let fields: [String: ClipField] = [
        "title": .title, "url": .url, "abstract": .note, "keywords": .tags, "note": .note, "annote": .note,
        "author": .byline,
    ]

    static let maxBytes = 64 << 20

    static func reader(_ text: String) -> CollectedReader {
        var parser = BibTeX(scalars: Array(text.unicodeScalars)[...])
        let items = parser.entries()
        return CollectedReader("BibTeX", items, parser.unread)
    }

    private init(scalars: ArraySlice<Unicode.Scalar>) { self.scalars = scalars }

    static func understands(_ text: Substring) -> Bool {
        guard text.first == "@", let brace = text.firstIndex(where: { !$0.isLetter && $0 != "@" }) else {
            return false
        }
        return text[brace] == "{" && brace > text.index(after: text.startIndex)
    }

    private mutating func entries() -> [ImportItem] {
        var items: [ImportItem] = []
        while skip(until: "@") {
            let start = line
            let kind = word().lowercased()
            skipSpace()
            guard scalars.first == "{" || scalars.first == "(" else { continue }
            if kind == "comment" || kind == "preamble" {
                _ = value()
                continue
            }
            advance()
            if kind != "string" { _ = skip(until: ",") }
            var values: [String: String] = [:]
            while let name = fieldName() { values[name] = value() }
            if kind == "string" {
                strings.merge(values) { $1 }
            } else {
                items += self.items(values, start)
            }
        }
        return items
    }

    private mutating func items(_ values: [String: String], _ line: Int) -> [ImportItem] {
        var fielded = FieldedDraft()
        for (name, value) in values.sorted(by: { $0.key < $1.key }) where !value.isEmpty {
            switch name {
            case "keywords":
                let words = LaTeX.plain(value).split { $0 == "," || $0 == ";" }
                fielded.addTags(words.map(\.trimmed))
            case "url": fielded.set(.url, LaTeX.address(value))
            case "doi": break
            case "howpublished" where value.contains("\\url{"):
                if values["url"] == nil { fielded.set(.url, LaTeX.address(value)) }
            case let name:
                if let field = Self.fields[name] {
                    fielded.set(field, LaTeX.plain(value))
                } else {
                    unread.insert(name)
                }
            }
        }
        return fielded.reference(doi: values["doi"].map(LaTeX.address), line: line)
    }

    /// Returns the name before an equals sign; nil at the end of the entry.
    private mutating func fieldName() -> String? {
        while let scalar = scalars.first, scalar == "," || scalar.properties.isWhitespace { advance() }
        let name = word().lowercased()
        skipSpace()
        guard !name.isEmpty, scalars.first == "=" else { return nil }
        advance()
        return name
    }

    /// Returns the parts of a value, joined: in braces, in quotes, a number, or the name of a string.
    private mutating func value() -> String {
        var value = ""
        repeat {
            if scalars.first == "#" { advance() }
            skipSpace()
            switch scalars.first {
            case "{": value += balanced("}")
            case "\"": value += balanced("\"")
            case "(": value += balanced(")")
            default:
                let name = word()
                value += strings[name.lowercased()] ?? name
            }
            skipSpace()
        } while scalars.first == "#"
        return value
    }

    /// Returns the text up to an end outside of braces.
    private mutating func balanced(_ end: Unicode.Scalar) -> String {
        var (text, depth) = (String.UnicodeScalarView(), 0)
        advance()
        while let scalar = scalars.first {
            advance()
            if depth == 0 && scalar == end { break }
            if scalar == "{" { depth += 1 }
            if scalar == "}" { depth -= 1 }
            text.append(scalar)
            if scalar == "\\", let next = scalars.first {
                text.append(next)
                advance()
            }
        }
        return String(text)
    }

    private mutating func word() -> String {
        let name = scalars.prefix { !$0.properties.isWhitespace && !"{}(),=#\"@".unicodeScalars.contains($0) }
        scalars = scalars.dropFirst(name.count)
        return String(String.UnicodeScalarView(name))
    }

    private mutating func skipSpace() { while scalars.first?.properties.isWhitespace == true { advance() } }

    /// Advances beyond a mark; returns false at the end.
    private mutating func skip(until mark: Unicode.Scalar) -> Bool {
        while let scalar = scalars.first {
            advance()
            if scalar == mark { return true }
        }
        return false
    }

    private mutating func advance() { if scalars.popFirst() == "\n" { line += 1 } }
}

/// The text of LaTeX in the fields of references.
enum LaTeX {
    private static let accents: [Unicode.Scalar: Unicode.Scalar] = [
        "\"": "\u{308}", "'": "\u{301}", "`": "\u{300}", "^": "\u{302}", "~": "\u{303}", "=": "\u{304}",
        ".": "\u{307}", "u": "\u{306}", "v": "\u{30C}", "H": "\u{30B}", "c": "\u{327}", "k": "\u{328}",
        "r": "\u{30A}", "d": "\u{323}",
    ]
    private static let letters = [
        "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł",
        "aa": "å", "AA": "Å", "i": "i", "j": "j", "textendash": "–", "textemdash": "—", "textquoteright": "’",
    ]

    /// The Latin letters with accents, by what is equal to them.
    private static let composed: [Character: Unicode.Scalar] = Dictionary(
        [0xC0...0x24F, 0x1E00...0x1EFF].joined().compactMap { Unicode.Scalar(UInt32($0)) }
            .map { (Character($0), $0) }, uniquingKeysWith: { first, _ in first })

    /// Returns a URL without `\url`, braces, and backslashes before signs.
    static func address(_ text: String) -> String {
        let inner =
            text.firstRange(of: "\\url{").map { text[$0.upperBound...].prefix { $0 != "}" } } ?? text[...]
        return HTMLText.address(String(inner.filter { $0 != "\\" && $0 != "{" && $0 != "}" }))
    }

    /// Returns text on one line, without commands and braces.
    static func plain(_ text: String) -> String {
        var output = String.UnicodeScalarView()
        var rest = Array(text.unicodeScalars)[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "{", "}": break
            case "~": output.append(" ")
            case "\\":
                guard let next = rest.popFirst() else { break }
                let isWord = next.properties.isAlphabetic
                var name = String.UnicodeScalarView([next])
                while isWord, let more = rest.first, more.properties.isAlphabetic {
                    name.append(more)
                    rest.removeFirst()
                }
                if let accent = accents[next], name.count == 1 {
                    while let mark = rest.first, mark == "{" || mark.properties.isWhitespace {
                        rest.removeFirst()
                    }
                    if rest.first == "\\" { rest.removeFirst() }
                    guard let letter = rest.popFirst() else { break }
                    let character = Character(String(String.UnicodeScalarView([letter, accent])))
                    output.append(contentsOf: composed[character].map { [$0] } ?? [letter, accent])
                } else if isWord {
                    while rest.first?.properties.isWhitespace == true { rest.removeFirst() }
                    output.append(contentsOf: (letters[String(name)] ?? "").unicodeScalars)
                } else {
                    output.append(next)
                }
            default: output.append(scalar)
            }
        }
        return String(output).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
