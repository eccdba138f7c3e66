import ClipsExchange

/// Exports in the formats of services, with invented contents.
extension Samples {
    static let linkwarden = """
        {"name":"me","email":"me@example.org","createdAt":"2024-01-01T00:00:00.000Z","collections":[
        {"id":1,"name":"Unorganized","links":[{"id":7,"name":"Plain","type":"url","description":"",
        "url":"https://example.org/plain","textContent":null,"createdAt":"2024-02-03T04:05:06.789Z","tags":[]}]},
        {"id":2,"name":"Work","links":[{"id":8,"name":"Tagged","type":"url","description":"about",
        "url":"https://example.org/tagged","textContent":"words of the page","collectionId":2,
        "createdAt":"2024-02-03T04:05:07.000Z","tags":[{"id":1,"name":"a"},{"id":2,"name":"b"}]}]}],
        "pinnedLinks":[{"id":8}]}
        """

    /// Collections inside each other, as its export names them since 2.9.
    static let linkwardenNested = """
        {"id":1,"name":"me","whitelistedUsers":[],"collections":[
        {"id":2,"name":"Frontend","parentId":1,"rssSubscriptions":[],"links":[{"id":20,"name":"React","type":"url",
        "url":"https://react.example","tags":[{"id":1,"name":"js"}],"createdAt":"2025-02-15T12:00:00.000Z"}]},
        {"id":1,"name":"Tech","parentId":null,"links":[{"id":10,"name":"Git","url":"https://git.example","tags":[],
        "createdAt":"2025-01-01T00:00:00.000Z"}]}],
        "pinnedLinks":[{"id":10,"name":"Git","url":"https://git.example"}]}
        """

    /// Lists by ID, of which a smart one is a search.
    static let karakeepLists = """
        {"bookmarks":[{"createdAt":123,"title":"One","tags":["t"],"lists":["c","s","unknown"],"content":{"type":"link",
        "url":"https://one.example"},"note":null,"customMetadata":null,"archived":false},
        {"createdAt":456,"title":"Two","tags":[],"lists":[],"content":{"type":"link","url":"https://two.example"},
        "note":null,"archived":false}],
        "lists":[{"id":"p","name":"Projects","description":null,"icon":"x","type":"manual","query":null,"parentId":null},
        {"id":"c","name":"Inbox","description":null,"icon":"x","type":"manual","query":null,"parentId":"p"},
        {"id":"s","name":"Smart","description":null,"icon":"x","type":"smart","query":"is:fav","parentId":null}]}
        """

    static let omnivore = """
        [{"id":"1","slug":"one","title":"One","description":"d","author":"","url":"https://one.example","state":"Active",
        "readingProgress":0,"thumbnail":"","labels":["a","b"],"savedAt":"2023-01-02T03:04:05.000Z"}]
        """

    static let karakeep = """
        {"bookmarks":[{"createdAt":1700000000,"title":"A page","tags":["x","y"],
        "content":{"type":"link","url":"https://example.org/k"},"note":"mine","archived":true},
        {"createdAt":1700000001,"title":null,"tags":[],"content":{"type":"text","text":"only words"},"note":null,
        "archived":false},
        {"createdAt":1700000002,"title":"a picture","tags":[],"content":null,"note":null,"archived":false}]}
        """

    static let linkding = """
        {"count":1,"next":null,"previous":null,"results":[{"id":1,"url":"https://example.org/ding","title":"Ding",
        "description":"about","notes":"long","web_archive_snapshot_url":"","is_archived":false,"unread":true,
        "shared":false,"tag_names":["one","two"],"date_added":"2024-03-04T05:06:07Z"}]}
        """

    static let shaarli = """
        [{"id":1,"url":"https://example.org/s","shorturl":"abc","title":"S","description":"d","tags":["t"],
        "private":true,"created":"2015-05-05T12:30:00+03:00","updated":""}]
        """

    static let opml = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- made by a reader -->
        <opml version="2.0"><head><title>Feeds</title></head><body>
        <outline text="News &amp; more"><outline type="rss" text="A feed" xmlUrl="https://example.org/feed.xml"
          htmlUrl="https://example.org/"/></outline>
        <outline text="A link" type="link" url="https://example.org/link" created="Sat, 06 Jun 2020 15:50:59 GMT"/>
        <outline text="nothing"/>
        </body></opml>
        """

    static let xbel = """
        <?xml version="1.0"?><!DOCTYPE xbel PUBLIC "+//IDN python.org//DTD XML Bookmark Exchange Language 1.0//EN//XML"
        "http://www.python.org/topics/xml/dtds/xbel-1.0.dtd">
        <xbel version="1.0"><folder id="1"><title>Tools</title>
        <bookmark href="https://example.org/x?a=1&amp;b=2" added="2020-01-02T03:04:05Z" visited="2020-01-03T00:00:00Z">
        <title>X <![CDATA[<one> &amp;]]></title><desc>about</desc></bookmark></folder></xbel>
        """

    static let posts = """
        <?xml version="1.0" encoding="UTF-8"?>
        <posts user="me" update="2014-06-11T10:20:30Z" tag="">
        <post href="https://example.org/p" description="The title" extended="a note" hash="ab" tag="one two"
         time="2014-06-11T10:20:30Z" shared="no" toread="yes" others="3"/>
        <post href="https://example.org/d" description="Second" tags="" private="yes" time="2014-06-11T10:20:31Z"/>
        </posts>
        """

    static let scuttle = """
        <!DOCTYPE NETSCAPE-Bookmark-file-1>
        <TITLE>Bookmarks</TITLE><H1 LAST_MODIFIED="1">Bookmarks for me</H1><DL>
        <DT><A HREF="https://example.org/s" description="what it is about" hash="ab" tags="a,b" ADD_DATE="1500000000">S</a>
        </DL>
        """

    static let readwise = """
        Highlight,Book Title,Book Author,Amazon Book ID,Note,Color,Tags,Location Type,Location,Highlighted at,Document tags
        "A sentence, quoted",The Book,An Author,B0,my note,yellow,quote,page,12,2021-03-04 05:06:07+00:00,shelf
        """

    static let instapaperTags = """
        URL,Title,Selection,Folder,Timestamp,Tags
        https://example.org/i,Inst,,Unread,1500000000,"[""news"",""long reads""]"
        """

    /// The file of newsboat's documentation and of its users, with every kind of line.
    static let newsboat = """
        # Feeds of every day
        https://blog.example.org/feed.xml tech "long reads" "~Blog, the \\"best\\"" # often
        "query:Unread Articles:unread = \\"yes\\"" all

        filter:~/bin/short.rb:https://example.org/rss.xml news
        "exec:~/bin/feed create" own
        https://example.org/atom.xml "!" tech
        """

    static let services: [(String, ImportFormat, String)] = [
        (linkwarden, .json, "Linkwarden JSON"), (linkwardenNested, .json, "Linkwarden JSON"),
        (karakeep, .json, "Karakeep JSON"), (karakeepLists, .json, "Karakeep JSON"),
        (omnivore, .json, "Omnivore JSON"),
        (linkding, .json, "linkding JSON"),
        (shaarli, .json, "Shaarli JSON"), (opml, .xml, "OPML"), (xbel, .xml, "XBEL"),
        (posts, .xml, "posts XML"),
        (scuttle, .html, "HTML bookmarks"), (readwise, .csv, "Readwise CSV"),
        (instapaperTags, .csv, "Instapaper CSV"), (newsboat, .newsboat, "newsboat urls"),
    ]
}
