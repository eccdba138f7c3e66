import ClipsCore
import ClipsExchange
import Testing

struct MoreServiceTests {
    @Test(arguments: Samples.services)
    func `each export is recognized, in one line, by its format, and in pieces`(
        text: String, format: ImportFormat, form: String
    ) throws {
        let whole = try Reading(text)
        #expect(whole.format == format && whole.form == form)
        #expect(try Reading(text, format: format).drafts == whole.drafts)
        #expect(try Reading(text, pieces: 1).drafts == whole.drafts)
        guard format == .json else { return }
        #expect(try Reading(String(text.filter { $0 != "\n" })).drafts == whole.drafts)
    }

    @Test func `Linkwarden's collections are tags, and a pinned link is starred`() throws {
        let reading = try Reading(Samples.linkwarden)
        #expect(reading.drafts.map(\.url) == ["https://example.org/plain", "https://example.org/tagged"])
        #expect(reading.drafts.map(\.title) == ["Plain", "Tagged"])
        #expect(reading.drafts.map(\.tags) == [[], ["a", "b", "Work"]])
        #expect(reading.drafts.map(\.isStarred) == [false, true])
        #expect(reading.drafts[1].text == "words of the page" && reading.drafts[1].note == "about")
        #expect(reading.drafts[0].created == 1_706_933_106_789)
        #expect(reading.unread == ["collectionId", "createdAt", "email", "id", "name", "type"])
    }

    @Test func `Karakeep's links and texts, and a record with neither is reported`() throws {
        let reading = try Reading(Samples.karakeep)
        #expect(reading.drafts.map(\.url) == ["https://example.org/k", ""])
        #expect(reading.drafts.map(\.text) == ["", "only words"])
        #expect(reading.drafts[0].note == "mine" && reading.drafts[0].tags == ["x", "y"])
        #expect(reading.drafts.map(\.isUnread) == [false, true])
        #expect(reading.drafts[0].created == 1_700_000_000_000)
        #expect(reading.problems.map(\.description) == ["entry 3 has no URL and no text."])
    }

    @Test func `Linkwarden's nested collections, in any order, and its pinned links are no further clips`()
        throws
    {
        let reading = try Reading(Samples.linkwardenNested)
        #expect(reading.drafts.map(\.tags) == [["js", "Tech", "Frontend"], ["Tech"]])
        #expect(reading.drafts.map(\.isStarred) == [false, true] && reading.problems.isEmpty)
    }

    @Test func `Karakeep's lists are tags by their names, wherever they are in the file`() throws {
        let reading = try Reading(Samples.karakeepLists)
        let sorted = reading.drafts.sorted { $0.url < $1.url }
        #expect(sorted.map(\.tags) == [["t", "Projects", "Inbox"], []] && reading.unread.isEmpty)
        let parts = Samples.karakeepLists.dropFirst().dropLast().split(separator: ",\n\"lists\"")
        let turned = "{\"lists\"\(parts[1]),\(parts[0])}"
        #expect(try Reading(String(turned)).drafts == reading.drafts)
    }

    @Test func `linkding and Shaarli, whose private links get a tag`() throws {
        let ding = try Reading(Samples.linkding)
        #expect(ding.drafts.map(\.tags) == [["one", "two"]] && ding.drafts[0].note == "about\n\nlong")
        #expect(ding.drafts[0].isUnread && ding.unread == ["count", "id"])
        let page = #""website_title":"Page","website_description":"words","title":"#
        let named = try Reading(Samples.linkding.replacing(#""title":"#, with: page))
        #expect(named.drafts == ding.drafts && named.unread == ding.unread)
        let own = Samples.linkding.replacing("Ding", with: "").replacing("about", with: "")
        let unnamed = try Reading(own.replacing(#""title":"#, with: page))
        #expect(unnamed.drafts.map(\.title) == ["Page"] && unnamed.drafts.map(\.note) == ["long\n\nwords"])
        let shaarli = try Reading(Samples.shaarli)
        #expect(shaarli.drafts.map { Set($0.tags) } == [["t", "private"]])
        #expect(shaarli.unread == ["id", "shorturl"])
    }

    @Test func `OPML, whose outlines are tags, feeds, and links`() throws {
        let reading = try Reading(Samples.opml)
        #expect(reading.drafts.map(\.url) == ["https://example.org/", "https://example.org/link"])
        #expect(reading.drafts.map(\.title) == ["A feed", "A link"])
        #expect(reading.drafts.map { Set($0.tags) } == [["News & more", "feed"], []])
        #expect(reading.drafts[0].note == "feed: https://example.org/feed.xml")
        #expect(reading.drafts[1].created == 1_591_458_659_000)
        #expect(reading.problems.map(\.line) == [7])
    }

    @Test func `XBEL, with folders, sections, and references`() throws {
        let reading = try Reading(Samples.xbel)
        let draft = try #require(reading.drafts.first)
        #expect(draft.url == "https://example.org/x?a=1&b=2" && draft.title == "X <one> &amp;")
        #expect(draft.note == "about" && draft.tags == ["Tools"] && draft.created == 1_577_934_245_000)
        #expect(reading.unread == ["visited"] && reading.problems.isEmpty)
    }

    @Test func `posts of Pinboard and Delicious`() throws {
        let reading = try Reading(Samples.posts)
        #expect(reading.drafts.map(\.title) == ["The title", "Second"])
        #expect(reading.drafts.map(\.note) == ["a note", ""])
        #expect(reading.drafts.map { Set($0.tags) } == [["one", "two", "private"], ["private"]])
        #expect(reading.drafts.map(\.isUnread) == [true, false])
        #expect(reading.unread == ["hash", "others"])
    }

    @Test func `newsboat's feeds, with tags and titles; lines without a page are named as unread`() throws {
        let reading = try Reading(Samples.newsboat)
        #expect(
            reading.drafts.map(\.url) == [
                "https://blog.example.org/feed.xml", "https://example.org/atom.xml",
            ])
        #expect(reading.drafts.map(\.title) == ["Blog, the \"best\"", ""])
        #expect(reading.drafts.map(\.tags) == [["feed", "tech", "long reads"], ["feed", "tech"]])
        #expect(reading.drafts.allSatisfy { !$0.isUnread } && reading.problems.isEmpty)
        #expect(reading.unread == ["!", "exec: lines", "filter: lines", "query: lines"])
        #expect(try Reading("nothing", format: .newsboat).problems.map(\.line) == [1])
    }

    @Test func `newsboat's file is recognized by its name, or by tags in quotes and titles`() throws {
        let plain = "https://a.org/feed tech news\nhttps://b.org/feed"
        #expect(try Reading(plain, name: "/home/me/.newsboat/urls").drafts.map(\.tags)[0].contains("news"))
        #expect(try Reading(plain).format == .text && Reading(plain, name: "urls.txt").format == .text)
        #expect(try Reading(plain + " \"~B\"").format == .newsboat)
        // A title next to tags without quotes, as in newsboat's documentation.
        for words in ["tech \"~My title\"", "\"~My title\" tech", "\"~My title\" \"tech\""] {
            let feeds = try Reading("https://a.org/feed \(words)\n" + plain)
            #expect(feeds.drafts.map(\.title) == ["My title", "", ""], "\(words)")
            #expect(feeds.drafts.map(\.tags)[0] == ["feed", "tech"], "\(words)")
        }
        #expect(try Reading("https://a.org The \"best\" page").format == .text)
        #expect(try Reading("Some words\n" + plain, name: "urls").format == .text)
    }

    @Test func `the outermost folders of browsers and buku are no tags`() throws {
        func tags(_ outer: String, _ inner: String) throws -> [String] {
            let text = """
                <!DOCTYPE NETSCAPE-Bookmark-file-1><H1>Bookmarks</H1><DL><p><DT><H3>\(outer)</H3><DL><p>
                <DT><H3>\(inner)</H3><DL><p><DT><A HREF="https://a.org">A</A></DL></DL></DL>
                """
            return try #require(try Reading(text).drafts.first).tags
        }
        for name in ["Buku bookmarks", "buku bookmarks", "Bookmarks Menu", "Other bookmarks", "BookmarksBar"]
        {
            #expect(try tags(name, "Work") == ["Work"])
        }
        #expect(try tags("Work", "Bookmarks Menu") == ["Work", "Bookmarks Menu"])
    }

    @Test func `buku's tags in Markdown`() throws {
        let reading = try Reading(
            "- [WAL](https://a.org/wal) <!-- TAGS: database, wal -->\n- [T](https://t.org/)")
        #expect(reading.drafts.map(\.tags) == [["database", "wal"], []])
        #expect(reading.drafts.allSatisfy { $0.note.isEmpty })
    }

    @Test func `Scuttle's description is the note`() throws {
        let reading = try Reading(Samples.scuttle)
        #expect(reading.drafts.map(\.note) == ["what it is about"] && reading.unread == ["hash"])
    }

    @Test func `Readwise's highlights, and Instapaper's tags`() throws {
        let readwise = try Reading(Samples.readwise)
        let draft = try #require(readwise.drafts.first)
        #expect(draft.text == "A sentence, quoted" && draft.title == "The Book")
        #expect(Set(draft.note.split(separator: "\n")) == ["author: An Author", "my note"])
        #expect(draft.tags == ["quote", "shelf"] && draft.created == 1_614_834_367_000)
        #expect(readwise.unread == ["Amazon Book ID", "Color", "Location", "Location Type"])
        #expect(try Reading(Samples.instapaperTags).drafts.map(\.tags) == [["news", "long reads"]])
    }

    @Test func `Delicious JSON and LinkAce keep what is private`() throws {
        let delicious =
            "[{\"href\":\"https://a.org\",\"description\":\"t\",\"tags\":\"a b\",\"private\":\"1\"}]"
        #expect(try Reading(delicious).drafts.map { Set($0.tags) } == [["a", "b", "private"]])
        #expect(try Reading(delicious).drafts.map(\.title) == ["t"])
        let ace =
            "{\"data\":[{\"url\":\"https://a.org\",\"is_private\":true,\"tags\":[{\"id\":1,\"name\":\"a\"}]}]}"
        #expect(try Reading(ace).drafts.map { Set($0.tags) } == [["a", "private"]])
    }

    /// A block of a literal run, and a match that overlaps itself.
    @Test func `a compressed Firefox backup`() throws {
        let text = Array(Samples.firefox.utf8)
        var file =
            Array("mozLz40\0".utf8) + (0..<4).map { UInt8(truncatingIfNeeded: (text.count + 20) >> (8 * $0)) }
        let beginning = Array("          ".utf8)
        // 10 spaces, then 10 more from one byte back, then the text as it is.
        file += [0xA6] + beginning + [1, 0] + [0xF0]
        var rest = text.count - 15
        while rest >= 255 {
            file.append(255)
            rest -= 255
        }
        file += [UInt8(rest)] + text
        #expect(try Reading(file).drafts == Reading(text).drafts)
        #expect(throws: ImportError.self) { try Reading(Array(file.dropLast(3))) }
    }
}
