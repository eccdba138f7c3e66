import ClipsCore
import ClipsExchange

/// The clips and problems of a file, read in pieces of any size.
struct Reading {
    var drafts: [ClipDraft] = []
    var problems: [ImportProblem] = []
    var format: ImportFormat
    var form: String
    var unread: [String]

    init(
        _ bytes: [UInt8], name: String = "", format: ImportFormat? = nil, pieces: Int = 1 << 16,
        limits: ImportLimits = ImportLimits()
    ) throws {
        try self.init(ByteSource(bytes, pieces: pieces), name: name, format: format, limits: limits)
    }

    init(_ bytes: ByteSource, name: String = "", format chosen: ImportFormat?, limits: ImportLimits) throws {
        var clips = try ClipImport(bytes, fileName: name, format: chosen, limits: limits)
        format = clips.format
        (form, unread) = ("", [])
        while let item = try clips.next() {
            switch item {
            case .success(let draft): drafts.append(draft)
            case .failure(let problem): problems.append(problem)
            }
        }
        (form, unread) = (clips.form, clips.unreadFields)
    }

    init(_ text: String, name: String = "", format: ImportFormat? = nil, pieces: Int = 1 << 16) throws {
        try self.init(Array(text.utf8), name: name, format: format, pieces: pieces)
    }
}

extension Reading {
    /// The fields of the clips in addition to URL and title, as the help names them. Only a file with clips in both
    /// states shows that a state arrives.
    var fields: Set<String> {
        let tags = drafts.flatMap(\.tags)
        let found = [
            "no URL": drafts.allSatisfy(\.url.isEmpty), "text": drafts.contains { !$0.text.isEmpty },
            "note": drafts.contains { !$0.note.isEmpty },
            "tags": tags.contains { $0 != "private" && $0 != "feed" }, "private": tags.contains("private"),
            "created": drafts.contains { $0.created != nil },
            "updated": drafts.contains { $0.updated != nil }, "read": Set(drafts.map(\.isUnread)).count == 2,
            "star": drafts.contains(where: \.isStarred), "archived": drafts.contains(where: \.isArchived),
            "quotes": drafts.contains { !$0.quotes.isEmpty },
        ]
        return Set(found.filter(\.value).keys)
    }

    /// The fields that the help lists for a product.
    static func fields(of product: String, _ format: ImportFormat) -> Set<String> {
        let form = ImportForm.all.first { $0.product == product && $0.format == format }
        return Set((form?.fields ?? "no form").split(separator: ", ").map { String($0) })
    }
}

/// Small files of each kind and age.
enum Samples {
    static let netscape = """
        <!DOCTYPE NETSCAPE-Bookmark-file-1>
        <!-- This is an automatically generated file. -->
        <TITLE>Bookmarks</TITLE>
        <H1>Bookmarks</H1>
        <DL><p>
        <DT><H3 ADD_DATE="870000000">Science &amp; Nature</H3>
        <DD>What a folder is about is no clip
        <DL><p>
        <DT><A HREF="http://example.org/?a=1&copy=2&amp;b=3" ADD_DATE="880000000" LAST_MODIFIED="880000001000">Birds
           and fish</A>
        <DD>Caf&eacute; &#8212; &#x201C;quoted&#x201D; it&#146;s
        second line
        <DT><H3>Deep</H3>
        <DL><p>
        <DT><A HREF=http://example.org/bare ADD_DATE=1466009029123456>unquoted
        <DT><A HREF="http://example.org/two" SHORTCUTURL="two" TAGS="x,y z">never closed
        </DL><p>
        <HR>
        <DT><A HREF="javascript:alert(1)" PRIVATE="1">let</A>
        </DL><p>
        <DT><A HREF="http://example.org/feed" FEEDURL="http://example.org/rss" FEED="true" TOREAD="1">top</A>
        <DT><A HREF="">only a title</A>
        <DT><A>nothing at all</A>
        </DL>
        """

    static let pocket = """
        <!DOCTYPE html><html><head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8" />
        <title>Pocket Export</title></head><body><h1>Unread</h1><ul>
        <li><a href="https://example.org/1" time_added="1500000000" tags="a,b">One</a></li>
        </ul><h1>Read Archive</h1><ul>
        <li><a href="https://example.org/2" time_added="1500000001" tags="">Two</a></li></ul></body></html>
        """

    static let firefox = """
        {"guid":"root________","title":"","typeCode":2,"root":"placesRoot","children":[
        {"guid":"menu________","title":"menu","typeCode":2,"root":"bookmarksMenuFolder","children":[
        {"title":"Work","typeCode":2,"type":"text/x-moz-place-container","children":[
        {"title":"A","uri":"https://example.org/a","typeCode":1,"type":"text/x-moz-place","tags":"t,u",
        "dateAdded":1466009029123456,"lastModified":1466009030000000,"keyword":"k",
        "annos":[{"name":"bookmarkProperties/description","value":"about"}]},
        {"typeCode":3,"type":"text/x-moz-place-separator"},
        {"title":"broken","typeCode":1,"type":"text/x-moz-place"}]}]}]}
        """

    static let chromium = """
        {"checksum":"0","roots":{"bookmark_bar":{"name":"Bookmarks bar","type":"folder","children":[
        {"name":"Play","type":"folder","children":[
        {"date_added":"13110482629123456","name":"Game","type":"url","url":"https://example.org/game"}]}]},
        "other":{"children":[],"name":"Other","type":"folder"}},"version":1}
        """

    static let pinboard = """
        [{"href":"https:\\/\\/example.org\\/","description":"The title","extended":"a note","meta":"","hash":"",
        "time":"2014-06-11T10:20:30Z","shared":"no","toread":"yes","tags":"one two"},
        {"href":"https://example.org/2","description":"Second","extended":"","time":"2014-06-11T10:20:31Z",
        "shared":"yes","toread":"no","tags":""}]
        """

    static let raindrop = """
        id,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite
        1,"A ""quoted"" title",my note,an excerpt,https://example.org/r,Unsorted,"a, b",2021-03-04T05:06:07.089Z,,,true
        2,Two,,"two
        lines",https://example.org/r2,Work / Tools,,2021-03-04T05:06:08Z,,,false
        """

    static let instapaper = """
        URL,Title,Selection,Folder,Timestamp
        https://example.org/i,Inst,chosen words,Unread,1500000000
        https://example.org/j,Arch,,Archive,1500000001
        https://example.org/k,Star,,Starred,1500000002
        """

    static let pocketTable = """
        title,url,time_added,tags,status
        One,https://example.org/p,1500000000,a|b,unread
        Two,https://example.org/q,1500000001,,archive
        """

    static let markdown = """
        # My links

        ## Swift
        - [Swift](https://swift.org "home") - the language
        - [Forums][f] and [Docs]
        - <https://example.org/auto>, see https://example.org/bare_(x).
        - ![picture](https://example.org/p.png) `[no](https://example.org/code)`
        ```
        [no](https://example.org/fenced)
        ```
        ### Tools
        * [esc\\]aped](<https://example.org/a b>) &amp; more

        [f]: https://forums.swift.org
        [docs]: <https://docs.swift.org> "The docs"
        """

    static let lines = """
        {"url":"https://example.org/1","title":"One","tags":["a","b"],"created":"2020-01-02T03:04:05.678Z","starred":true}

        {"url":5}
        not json
        {"text":"only words","tags":"x,y","unread":false,"author":"me"}
        """

    static let text = """
        https://example.org/1
        https://example.org/2 With a title
        Some words
        on two lines

        other words
        """

    static let all: [(String, ImportFormat)] =
        [
            (netscape, .html), (pocket, .html), (firefox, .json), (chromium, .json), (pinboard, .json),
            (raindrop, .csv), (instapaper, .csv), (pocketTable, .csv), (markdown, .markdown), (lines, .jsonl),
            (text, .text),
        ] + services.map { ($0.0, $0.1) }
}
