import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import SearchIndex

/// The parts of building an index that have a fast path.
@Suite struct DocumentWriterTests {
    private static let pieces = [
        "a", "Word", "x9", " ", "-", "'", "\t", ".", "/", "?", "\u{E9}", "e\u{301}", "\u{65E5}\u{672C}",
        "\u{30AB}",
        "\u{2019}", "\u{A0}", "\u{1F600}", "\u{0}", String(repeating: "long", count: 9), "\u{FB01}",
    ]

    private static func text(using random: inout SeededRandom, _ pieces: [String] = Self.pieces) -> String {
        (0..<Int.random(in: 0...12, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
            .joined()
    }

    @Test func `folding a text of ASCII is the same as folding any text`() {
        let seed: UInt64 = 5
        var random = SeededRandom(seed: seed)
        let ascii = (0..<128).map { String(Unicode.Scalar(UInt8($0))) }
        for _ in 0..<500 {
            let text = Self.text(using: &random, ascii)
            #expect(Folding.fold(text) == Folding.foldWithOrigins(text).bytes, "seed \(seed)")
        }
    }

    @Test func `the tokens of a text are those of its runs`() {
        let seed: UInt64 = 6
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            let folded = Folding.fold(Self.text(using: &random))
            var (tokens, expected): ([String], [String]) = ([], [])
            folded.withUnsafeBufferPointer { bytes in
                Tokens.forEach(bytes) { token, isWord in
                    tokens.append("\(isWord)" + String(decoding: token, as: UTF8.self))
                }
                Tokens.runs(bytes) { run in
                    let text = Array(String(decoding: bytes[run.range], as: UTF8.self).unicodeScalars)
                    func add(_ range: Range<Int>, _ isWord: Bool) {
                        let part = text[range.clamped(to: text.indices)].map(String.init).joined()
                        expected.append("\(isWord)" + part)
                    }
                    guard run.kind == .word else {
                        for index in text.indices {
                            add(index..<index + 1, false)
                            if index + 1 < text.count { add(index..<index + 2, false) }
                        }
                        return
                    }
                    var first = 0
                    while true {
                        add(first..<first + Tokens.longestWord, true)
                        guard first + Tokens.longestWord < text.count else { return }
                        first += Tokens.longestWord - Tokens.longestPart
                    }
                }
            }
            #expect(tokens == expected, "seed \(seed)")
        }
    }

    @Test func `a set of tokens is a set`() {
        let seed: UInt64 = 7
        var random = SeededRandom(seed: seed)
        var (set, expected) = (TokenSet(), Set<UInt64>())
        for _ in 0..<20 {
            for _ in 0..<Int.random(in: 0...300, using: &random) {
                // Many have the same slot.
                let hash =
                    UInt64.random(in: 1...400, using: &random) << UInt64.random(in: 0...50, using: &random)
                #expect(set.contains(hash) == expected.contains(hash))
                #expect(set.insert(hash) == expected.insert(hash).inserted, "seed \(seed)")
            }
            guard Bool.random(using: &random) else { continue }
            set.removeAll()
            expected = []
        }
        #expect(set.insert(0) && !set.insert(0))
    }

    @Test func `a document that is added again replaces the earlier one`() throws {
        let connection = try Connection(path: ":memory:", access: .create)
        try IndexFile.makeContents(connection)
        func document(_ id: Int64, _ created: Int64) -> SearchDocument {
            let schema = SearchSchema(
                entity: "E", title: "title", tags: "tags", url: "url", text: "text", note: "note",
                author: "author", created: "created", starred: "starred", unread: "unread",
                archived: "archived")
            return SearchDocument(id: id, schema) { name in
                name == "created" ? .integer(created) : name == "title" ? .text("word \(id)") : .text("")
            }
        }
        let writer = DocumentWriter()
        #expect(try writer.add([document(1, 10), document(2, 20)], from: 100, to: connection) == 0)
        #expect(try writer.add([document(3, 5), document(1, 8)], from: 98, to: connection) == 1)
        let rows = try connection.texts(
            "SELECT number || ' ' || object || ' ' || created FROM document ORDER BY number")
        #expect(rows == ["98 3 5", "99 1 8", "101 2 20"])
    }
}
