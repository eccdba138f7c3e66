import ClipsCore

/// A reader of newsboat's file `urls`: a feed per line, then its tags and, after `~`, its title.
struct NewsboatReader: FormatReader {
    private var lines: LineSource

    let form = "newsboat urls"
    private(set) var unread = UnreadFields()
    var items: [ImportItem] = []

    /// Lines that select or create articles, and have no page.
    private static let generators = ["query:", "filter:", "exec:"]

    init(_ source: UTF8Source) { lines = LineSource(source) }

    mutating func read() throws(ImportError) -> Bool {
        guard let line = try lines.next() else { return false }
        let words = Self.words(String(decoding: line.bytes, as: UTF8.self))
        if line.isTooLong {
            fail("it is longer than \(lines.limit)", line: lines.number)
        } else if let url = words.first?.text {
            if let kind = Self.generators.first(where: url.hasPrefix) {
                unread.insert("\(kind) lines")
            } else if CSVColumns.isAddress(url) {
                items.append(.success(feed(url, words.dropFirst().map(\.text))))
            } else {
                fail("a feed has no URL", line: lines.number)
            }
        }
        return true
    }

    private mutating func feed(_ url: String, _ words: [String]) -> ClipDraft {
        var fielded = FieldedDraft()
        fielded.set(.url, url)
        fielded.assumeRead()
        fielded.addTags(["feed"])
        for word in words {
            if word.hasPrefix("~") {
                fielded.set(.title, String(word.dropFirst()))
            } else if word == "!" {
                unread.insert("!")
            } else if !word.isEmpty {
                fielded.addTags([word])
            }
        }
        return fielded.draft
    }

    /// Whether a text is such a file: each line begins as one of newsboat, and a line has only words in quotes or
    /// a title after its URL, or a title in quotes next to other words. By its name, it needs none of these.
    static func understands(_ text: Substring, fileName: String) -> Bool {
        var lines = text.split(whereSeparator: \.isNewline)
        // The beginning of a large file may end inside a line.
        if text.utf8.count > 1 << 15, text.last?.isNewline == false { lines.removeLast() }
        let feeds = lines.map { words(String($0)) }.filter { !$0.isEmpty }
        guard feeds.allSatisfy({ isFeed($0[0].text) }), !feeds.isEmpty else { return false }
        return fileName.split(separator: "/").last == "urls"
            || feeds.contains { words in
                !CSVColumns.isAddress(words[0].text)
                    || words.count > 1
                        && words.dropFirst().allSatisfy { $0.isQuoted || $0.text.hasPrefix("~") }
                    || words.dropFirst().contains { $0.isQuoted && $0.text.hasPrefix("~") }
            }
    }

    private static func isFeed(_ word: String) -> Bool {
        CSVColumns.isAddress(word) || generators.contains(where: word.hasPrefix)
    }

    /// Returns the words of a line up to a comment. Words in quotes may have spaces, and quotes after a backslash.
    private static func words(_ line: String) -> [(text: String, isQuoted: Bool)] {
        var words: [(text: String, isQuoted: Bool)] = []
        var rest = line.drop(while: \.isWhitespace)
        while let first = rest.first, first != "#" {
            var text = ""
            if first == "\"" {
                rest.removeFirst()
                while let next = rest.popFirst(), next != "\"" {
                    text.append(next == "\\" ? rest.popFirst() ?? next : next)
                }
            } else {
                text = String(rest.prefix { !$0.isWhitespace })
                rest.removeFirst(text.count)
            }
            words.append((text, first == "\""))
            rest = rest.drop(while: \.isWhitespace)
        }
        return words
    }
}
