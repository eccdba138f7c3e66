import ClipsCore
import ClipsExchange
import Testing

struct ServiceFileTests {
    @Test(arguments: Samples.all) func `each file is recognized by its beginning`(
        text: String, format: ImportFormat
    ) throws {
        #expect(try Reading(text).format == format)
    }

    @Test func `a Firefox backup`() throws {
        let reading = try Reading(Samples.firefox)
        let draft = try #require(reading.drafts.first)
        #expect(draft.url == "https://example.org/a" && draft.title == "A" && !draft.isUnread)
        #expect(draft.tags == ["Work", "t", "u"] && draft.note == "keyword: k\n\nabout")
        #expect(draft.created == 1_466_009_029_123 && draft.updated == 1_466_009_030_000)
        #expect(reading.drafts.count == 1 && reading.problems.count == 1)
    }

    @Test func `Chromium's bookmarks, whose time begins in 1601`() throws {
        let drafts = try Reading(Samples.chromium).drafts
        #expect(drafts.map(\.tags) == [["Play"]])
        #expect(drafts.first?.created == 1_466_009_029_123)
    }

    @Test func `Pinboard, where the description is the title`() throws {
        let drafts = try Reading(Samples.pinboard).drafts
        #expect(drafts.map(\.title) == ["The title", "Second"])
        #expect(drafts.map(\.note) == ["a note", ""])
        #expect(drafts.map { Set($0.tags) } == [["one", "two", "private"], []])
        #expect(drafts.map(\.isUnread) == [true, false])
        #expect(drafts.first?.created == 1_402_482_030_000)
    }

    @Test func `the tables of Raindrop, Instapaper and Pocket`() throws {
        let raindrop = try Reading(Samples.raindrop).drafts
        #expect(raindrop.map(\.title) == ["A \"quoted\" title", "Two"])
        #expect(raindrop.map(\.note) == ["my note\n\nan excerpt", "two\nlines"])
        #expect(raindrop.map { Tags($0.tags).names } == [["a", "b"], ["Work", "Tools"]])
        #expect(raindrop.map(\.isStarred) == [true, false])
        #expect(raindrop.first?.created == 1_614_834_367_089)
        let instapaper = try Reading(Samples.instapaper).drafts
        #expect(instapaper.map(\.text) == ["chosen words", "", ""])
        #expect(instapaper.map(\.isUnread) == [true, false, false])
        #expect(instapaper.map(\.isStarred) == [false, false, true])
        let pocket = try Reading(Samples.pocketTable).drafts
        #expect(pocket.map(\.tags) == [["a", "b"], []] && pocket.map(\.isUnread) == [true, false])
    }

    @Test func `a truncated table or one with a stray quote loses only that line`() throws {
        let text = "url,title\nhttp://x.org/1,\"open\nhttp://x.org/2,two\nhttp://x.org/3,three\n"
        let reading = try Reading(text, name: "x.csv")
        #expect(reading.drafts.map(\.url) == ["http://x.org/2", "http://x.org/3"])
        #expect(reading.problems.map(\.line) == [2])
    }

    @Test func `a truncated document yields its first clips`() throws {
        let reading = try Reading(String(Samples.pinboard.dropLast(60)))
        #expect(reading.drafts.map(\.title) == ["The title", "Second"])
        #expect(reading.problems.count == 1)
    }

    @Test func `Markdown's links are read, except in code and of images`() throws {
        let drafts = try Reading(Samples.markdown).drafts
        let links = Dictionary(uniqueKeysWithValues: drafts.map { ($0.url, $0) })
        #expect(
            Set(links.keys) == [
                "https://swift.org", "https://forums.swift.org", "https://docs.swift.org",
                "https://example.org/auto", "https://example.org/bare_(x)", "https://example.org/a b",
            ])
        #expect(
            links["https://swift.org"]?.note == "the language"
                && links["https://swift.org"]?.tags == ["Swift"])
        #expect(links["https://forums.swift.org"]?.title == "Forums")
        #expect(links["https://example.org/a b"]?.title == "esc]aped")
        #expect(links["https://example.org/a b"]?.tags == ["Swift", "Tools"])
    }

    @Test func `JSON lines are read, and invalid ones reported by number`() throws {
        let reading = try Reading(Samples.lines)
        #expect(reading.drafts.map(\.url) == ["https://example.org/1", ""])
        #expect(reading.drafts.map(\.tags) == [["a", "b"], ["x", "y"]])
        #expect(reading.drafts[0].created == 1_577_934_245_678 && reading.drafts[0].isStarred)
        #expect(reading.drafts[1].author == "me" && !reading.drafts[1].isUnread)
        #expect(reading.problems.map(\.line) == [3, 4])
    }

    @Test(arguments: [false, true]) func `plain text`(isOldMac: Bool) throws {
        let text = isOldMac ? String(Samples.text.map { $0 == "\n" ? "\r" : $0 }) : Samples.text
        let drafts = try Reading(text).drafts
        #expect(drafts.map(\.url) == ["https://example.org/1", "https://example.org/2", "", ""])
        #expect(drafts[1].title == "With a title")
        #expect(drafts[2].text == "Some words\non two lines" && drafts[3].text == "other words")
    }

    @Test(arguments: ["mozLz40\0abc", "SQLite format 3\0", "PK\u{3}\u{4}", "bplist00"])
    func `files of other formats are rejected with advice`(beginning: String) {
        #expect(throws: ImportError.self) { try Reading(beginning) }
    }
}
