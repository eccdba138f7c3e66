import ClipsCore
import Platform

/// A reader of references: their titles, authors, URLs, abstracts, and keywords. A DOI is a URL where there is no other.
struct RISReader: FormatReader {
    private var lines: LineSource
    private let maxSize: Int
    private var size = 0
    var items: [ImportItem] = []
    private var entry: [(tag: String, value: String)] = []
    private(set) var unread = UnreadFields()

    let form = "RIS"

    private static let fields: [String: ClipField] = [
        "TI": .title, "T1": .title, "UR": .url, "AB": .note, "N2": .note, "N1": .note, "KW": .tags,
    ]

    private static let authors = ["AU", "A1"]

    init(_ source: UTF8Source) {
        lines = LineSource(source)
        maxSize = source.limits.piece
    }

    static func understands(_ text: Substring) -> Bool {
        text.split(whereSeparator: \.isNewline).first.flatMap { tag(of: String($0))?.tag } == "TY"
    }

    mutating func read() throws(ImportError) -> Bool {
        guard let line = try lines.next() else {
            close()
            return false
        }
        if line.isTooLong { fail("it is too long", line: lines.number) }
        let text = String(decoding: line.bytes, as: UTF8.self)
        size += text.utf8.count + 1
        guard size <= maxSize else {
            throw .refused("A reference has more than \(lines.limit).", "Split the file.")
        }
        if let (tag, value) = Self.tag(of: text) {
            if tag == "ER" || tag == "TY" { close() } else { entry.append((tag, value)) }
        } else if !entry.isEmpty {
            entry[entry.count - 1].value += " " + text.trimmed
        }
        return true
    }

    private mutating func close() {
        size = 0
        guard !entry.isEmpty else { return }
        var fielded = FieldedDraft()
        let authors = entry.filter { Self.authors.contains($0.tag) && !$0.value.isEmpty }
        fielded.set(.byline, authors.map(\.value).joined(separator: "; "))
        for (tag, value) in entry where !Self.authors.contains(tag) {
            if tag == "KW" {
                fielded.addTags([value.trimmed])
            } else if let field = Self.fields[tag] {
                fielded.set(field, value.trimmed)
            } else if tag != "DO" && !value.isEmpty {
                unread.insert(tag)
            }
        }
        items += fielded.reference(doi: entry.first { $0.tag == "DO" }?.value, line: lines.number)
        entry = []
    }

    /// `TI  - Title`
    private static func tag(of line: String) -> (tag: String, value: String)? {
        let bytes = Array(line.utf8.drop { $0 == 0x20 }.prefix(6))
        guard bytes.count >= 5, bytes[2...4].elementsEqual("  -".utf8), bytes[0].isUppercase,
            bytes[1].isUppercase || bytes[1].isASCIIDigit
        else { return nil }
        let value = line.utf8.drop { $0 == 0x20 }.dropFirst(5)
        return (
            String(decoding: bytes[..<2], as: UTF8.self),
            String(decoding: value, as: UTF8.self).trimmed
        )
    }
}

extension FieldedDraft {
    /// Returns the clip of a reference and its problems.
    mutating func reference(doi: String?, line: Int) -> [ImportItem] {
        if draft.url.isEmpty, let doi, !doi.isEmpty {
            set(.url, doi.contains("://") ? doi : "https://doi.org/" + doi)
        }
        guard draft.hasSource else {
            return [.problem("a reference has no URL and no DOI", line: line)]
        }
        return [.success(draft)]
    }
}

extension UInt8 { fileprivate var isUppercase: Bool { (0x41...0x5A).contains(self) } }
