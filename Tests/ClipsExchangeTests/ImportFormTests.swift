import ClipsCore
import ClipsExchange
import Testing

/// The table that `import --help` prints, compared with imports of files that have all fields of their products.
struct ImportFormTests {
    @Test func `the help lists the fields that arrive from each product`() throws {
        // These are databases, whose tests compare them, and the files of this program.
        let others: [ImportFormat] = [.places, .plist, .jsonl]
        for form in ImportForm.all where !others.contains(form.format) && form.product != "clips" {
            let name = "\(form.product) \(form.format)"
            let text = try #require(Self.samples[name], "no sample of \(name)")
            let reading = try Reading(text, name: form.format == .newsboat ? "urls" : "")
            #expect(reading.format == form.format, "\(name)")
            #expect(reading.fields == Reading.fields(of: form.product, form.format), "\(name)")
            #expect(reading.drafts.contains { !$0.title.isEmpty }, "\(name)")
        }
    }

    @Test func `a text that looks like markup, an escape in a list, and an unread archived clip arrive`()
        throws
    {
        let table = try Reading("url,title,text\nhttps://a.org,A,<b> is a tag </b>\n").drafts
        let list = try Reading("[{\"url\":\"https://a.org\",\"content\":\"<b> is a tag </b>\"}]").drafts
        #expect(table.map(\.text) == ["<b> is a tag </b>"] && list.map(\.text) == table.map(\.text))
        let tags = try Reading(
            "Title,URL,Document tags,Reading progress\nA,https://a.org,\"['a\\u200bz', 'x\\\\y', 'q\\'s']\",0\n"
        ).drafts[0].tags
        #expect(tags == ["a\u{200B}z", "x\\y", "q's"])
        for order in ["unread,archived", "archived,unread"] {
            let draft = try Reading("url,\(order)\nhttps://a.org,1,1\n").drafts[0]
            #expect(draft.isUnread && draft.isArchived, "\(order)")
        }
    }

    @Test func `of LinkAce's links, only those with the visibility 3 are private`() throws {
        let drafts = try Reading(Self.samples["LinkAce csv"] ?? "").drafts
        // After the user's own tags.
        #expect(drafts.map(\.tags) == [["x", "private"], []])
        #expect(try Reading(Self.samples["LinkAce json"] ?? "").drafts[0].tags == ["x", "private"])
    }

    @Test func `a page's author is in the note, and its highlights are quotes`() throws {
        let drafts = try Reading(Self.samples["GoodLinks json"] ?? "").drafts
        #expect(drafts[0].author == nil && drafts[0].note == "author: Ann\n\nabout")
        #expect(drafts[0].quotes.map(\.text) == ["words"] && drafts[0].quotes.map(\.note) == ["mine"])
        #expect(drafts[0].quotes[0].created == 1_600_000_010_000)
        let wallabag = try Reading(Self.samples["wallabag json"] ?? "").drafts[0]
        #expect(wallabag.quotes.map(\.text) == ["words"] && wallabag.quotes.map(\.note) == ["mine"])
    }

    @Test func `Google Reader's labels are tags, and its content is text`() throws {
        let reading = try Reading(Self.samples["Google Reader json"] ?? "")
        #expect(reading.form == "Google Reader JSON" && reading.problems.isEmpty)
        #expect(reading.drafts.map(\.url) == ["https://a.org", "https://b.org"])
        #expect(reading.drafts[0].title == "A & B" && reading.drafts[0].tags == ["My label"])
        #expect(reading.drafts.map(\.text) == ["One & two", "plain"])
        #expect(reading.drafts[0].created == 1_371_000_000_123 && reading.drafts[0].updated == nil)
    }

    @Test(arguments: [
        (#""canonical":[{"href":"https://a.org"}],"content""#, "https://a.org"),
        (#""alternate":[],"canonical":[{"href":"https://a.org"}],"content""#, "https://a.org"),
        (
            #""alternate":[{"href":"https://a.org"}],"canonical":[{"href":"https://b.org"}],"summary""#,
            "https://a.org"
        ),
        (#""summary""#, ""), (#""content""#, ""),
    ])
    func `an article of Google Reader has one of two addresses, or none`(keys: String, url: String) throws {
        let page = #"{"content":"<p>One <b>two</b></p>"}"#
        let item = #""title":"A","categories":["user/1/label/L"],\#(keys):\#(page)"#
        let reading = try Reading("{\"items\":[{\(item)}]}")
        #expect(reading.form == "Google Reader JSON" && reading.unread.isEmpty && reading.problems.isEmpty)
        #expect(reading.drafts.map(\.url) == [url] && reading.drafts.map(\.text) == ["One **two**"])
        #expect(reading.drafts.map(\.tags) == [["L"]] && reading.drafts[0].title == "A")
    }

    /// Files with two clips, of which the first has all fields.
    static let samples: [String: String] = [
        "browsers html": Samples.netscape.replacing(" PRIVATE=\"1\"", with: "").replacing(
            " TOREAD=\"1\"", with: ""),
        "Pocket html": Samples.pocket,
        "linkding html": """
        <!DOCTYPE NETSCAPE-Bookmark-file-1><DL>
        <DT><A HREF="https://a.org" ADD_DATE="1" LAST_MODIFIED="2" PRIVATE="1" TOREAD="1" TAGS="x">A</A><DD>d
        <DT><A HREF="https://b.org" TOREAD="0" TAGS="linkding:bookmarks.archived">B</A></DL>
        """,
        "Raindrop html": """
        <!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><H3>Unsorted</H3><DL><DT><A HREF="https://a.org" ADD_DATE="1"
         LAST_MODIFIED="2" TAGS="x" DATA-COVER="" DATA-IMPORTANT="true">A</A><DD>note
        <DT><A HREF="https://b.org">B</A></DL></DL>
        """,
        "Pinboard html": """
        <!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF="https://a.org" ADD_DATE="1" PRIVATE="1" TOREAD="1"
         TAGS="x,y">A</A><DD>note<DT><A HREF="https://b.org" PRIVATE="0" TOREAD="0" TAGS="">B</A></DL>
        """,
        "Shaarli html": """
        <!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF="https://a.org" ADD_DATE="1" PRIVATE="1"
         TAGS="x,y">A</A><DD>note<DT><A HREF="https://b.org" PRIVATE="0" TAGS="">B</A></DL>
        """,
        "Firefox json": Samples.firefox,
        "Chromium json": Samples.chromium.replacing(
            "\"name\":\"Game\"", with: "\"date_modified\":\"13110482629123457\",\"name\":\"Game\""),
        "linkding json": """
        {"results":[{"url":"https://a.org","title":"A","description":"d","notes":"n","tag_names":["x"],
        "is_archived":true,"unread":false,"date_added":"2020-01-02T03:04:05Z","date_modified":"2020-01-02T03:04:05Z"},
        {"url":"https://b.org","title":"B","tag_names":[],"is_archived":false,"unread":true}]}
        """,
        "wallabag json": """
        [{"is_archived":1,"is_starred":1,"tags":["x"],"title":"A","url":"https://a.org","content":"<p>words</p>",
        "annotations":[{"quote":"words","text":"mine","created_at":"2020-01-02T03:04:05+0000"}],
        "published_by":["Ann"],"created_at":"2020-01-02T03:04:05+0000","updated_at":"2020-01-02T03:04:05+0000"},
        {"is_archived":0,"is_starred":0,"tags":[],"title":"B","url":"https://b.org","content":""}]
        """,
        "wallabag 1 json": """
        [{"url":"https://a.org","title":"A","is_read":"1","is_fav":"1","content":"<p>a</p>"},
        {"url":"https://b.org","title":"B","is_read":"0","is_fav":"0","content":""}]
        """,
        "Readability json": """
        {"bookmarks":[{"article__excerpt":"ab&#x6f;ut","favorite":true,"date_archived":"2020-01-03T03:04:05",
        "article__url":"https://a.org","content":"<p>words</p>","date_added":"2020-01-02T03:04:05","date_favorited":"2020-01-02T03:04:06",
        "article__title":"A","archive":true},{"article__excerpt":"","favorite":false,"date_archived":null,
        "article__url":"https://b.org","date_added":"2020-01-02T03:04:05","date_favorited":null,
        "article__title":"B","archive":false}],"recommendations":[]}
        """,
        "ArchiveBox json": """
        [{"url":"https://a.org","timestamp":"1600000000.5","updated":"2023-01-02T03:04:05+00:00","title":"A",
        "tags":"x","is_static":false,"is_archived":true}]
        """,
        "GoodLinks json": """
        [{"url":"https://a.org","title":"A","summary":"about","author":"Ann","tags":["x"],"starred":true,
        "addedAt":1600000000,"readAt":1600000009,
        "highlights":[{"content":"words","note":"mine","addedAt":1600000010}]},
        {"url":"https://b.org","title":"B","tags":[],"starred":false,"addedAt":1600000000,"readAt":null}]
        """,
        "LinkAce json": """
        [{"url":"https://a.org","title":"A","description":"d","visibility":3,"check_disabled":false,"status":1,
        "created_at":"2024-01-01 10:00:00","updated_at":"2024-01-01 10:00:00","tags":[{"name":"x"}]}]
        """,
        "Shaarli json": Samples.shaarli.replacing(
            "\"updated\":\"\"", with: "\"updated\":\"2015-05-05T12:30:00+03:00\""),
        "Omnivore json": """
        [{"slug":"a","title":"A","description":"d","author":"Ann","url":"https://a.org","state":"Archived",
        "labels":["x"],"savedAt":"2023-01-02T03:04:05Z","updatedAt":"2023-01-02T03:04:05Z"},
        {"slug":"b","title":"B","url":"https://b.org","state":"Active","labels":[],"savedAt":"2023-01-02T03:04:05Z"}]
        """,
        "Pinboard json": Samples.pinboard,
        "Google Reader json": """
        {"id":"user/1/state/com.google/starred","items":[{"crawlTimeMsec":"1371000000123","title":"A &amp; B",
        "categories":["user/1/state/com.google/starred","user/1/label/My label","feed's own"],"author":"Ann",
        "updated":1370000001,"alternate":[{"href":"https://a.org","type":"text/html"}],
        "content":{"direction":"ltr","content":"<p>One &amp; two</p>"}},
        {"title":"B","categories":[],"alternate":[{"href":"https://b.org"}],"summary":{"content":"plain"}}]}
        """,
        "Karakeep json": """
        {"bookmarks":[{"createdAt":1700000000,"title":"A","tags":["x"],"note":"mine","archived":true,"favourited":true,
        "content":{"type":"link","url":"https://a.org"}},
        {"createdAt":1700000001,"title":"B","tags":[],"archived":false,"content":{"type":"text","text":"words"}}]}
        """,
        "Linkwarden json": Samples.linkwarden,
        "Pocket json": """
        {"list":{"1":{"item_id":"1","given_url":"https://a.org","resolved_title":"A","status":"1","favorite":"1",
        "excerpt":"e","time_added":"1600000000","tags":{"x":{"tag":"x"}}},
        "2":{"item_id":"2","given_url":"https://b.org","resolved_title":"B","status":"0","favorite":"0"}}}
        """,
        "Readwise csv": Samples.readwise,
        "Instapaper csv": Samples.instapaper.replacing("Timestamp\n", with: "Timestamp,Tags\n").replacing(
            "1500000000\n", with: "1500000000,\"[\"\"x\"\"]\"\n"),
        "Diigo csv": """
        title,url,tags,description,comments,annotations,created_at
        A,https://a.org,x,d,c,Highlight: words,2020-01-02 03:04:05
        """,
        "Matter csv": """
        Title,Author,Publisher,URL,Tags,Word Count,In Queue,Favorited,Read
        A,Ann,,https://a.org,"['x']",10,True,True,True
        B,,,https://b.org,[],10,True,False,False
        """,
        "Readwise Reader csv": """
        Title,URL,ID,Document tags,Saved date,Reading progress,Location,Seen
        A,https://a.org,1,['x'],2023-01-02 03:04:05+00:00,1,archive,True
        B,https://b.org,2,[],2023-01-02 03:04:05+00:00,0,new,False
        """,
        "LinkAce csv": """
        id,url,title,description,visibility,status,check_disabled,created_at,updated_at,tags
        1,https://a.org,A,d,3,1,0,2024-01-01 10:00:00,2024-01-01 10:00:00,x
        2,https://b.org,B,,1,1,0,2024-01-01 10:00:00,2024-01-01 10:00:00,
        """,
        "Raindrop csv": """
        id,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite
        1,A,note,excerpt,https://a.org,Unsorted,x,2021-03-04T05:06:07.089Z,,Highlight:words,true
        """,
        "Pocket csv": Samples.pocketTable,
        "wallabag csv": """
        "Title";"URL";"Content";"Tags";"MIME Type";"Language";"Creation date"
        "A";"https://a.org";"<p>One &amp; <b>two</b></p>";"x, y";"text/html";"en";"03/02/2021 04:05:06"
        """,
        "OPML xml": Samples.opml,
        "XBEL xml": Samples.xbel.replacing("added=", with: "modified=\"2020-01-02T03:04:05Z\" added="),
        "Pinboard xml": Samples.posts,
        "links markdown": Samples.markdown,
        "Obsidian markdown": """
        ---
        title: A
        source: https://a.org
        description: d
        created: 2024-02-03
        tags: [x]
        ---
        words
        """,
        "feeds newsboat": "https://a.org/feed x \"~A\"\n",
        "references ris": "TY  - JOUR\nTI  - A\nUR  - https://a.org\nAB  - words\nKW  - x\nER  - \n",
        "references bibtex": "@misc{a, title={A}, url={https://a.org}, abstract={words}, keywords={x}}\n",
        "highlights kindle": """
        A book (Ann)
        - Your Highlight on page 1 | Added on Sunday, March 5, 2023 10:11:12 AM

        words
        ==========
        """,
        "OneTab text": "Group\nCreated 2024-03-04 05:06:07\nhttps://a.org | A\n",
        "links, texts text": Samples.text,
    ]
}
