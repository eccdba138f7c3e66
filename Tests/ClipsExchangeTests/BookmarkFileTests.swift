import ClipsCore
import ClipsExchange
import Testing

struct BookmarkFileTests {
    @Test(arguments: [1, 7, 1 << 16]) func `an old file is read even if elements are not closed`(pieces: Int)
        throws
    {
        let reading = try Reading(Samples.netscape, pieces: pieces)
        #expect(reading.format == .html)
        #expect(
            reading.drafts.map(\.url) == [
                "http://example.org/?a=1&copy=2&b=3", "http://example.org/bare", "http://example.org/two",
                "javascript:alert(1)", "http://example.org/feed",
            ])
        #expect(
            reading.drafts.map(\.title) == [
                "Birds and fish", "unquoted", "never closed", "let", "top",
            ])
        #expect(
            reading.drafts.map(\.tags) == [
                ["Science & Nature"], ["Science & Nature", "Deep"], ["Science & Nature", "Deep", "x", "y z"],
                ["Science & Nature", "private"], ["feed"],
            ])
        #expect(reading.drafts[0].note == "Café — “quoted” it’s\nsecond line")
        #expect(reading.drafts[2].note == "keyword: two")
        #expect(reading.drafts[4].note == "feed: http://example.org/rss")
        #expect(reading.drafts.map(\.isUnread) == [false, false, false, false, true])
        #expect(reading.drafts[0].created == 880_000_000_000 && reading.drafts[0].updated == 880_000_001_000)
        #expect(reading.drafts[1].created == 1_466_009_029_123)
        #expect(reading.problems.map(\.line) == [22, 23])
    }

    @Test func `Pocket's headings mark read bookmarks`() throws {
        let drafts = try Reading(Samples.pocket).drafts
        #expect(drafts.map(\.isUnread) == [true, false] && drafts.map(\.isArchived) == [false, true])
        #expect(drafts.map(\.tags) == [["a", "b"], []])
        #expect(drafts.map(\.created) == [1_500_000_000_000, 1_500_000_001_000])
    }

    @Test func `linkding's tag of archived bookmarks is a state`() throws {
        let link =
            #"<DT><A HREF="http://example.org/1" PRIVATE="0" TAGS="a,linkding:bookmarks.archived">one</A>"#
        let drafts = try Reading("<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p>\(link)</DL>").drafts
        #expect(drafts.map(\.isArchived) == [true] && drafts.map(\.tags) == [["a"]])
    }

    @Test func `a link inside a note remains in the note`() throws {
        let text = """
            <DL><p><DT><A HREF="http://example.org/1">one</A>
            <DD>see <a href="http://example.org/inside">there</a> and on
            <DT><A HREF="http://example.org/2">two</A></DL>
            """
        let drafts = try Reading(text).drafts
        #expect(drafts.map(\.url) == ["http://example.org/1", "http://example.org/2"])
        #expect(drafts.first?.note == "see there http://example.org/inside and on")
    }

    @Test func `browsers' built-in folders are not tags`() throws {
        let text = """
            <DL><p><DT><H3 PERSONAL_TOOLBAR_FOLDER="true">Bar</H3><DL><p><DT><H3>Mine</H3><DL><p>
            <DT><A HREF="http://example.org/">x</A></DL><p></DL><p></DL>
            """
        #expect(try Reading(text).drafts.map(\.tags) == [["Mine"]])
    }

    @Test(arguments: ["10/Oct/2000:13:55:36 +0300", "971175336", "971175336000", "2000-10-10T10:55:36Z"])
    func `a date is read in any of its forms`(date: String) throws {
        let reading = try Reading("<DL><DT><A HREF=\"http://x.org\" ADD_DATE=\"\(date)\">x</A></DL>")
        #expect(reading.drafts.first?.created == 971_175_336_000)
        #expect(reading.problems.isEmpty)
    }

    @Test func `an invalid date is reported, and the clip is saved`() throws {
        let reading = try Reading("<DL>\n<DT><A HREF=\"http://x.org\" ADD_DATE=\"soon\">x</A></DL>")
        #expect(reading.drafts.count == 1)
        #expect(reading.problems.map(\.line) == [2])
    }

    @Test func `folders are found after unclosed tags`() throws {
        var text = "<DL><p><DT><H3>Outer</H3><DL><p>\n"
        for number in 0..<3000 { text += "<DT><A HREF=\"http://x.org/\(number)\">t<b><i>\n<DD>n\n" }
        text += "</DL><p><DT><A HREF=\"http://x.org/last\">last</A></DL>"
        let reading = try Reading(text, pieces: 1000)
        #expect(reading.drafts.count == 3001)
        #expect(reading.drafts.dropLast().allSatisfy { $0.tags == ["Outer"] })
        #expect(reading.drafts.last?.tags == [])
    }
}
