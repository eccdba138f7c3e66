import TestSupport
import Testing

@testable import ClipsCore

@Suite struct LinkedTextTests {
    private static let separator = "\n\n----------\n\n"

    private static func merged(_ texts: String...) -> String {
        let drafts = texts.map { text in
            var draft = ClipDraft()
            (draft.url, draft.text) = ("https://s.example/", text)
            return draft
        }
        return drafts.dropFirst().reduce(drafts[0]) { ClipMerge.merged($0, $1) }.text
    }

    private static let monday = "Monday: [report][1]\n\n[1]: https://old.example/mon"
    private static let tuesday = "On Tuesday: [report][1]\n\n[1]: https://new.example/tue"

    @Test func `merged texts have one list of links`() {
        let both = """
            On Tuesday: [report][1]

            ----------

            Monday: [report][2]

            [1]: https://new.example/tue
            [2]: https://old.example/mon
            """
        #expect(Self.merged(Self.monday, Self.tuesday) == both)
        #expect(Self.merged(Self.tuesday, Self.monday) == both)
        #expect(Self.merged(both, Self.monday) == both && Self.merged(Self.tuesday, both) == both)
        let third = Self.merged(both, "Read [this][1] on Wednesday.\n\n[1]: https://old.example/mon")
        #expect(third.hasPrefix("Read [this][1] on Wednesday."))
        #expect(third.contains("On Tuesday: [report][2]") && third.contains("Monday: [report][1]"))
        #expect(third.hasSuffix("\n\n[1]: https://old.example/mon\n[2]: https://new.example/tue"))
    }

    @Test func `texts that were merged with a list each are read with their own lists`() {
        let former = Self.tuesday + Self.separator + Self.monday
        #expect(Self.merged(former, Self.monday) == former)
        let more = Self.merged(former, "words of Wednesday, and more of them")
        #expect(more.contains("Monday: [report][2]") && more.contains("On Tuesday: [report][1]"))
        #expect(more.hasSuffix("\n\n[1]: https://new.example/tue\n[2]: https://old.example/mon"))
    }

    @Test func `texts without definitions remain as they are`() {
        let mail = "See [1] and [a][2], \\[3].\n\n[1] https://a.example/"
        #expect(Self.merged(mail, "short [1]") == mail + Self.separator + "short [1]")
        let script = "#!/bin/sh\necho [1]\n[1]: https://a.example/"
        var drafts = [ClipDraft(), ClipDraft()]
        (drafts[0].text, drafts[1].text) = (script, Self.monday)
        #expect(ClipMerge.merged(drafts[0], drafts[1]).text == Self.monday + Self.separator + script)
    }

    @Test func `a number in brackets does not become a link of another text`() {
        let both = Self.merged(Self.monday, "A mail with [1], [words][1], `code[1]`, [9], and [x [1] y](z)")
        #expect(both.contains("with \\[1\\], [words]\\[1\\], `code[1]`, [9], and [x \\[1\\] y](z)"))
        #expect(both.hasSuffix("Monday: [report][1]\n\n[1]: https://old.example/mon"))
        #expect(Self.merged(both, "A mail with [1]") == both)
    }

    @Test func `names of links become numbers, and titles and addresses without references remain`() {
        let words = "Long words, [a b][], [Foo], and [c][Foo]."
        let one = words + "\n\n[a b]: https://a.example/\n[foo]: https://f.example/"
        let other = "x [y][1]\n\n[1]: https://y.example/ \"Title\"\n\nend"
        let list = "[1]: https://z.example/\n[2]: https://a.example/"
        let all = Self.merged(one, other, list)
        #expect(all.hasPrefix("Long words, [a b][1], [Foo][2], and [c][2].\n\n----------\n\nx [y][3]\n\n"))
        #expect(all.contains("[3]: https://y.example/ \"Title\"\n\nend\n\n[1]: https://a.example/\n"))
        #expect(all.hasSuffix("\n[3]: https://y.example/\n[4]: https://z.example/"))
    }

    @Test func `texts in a row have one list, and remain in their order`() {
        let texts = [Self.monday, "between [1]", Self.tuesday]
        #expect(
            LinkedTexts.joined(texts, separator: "\n\n")
                == "Monday: [report][1]\n\nbetween \\[1\\]\n\nOn Tuesday: [report][2]\n\n"
                + "[1]: https://old.example/mon\n[2]: https://new.example/tue")
        #expect(LinkedTexts.joined(["a [1]", "b"], separator: "\n\n") == "a [1]\n\nb")
    }

    @Test func `references retain their addresses in any order, grouping, and repetition`() throws {
        let seed: UInt64 = .random(in: 0...1_000_000)
        var random = SeededRandom(seed: seed)
        for _ in 0..<300 {
            let texts = (0..<4).map { _ in Self.anyText(using: &random) }
            var all = texts
            while all.count > 1 {
                all.shuffle(using: &random)
                let (one, other) = (all.removeLast(), all.removeLast())
                let both = Self.merged(one, other)
                #expect(both == Self.merged(other, one), "seed \(seed)")
                #expect(Self.merged(both, one) == both && Self.merged(other, both) == both, "seed \(seed)")
                all.append(both)
            }
            let joined = all[0]
            #expect(joined == Self.merged(texts[3], texts[2], texts[1], texts[0]), "seed \(seed)")
            for text in texts {
                #expect(Self.merged(joined, text) == joined, "seed \(seed): \(text)")
                let own = Self.links(of: text)
                #expect(own.isSubset(of: Self.links(of: joined)), "seed \(seed): \(text)\n\(joined)")
            }
            #expect(
                Self.links(of: joined) == texts.reduce(into: []) { $0.formUnion(Self.links(of: $1)) },
                "seed \(seed): \(texts)\n\(joined)")
        }
    }

    /// Returns a text with references, of which some have a list, and some are numbers without one.
    private static func anyText(using random: inout SeededRandom) -> String {
        let words = (0..<Int.random(in: 1...4, using: &random)).map { _ in
            let some = ["a", "b c", "[a][1]", "[b][2]", "[c][3]", "[2]", "[7]", "\\[1]", "`[1]`"]
            return some.randomElement(using: &random) ?? ""
        }
        let urls = ["https://a.example/", "https://b.example/", "https://c.example/", "https://d.example/"]
        let list = (1...Int.random(in: 1...3, using: &random)).map { number in
            "[\(number)]: \(urls.randomElement(using: &random) ?? "")"
        }
        let text = "text " + words.joined(separator: " ")
        return Bool.random(using: &random) ? text : text + "\n\n" + list.joined(separator: "\n")
    }

    /// Returns the words and the addresses of the references.
    private static func links(of text: String) -> Set<[String]> {
        var addresses: [String: String] = [:]
        for line in text.split(separator: "\n") where line.hasPrefix("[") {
            let parts = line.split(separator: "]: ", maxSplits: 1)
            if parts.count == 2 { addresses[parts[0] + "]"] = String(parts[1]) }
        }
        let code = text.replacing("`[1]`", with: "").replacing(#/\\\[(\d)\\?\]/#, with: "")
        return Set(
            code.matches(of: #/(?:\[([abc])\])?(\[\d\])(?!:)/#).compactMap { match in
                addresses[String(match.2)].map { [match.1.map { "\($0)" } ?? "", $0] }
            })
    }
}
