import ClipsCore
import ClipsExchange
import Testing

/// The states, tags, and contents of clips, which services name and write in different ways.
struct ServiceStateTests {
    private func drafts(_ text: String, name: String = "") throws -> [ClipDraft] {
        let reading = try Reading(text, name: name)
        #expect(reading.problems.isEmpty, "\(reading.problems)")
        return reading.drafts
    }

    @Test func `the status of a link and a stored copy do not archive a clip`() throws {
        let ace = try drafts(
            """
            id,user_id,url,title,is_private,status,check_disabled,created_at,tags
            1,1,https://a.org,A,0,1,0,2024-01-01 10:00:00,"x,y"
            2,1,https://b.org,B,1,3,0,2024-01-01 10:00:00,
            """)
        #expect(ace.map(\.isArchived) == [false, false] && ace.map(\.isUnread) == [true, true])
        #expect(ace.map(\.tags) == [["x", "y"], ["private"]])
        let box = try drafts(
            """
            [{"url":"https://a.org","timestamp":"1600000000.5","title":"A","tags":"x,y","is_static":false,
            "is_archived":true,"sources":["s"]}]
            """)
        #expect(
            box.map(\.isArchived) == [false] && box.map(\.isUnread) == [true] && box[0].tags == ["x", "y"])
        let pocket = try drafts(
            """
            {"list":{"1":{"item_id":"1","given_url":"https://a.org","resolved_title":"A","status":"1","favorite":"1",
            "tags":{"x":{"tag":"x"},"y":{"tag":"y"}}}}}
            """)
        #expect(pocket.map(\.isArchived) == [true] && pocket.map(\.isStarred) == [true])
        #expect(pocket[0].tags == ["x", "y"])
    }

    @Test func `wallabag's dates in tables begin with the day`() throws {
        let reading = try Reading(
            """
            "Title";"URL";"Content";"Tags";"MIME Type";"Language";"Creation date"
            "A";"https://a.org";"";"x";"text/html";"en";"03/02/2021 04:05:06"
            """)
        #expect(reading.drafts.map(\.created) == [1_612_325_106_000] && reading.problems.isEmpty)
    }

    @Test func `wallabag's stars, tags, and content as Markdown`() throws {
        let reading = try Reading(
            """
            [{"is_archived":1,"is_starred":1,"tags":[{"id":1,"label":"x","slug":"x"}],"id":5,"title":"A",
            "url":"https://a.org","given_url":"https://a.org/?utm_source=x","reading_time":3,
            "content":"<p>First &amp; <b>bold</b></p><p>second</p>","created_at":"2020-01-02T03:04:05+0000"},
            {"is_archived":0,"is_starred":0,"tags":["y"],"title":"B","url":"https://b.org","content":"plain a < b"}]
            """)
        let drafts = reading.drafts
        #expect(reading.form == "wallabag JSON" && drafts.map(\.url) == ["https://a.org", "https://b.org"])
        #expect(drafts.map(\.isStarred) == [true, false] && drafts.map(\.isArchived) == [true, false])
        #expect(drafts.map(\.text) == ["First & **bold**\n\nsecond", "plain a < b"])
        #expect(drafts.map(\.tags) == [["x"], ["y"]] && drafts.map(\.note) == ["", ""])
        let first = try self.drafts(
            "[{\"url\":\"https://a.org\",\"title\":\"A\",\"is_read\":\"1\",\"is_fav\":\"1\",\"content\":\"\"}]"
        )
        #expect(first.map(\.isStarred) == [true] && first.map(\.isUnread) == [false])
    }

    @Test func `links of wallabag's and Readability's pages are those of the page`() throws {
        let reading = try Reading(
            """
            [{"is_archived":0,"title":"A","url":"https://a.org/x/","content":"<p>See <a href=\\\"/rel\\\">rel</a></p>"},
            {"title":"B","byline":"Ann","url":"https://b.org/y","textContent":"See rel","length":7,
            "content":"<div><h2>Head</h2><p>See <a href=\\\"z\\\">rel</a></p></div>"}]
            """)
        #expect(
            reading.drafts.map(\.text) == [
                "See [rel][1]\n\n[1]: https://a.org/rel",
                "## Head\n\nSee [rel][1]\n\n[1]: https://b.org/z",
            ])
        #expect(reading.unread == ["length"])
        let service = try Reading(
            """
            {"bookmarks":[{"article__url":"https://a.org/x/","article__title":"A",
            "content":"<p>See <a href=\\"/rel\\">rel</a></p>"}]}
            """)
        #expect(service.drafts.map(\.text) == ["See [rel][1]\n\n[1]: https://a.org/rel"])
        let table = try Reading(
            """
            "Title";"URL";"Content";"Tags";"MIME Type";"Language";"Creation date"
            "A";"https://a.org/x/";"<p>See <a href='/rel'>rel</a></p>";"";"text/html";"en";"03/02/2021 04:05:06"
            """)
        #expect(table.drafts.map(\.text) == ["See [rel][1]\n\n[1]: https://a.org/rel"])
    }

    @Test func `Raindrop's important bookmarks are starred`() throws {
        let drafts = try drafts(
            """
            <!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p>
            <DT><A HREF="https://a.org" ADD_DATE="1600000000" TAGS="x" DATA-COVER="" DATA-IMPORTANT="true">A</A>
            <DT><A HREF="https://b.org" DATA-IMPORTANT="false">B</A></DL>
            """)
        #expect(drafts.map(\.isStarred) == [true, false])
        let json = try self.drafts(
            "{\"items\":[{\"link\":\"https://a.org\",\"title\":\"A\",\"important\":true}]}")
        #expect(json.map(\.isStarred) == [true])
    }

    @Test func `Omnivore's state, Reader's location, GoodLinks' time, and linkding's unread`() throws {
        let omnivore = try drafts(
            """
            [{"slug":"a","title":"A","url":"https://a.org","state":"Archived","labels":["x"],"savedAt":"2023-01-02T03:04:05Z"},
            {"slug":"b","title":"B","url":"https://b.org","state":"Active","labels":[],"savedAt":"2023-01-02T03:04:05Z"}]
            """)
        #expect(omnivore.map(\.isArchived) == [true, false] && omnivore.map(\.isUnread) == [false, true])
        let reader = try drafts(
            """
            Title,URL,ID,Document tags,Saved date,Reading progress,Location,Seen
            A,https://a.org,1,"['tag1', 'tag2']",2023-01-02 03:04:05+00:00,1,archive,True
            B,https://b.org,2,"[""it's""]",2023-01-02 03:04:05+00:00,0,new,False
            C,https://c.org,3,[],2023-01-02 03:04:05+00:00,0,later,False
            """)
        #expect(reader.map(\.isArchived) == [true, false, false])
        #expect(reader.map(\.tags) == [["tag1", "tag2"], ["it's"], []])
        let links = try drafts(
            """
            [{"url":"https://a.org","title":"A","addedAt":1600000000,"readAt":1600000009,"starred":true,"tags":["x"]},
            {"url":"https://b.org","title":"B","addedAt":1600000000,"readAt":null,"starred":false,"tags":[]}]
            """)
        #expect(links.map(\.isUnread) == [false, true] && links.map(\.isStarred) == [true, false])
        let ding = try drafts("[{\"url\":\"https://a.org\",\"tag_names\":[],\"unread\":false}]")
        #expect(ding.map(\.isUnread) == [false])
    }

    @Test func `Matter's lists of Python, and Diigo's tags between spaces`() throws {
        let matter = try drafts(
            """
            Title,Author,Publisher,URL,Tags,Word Count,In Queue,Favorited,Read
            A,,,https://a.org,"['x', ""y's"", 'a b']",10,True,True,True
            """)
        #expect(matter[0].tags == ["x", "y's", "a b"] && matter[0].isStarred && !matter[0].isUnread)
        let diigo = try drafts(
            """
            title,url,tags,description,comments,annotations,created_at
            A,https://a.org,"one two ""three words"" ",d,c,,2020-01-02 03:04:05
            B,https://b.org,no_tag,,,,2020-01-02 03:04:05
            """)
        #expect(diigo.map(\.tags) == [["one", "two", "three words"], []] && diigo[0].note == "d\n\nc")
    }

    @Test func `a feed of OPML with an empty page has its own URL`() throws {
        let drafts = try drafts(
            "<opml><body><outline type=\"rss\" text=\"F\" htmlUrl=\"\" xmlUrl=\"https://a.org/feed\"/></body></opml>"
        )
        #expect(
            drafts.map(\.url) == ["https://a.org/feed"] && drafts[0].tags == ["feed"] && drafts[0].note == "")
    }

    @Test func `the tag folders of old Firefox are tags, and its queries are no clips`() throws {
        let backup = """
            {"title":"","root":"placesRoot","children":[
            {"title":"Bookmarks Menu","root":"bookmarksMenuFolder","children":[
            {"title":"Most Visited","type":"text/x-moz-place","uri":"place:sort=8&maxResults=10"},
            {"title":"Work","type":"text/x-moz-place-container","children":[
            {"title":"A","type":"text/x-moz-place","uri":"https://a.org"}]}]},
            {"title":"Tags","root":"tagsFolder","children":[{"title":"x","children":[
            {"type":"text/x-moz-place","uri":"https://a.org"},{"type":"text/x-moz-place","uri":"https://b.org"}]}]},
            {"title":"Unsorted","root":"unfiledBookmarksFolder","children":[
            {"title":"B","type":"text/x-moz-place","uri":"https://b.org"}]}]}
            """
        let reading = try Reading(backup)
        #expect(reading.drafts.map(\.url) == ["https://a.org", "https://b.org"] && reading.problems.isEmpty)
        #expect(
            reading.drafts.map(\.tags) == [["Work", "x"], ["x"]] && reading.unread == ["place: queries"])
        let page = try Reading(
            "<DL><DT><A HREF=\"place:sort=8\">Recent</A><DT><A HREF=\"https://a.org\">A</A></DL>")
        #expect(page.drafts.map(\.url) == ["https://a.org"] && page.unread == ["place: queries"])
    }

    @Test(
        arguments: [
            ("{\"url\":\"https://a.org\"}", nil), ("{\"url\":\"https://a.org\",\"unread\":false}", false),
            ("{\"url\":\"https://a.org\",\"unread\":true}", true),
            ("[{\"href\":\"https://a.org\",\"description\":\"A\",\"toread\":\"no\"}]", false),
            ("[{\"href\":\"https://a.org\",\"description\":\"A\"}]", nil),
            ("title,url,time_added,tags,status\nA,https://a.org,1600000000,,unread\n", true),
            ("title,url,time_added,tags,status\nA,https://a.org,1600000000,,archive\n", false),
            ("URL,Title,Selection,Folder,Timestamp\nhttps://a.org,A,,Unread,1600000000\n", true),
            ("URL,Title,Selection,Folder,Timestamp\nhttps://a.org,A,,Starred,1600000000\n", nil),
            ("URL,Title,Selection,Folder,Timestamp\nhttps://a.org,A,,Archive,1600000000\n", false),
            ("Title,URL,Document tags,Reading progress,Location\nA,https://a.org,,0,later\n", true),
            ("Title,URL,Document tags,Reading progress,Location\nA,https://a.org,,1,archive\n", false),
            ("url,title\nhttps://a.org,A\n", nil), ("url,read\nhttps://a.org,0\n", true),
            ("https://a.org\n", nil), ("- [A](https://a.org)\n", nil),
            ("\"https://a.org\" tag \"~A\"\n", nil),
            ("<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF=\"https://a.org\">A</A></DL>", nil),
            (
                "<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF=\"https://a.org\" TOREAD=\"1\">A</A></DL>",
                true
            ),
            (
                "<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF=\"https://a.org\" TOREAD=\"0\">A</A></DL>",
                false
            ),
            (
                "<h1>Unread</h1><ul><li><a href=\"https://a.org\" time_added=\"1600000000\">A</a></li></ul>",
                true
            ),
            (
                "<h1>Read Archive</h1><ul><li><a href=\"https://a.org\" time_added=\"1600000000\">A</a></li></ul>",
                false
            ),
            ("<opml><body><outline text=\"A\" type=\"link\" url=\"https://a.org\"/></body></opml>", nil),
            ("<posts><post href=\"https://a.org\" description=\"A\" toread=\"yes\"/></posts>", true),
        ] as [(String, Bool?)])
    func `the read state of a clip is known only if the file says it`(text: String, isUnread: Bool?) throws {
        let drafts = try drafts(text)
        #expect(drafts.count == 1)
        #expect(drafts.map(\.hasReadState) == [isUnread != nil])
        if let isUnread { #expect(drafts.map(\.isUnread) == [isUnread]) }
    }
}
