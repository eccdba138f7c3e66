import PersistentStore
import TestSupport
import Testing

/// Prefixes and patterns.
@Suite struct TextPredicateTests {
    let container: PersistentContainer
    let context: StoreContext

    init() async throws {
        let model = try StoreModel(
            version: 1,
            entities: [
                EntityDescription(
                    "Thing",
                    attributes: [
                        AttributeDescription("plain", .text, defaultValue: .value(""), isIndexed: true),
                        AttributeDescription(
                            "folded", .text, defaultValue: .value(""), isIndexed: true, ignoresCase: true),
                        AttributeDescription("slow", .text, defaultValue: .value("")),
                    ])
            ])
        container = try await PersistentContainer(inMemory: model)
        context = container.makeContext(author: "a")
    }

    private func insert(_ texts: [String]) async throws {
        for text in texts {
            try await context.insert(
                "Thing", ["plain": .text(text), "folded": .text(text), "slow": .text(text)])
        }
        try await context.save()
    }

    private func found(_ predicate: ObjectPredicate, _ name: String = "plain") async throws -> [String] {
        try await container.objects(FetchRequest("Thing", where: predicate)).compactMap { $0[name].textValue }
    }

    /// Folds ASCII letters as SQLite does.
    private func folded(_ text: String) -> [UInt8] {
        text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }

    private static let letters = [
        "a", "A", "b", "y", "Y", "z", "Z", "@", "[", "`", "{", "\u{D7FF}", "\u{E000}", "\u{10FFFF}", "\u{E4}",
        "e\u{301}", "*",
    ]

    @Test func `a prefix is found by bytes, without case if the attribute ignores it`() async throws {
        let seed: UInt64 = 77
        var random = SeededRandom(seed: seed)
        func text() -> String {
            (0..<Int.random(in: 0...4, using: &random)).map { _ in
                Self.letters.randomElement(using: &random) ?? ""
            }.joined()
        }
        let texts = (0..<400).map { _ in text() }
        try await insert(texts)
        for prefix in ["", "\u{10FFFF}", "@", "Y", "Z"] + (0..<150).map({ _ in text() }) {
            #expect(
                try await found(.hasPrefix("plain", prefix))
                    == texts.filter { $0.utf8.starts(with: prefix.utf8) },
                "seed \(seed), \(prefix.debugDescription)")
            #expect(
                try await found(.hasPrefix("folded", prefix))
                    == texts.filter { folded($0).starts(with: folded(prefix)) },
                "seed \(seed), \(prefix.debugDescription)")
            let others = ObjectPredicate.not(.hasPrefix("plain", prefix))
            #expect(try await found(others).count == texts.count { !$0.utf8.starts(with: prefix.utf8) })
        }
    }

    @Test(arguments: ["plain", "folded"])
    func `a prefix is found through the index`(attribute: String) async throws {
        try await insert((0..<20_000).map { "title \($0)" })
        func time(_ name: String) async throws -> Duration {
            let request = FetchRequest("Thing", where: .hasPrefix(name, "title 12345"))
            return try await container.read { snapshot in
                var fastest = Duration.seconds(60)
                for _ in 0..<5 {
                    var count = 0
                    let duration = try ContinuousClock().measure { count = try snapshot.count(request) }
                    #expect(count == 1)
                    fastest = min(fastest, duration)
                }
                return fastest
            }
        }
        #expect(try await time(attribute) * 5 < time("slow"))
    }

    @Test(arguments: ["plain", "folded"])
    func `objects with one of many prefixes are those with each`(attribute: String) async throws {
        let seed: UInt64 = 78
        var random = SeededRandom(seed: seed)
        func text() -> String {
            (0..<Int.random(in: 0...4, using: &random)).map { _ in
                (Self.letters + ["\"", "\\", "\u{1}"]).randomElement(using: &random) ?? ""
            }.joined()
        }
        try await insert((0..<400).map { _ in text() })
        for prefixes in [[], ["\u{10FFFF}", "@"]] + (0..<20).map({ _ in (0..<5).map { _ in text() } }) {
            var expected: [Int64] = []
            for prefix in prefixes {
                let request = FetchRequest("Thing", where: .hasPrefix(attribute, prefix))
                expected += try await container.fetch(request).map(\.id.key)
            }
            let found = try await container.read { snapshot throws(StoreError) in
                try snapshot.objects(of: "Thing", with: attribute, beginningWithOneOf: prefixes)
            }
            #expect(found.map(\.id.key).sorted() == expected.sorted(), "seed \(seed), \(prefixes)")
        }
    }

    @Test func `objects with one of many prefixes are found through the index`() async throws {
        try await insert((0..<20_000).map { "title \($0)" })
        let prefixes = (0..<50).map { "title \(100 * $0 + 10_000)" }
        func time(_ name: String) async throws -> Duration {
            try await container.read { snapshot in
                try ContinuousClock().measure {
                    let found = try snapshot.objects(of: "Thing", with: name, beginningWithOneOf: prefixes)
                    #expect(found.count == 50)
                }
            }
        }
        #expect(try await time("plain") * 5 < time("slow"))
    }

    @Test func `a pattern matches as documented`() async throws {
        try await insert(["note.txt", "Note.txt", "note.md", "n*te", "note[1]", "", "n\u{E4}te"])
        let cases: [(String, [String])] = [
            ("*", ["note.txt", "Note.txt", "note.md", "n*te", "note[1]", "", "n\u{E4}te"]),
            ("note.*", ["note.txt", "note.md"]), ("n?te", ["n*te", "n\u{E4}te"]),
            ("[nN]ote.t*", ["note.txt", "Note.txt"]), ("[^n]*", ["Note.txt"]), ("n[*]te", ["n*te"]),
            ("note[[]1]", ["note[1]"]), ("note", []), ("", [""]),
        ]
        for (pattern, expected) in cases {
            #expect(try await found(.matches("plain", pattern)) == expected, "\(pattern)")
        }
        #expect(
            try await found(.matches("folded", "NOTE.*"), "folded") == ["note.txt", "Note.txt", "note.md"])
        let thing: [String: AttributeValue] = ["plain": "note.txt", "folded": "NOTE"]
        let (plain, folded) = try await container.read { snapshot in
            (
                try snapshot.matches(.matches("plain", "*.txt"), thing, entity: "Thing"),
                try snapshot.matches(.hasPrefix("folded", "no"), thing, entity: "Thing")
            )
        }
        #expect(plain && folded)
    }

    @Test func `a pattern that SQLite would refuse is an error`() async throws {
        let pattern = String(repeating: "ab", count: 25_001)
        await #expect(throws: StoreError.self) { try await found(.matches("plain", pattern)) }
        #expect(try await found(.hasPrefix("plain", pattern)) == [])
        await #expect(throws: StoreError.unknownAttribute("x", entity: "Thing")) {
            try await found(.hasPrefix("x", "a"))
        }
    }
}
