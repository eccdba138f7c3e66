import ClipsCore
import PersistentStore
@testable import SearchIndex
import TestSupport
import Testing

/// The query language, without a store.
@Suite struct SearchQueryTests {
    /// Wednesday, 25 November 2026, 10:00 in a zone two hours east of UTC.
    static let calendar = SearchCalendar.fixed(now: 1_795_593_600_000, secondsFromGMT: 7200)

    static func document(
        title: String = "", tags: String = "", url: String = "", text: String = "", note: String = "",
        author: String = "app", created: Int64 = 0, starred: Bool = false, unread: Bool = false
    ) -> SearchDocument {
        let values: [String: AttributeValue] = [
            "title": .text(title), "tags": .text(tags), "url": .text(url), "text": .text(text),
            "note": .text(note),
            "author": .text(author), "created": .integer(created), "starred": .boolean(starred),
            "unread": .boolean(unread),
        ]
        return SearchDocument(id: 1, ClipModel.searched) { values[$0] ?? .null }
    }

    @Test(arguments: [
        ("swift", "Learning Swift today", true), ("wif", "Learning Swift today", true),
        ("wif*", "Swift", false),
        ("Swi*", "Learning swift", true), ("\"swift\"", "swiftly", false), ("\"swift\"", "so Swift.", true),
        ("\"typed  throws\"", "about typed\nthrows now", true), ("\"typed throw\"", "typed throws", false),
        ("\"typed thr", "typed throws", true), ("learn -swift", "Learning Rust", true),
        ("learn -swift", "Learning Swift", false), ("rust OR swift", "Swift", true),
        ("z rust OR swift", "Swift", false),
        ("\"say \\\"yes\\\" now\"", "say \"yes\" now", true),
        ("\"say \\\"yes\\\" now\"", "say yes now", false),
        ("\"c:\\\\\" now", "now c:\\", true), ("\"c:\\n\"", "c:\\n", true), ("\"c:\\\\n\"", "c:\\n", false),
        ("café", "CAFE\u{301}", true), ("cafe", "Café", true), ("ecole", "ÉCOLE", true),
        ("strasse", "Straße", true),
        ("елка", "Ёлка", true), ("и", "й", false), ("ガイド", "ｶﾞｲﾄﾞ", true), ("がいど", "ガイド", true),
        ("史", "高速道路の歴史と地図", true), ("歴史と", "高速道路の歴史と地図", true), ("史歴", "歴史", false),
        ("full", "ｆｕｌｌ", true), ("c++", "C++17", true), ("++c", "C++", false), ("100%", "100 %", false),
        ("naïve", "naive", true), ("고속", "고속도로", true), ("🎉", "done 🎉!", true), ("-", "anything", true),
        ("OR", "anything", true), ("\"", "anything", true), ("tag:", "anything", true), ("or", "more", true),
        ("or", "less", false), ("http://x", "see http://x.org", true), ("foo:bar", "foo:bar", true),
        ("\"self hosted\"", "A self-hosted app", true), ("\"self-hosted\"", "A self hosted app", true),
        ("self‑hosted", "self-hosted", true), ("\"self hosted\"", "self-hosting", false),
        ("it’s", "It's", true), ("it's", "it’s", true), ("\"l école\"", "L’École", true),
        ("learn AND swift", "Swift, learned", true), ("learn AND NOT swift", "learning Swift", false),
        ("NOT rust swift", "Swift", true), ("NOT rust", "Rust", false), ("AND", "anything", true),
        ("NOT", "anything", true), ("-AND", "and", false), ("\"AND\"", "band", false), ("and", "band", true),
    ])
    func `a title matches or does not match a query`(query: String, title: String, isFound: Bool) {
        #expect(SearchQuery(query).matches(Self.document(title: title)) == isFound, "\(query) in \(title)")
    }

    @Test(arguments: ["\"q\"", "a\\", "\\\"", "a \\\\\"b\\", "\\\\", "x\" -y", "-x", "x'"])
    func `a quoted name is found by its field`(name: String) {
        let query = SearchQuery("tag:" + SearchQuery.quoted(name))
        #expect(query.matches(Self.document(tags: "other,\(name)")), "\(query)")
        #expect(!query.matches(Self.document(tags: "other,other \(name)")), "\(query)")
        #expect(SearchQuery(query.description) == query && query.clauses.count == 1)
    }

    @Test func `a field condition searches only that field`() {
        let clip = Self.document(
            title: "Bread", tags: "Baking,to read", url: "https://me@www.example.org/bread", text: "flour",
            note: "later", author: "extension", starred: true, unread: true)
        let found = [
            "title:bread", "tag:bak*", "tag:baking", "tag:\"to read\"", "tag:to*", "site:example.org",
            "site:example",
            "text:flour",
            "note:late", "author:ext*", "author:extension", "url:www", "is:starred", "is:unread",
            "TAG:baking", "-is:read",
            "-tag:bread", "-is:archived",
        ]
        let notFound = [
            "bread extension", "title:flour", "tag:aking", "tag:\"to\"", "tag:read", "site:www", "site:bread",
            "text:bread",
            "note:flour",
            "author:tension", "tag:bak", "tag:to", "author:ext", "author:\"ext\"", "is:read", "-is:starred",
            "url:flour",
        ]
        for query in found { #expect(SearchQuery(query).matches(clip), "\(query)") }
        for query in notFound { #expect(!SearchQuery(query).matches(clip), "\(query)") }
    }

    @Test(arguments: [
        ("site:t.co", "https://t.co/x", true), ("site:t.co", "https://www.microsoft.com/", false),
        ("site:t.co", "https://t.com/", false), ("site:example.org", "https://docs.example.org:8080/", true),
        ("site:example.org", "https://myexample.org/", false),
        ("site:example.org", "https://example.org.uk/", false),
        ("site:example.org", "https://example.org./", false),
        ("site:example.org*", "https://example.org.uk/", true),
        ("site:docs.example", "https://docs.example.org", false),
        ("site:doc", "https://docs.example.org/", false), ("site:doc*", "https://docs.example.org/", true),
        ("site:exam*", "https://docs.example.org/", true),
        ("site:docs.exam*", "https://docs.example.org/", true),
        ("site:cs", "https://docs.example.org/", false), ("site:www.t.co", "https://t.co/", true),
        ("site:münchen.de", "https://www.xn--mnchen-3ya.de/", true),
        ("münchen", "http://xn--mnchen-3ya.de", true),
        ("café", "https://a.org/caf%C3%A9", true), ("caf%C3%A9", "https://a.org/café", true),
        ("%C3%28", "https://a.org/%C3%28", true), ("http://a.org/b", "https://www.a.org/b/", true),
        ("https://www.a.org/b/?utm_source=x", "http://a.org/b", true),
        ("www.a.org/b", "https://a.org/b", true),
        ("a.org/b?id=1&c=2", "https://a.org/b?id=1&utm_medium=m&c=2", true),
        ("a.org/b?id=1&utm_medium=n&c=2", "https://a.org/b?id=1&c=2#:~:text=x", true),
        ("url:utm_medium", "https://a.org/b?utm_medium=m", true),
        ("a.org/b?id=2", "https://a.org/b?id=1", false),
        ("a.org/b#part", "https://a.org/b", true),
    ])
    func `a URL matches its variants, and a site is anchored at dots`(
        query: String, url: String, isFound: Bool
    ) {
        #expect(SearchQuery(query).matches(Self.document(url: url)) == isFound, "\(query) in \(url)")
    }

    /// Converts a local day and hour, in the zone of the calendar.
    private func moment(_ year: Int, _ month: Int, _ day: Int, hour: Int = 12) -> Int64 {
        Self.calendar.start(CalendarDay(year: year, month: month, day: day)) + Int64(hour) * 3_600_000
    }

    @Test func `days are those of the user's time zone`() {
        func finds(_ query: String, _ moment: Int64) -> Bool {
            SearchQuery(query, calendar: Self.calendar).matches(Self.document(created: moment))
        }
        #expect(Self.calendar.today == CalendarDay(year: 2026, month: 11, day: 25))
        let cases: [(String, inside: Int64, outside: Int64)] = [
            ("on:today", moment(2026, 11, 25, hour: 0), moment(2026, 11, 24, hour: 23)),
            ("on:yesterday", moment(2026, 11, 24), moment(2026, 11, 25, hour: 0)),
            ("before:tomorrow", moment(2026, 11, 25, hour: 23), moment(2026, 11, 26, hour: 0)),
            ("on:2024-02-29", moment(2024, 2, 29), moment(2024, 3, 1)),
            ("on:wednesday", moment(2026, 11, 25), moment(2026, 11, 18)),
            ("on:monday", moment(2026, 11, 23), moment(2026, 11, 16)),
            ("on:thu", moment(2026, 11, 19), moment(2026, 11, 26)),
            ("on:last-week", moment(2026, 11, 16, hour: 0), moment(2026, 11, 23, hour: 0)),
            ("on:this-month", moment(2026, 11, 1), moment(2026, 10, 31)),
            ("on:last-year", moment(2025, 12, 31), moment(2026, 1, 1)),
            ("after:3d", moment(2026, 11, 22, hour: 0), moment(2026, 11, 21, hour: 23)),
            ("after:2w", moment(2026, 11, 11), moment(2026, 11, 10)),
            ("before:1y", moment(2025, 11, 24), moment(2025, 11, 25)),
            ("after:2026-11-01", moment(2026, 11, 1, hour: 0), moment(2026, 10, 31, hour: 23)),
            ("before:2026-11", moment(2026, 10, 31, hour: 23), moment(2026, 11, 1, hour: 0)),
            ("on:2026-11", moment(2026, 11, 30, hour: 23), moment(2026, 12, 1, hour: 0)),
            ("on:2026", moment(2026, 1, 1, hour: 0), moment(2025, 12, 31, hour: 23)),
            ("-after:yesterday", moment(2026, 11, 23), moment(2026, 11, 24)),
        ]
        for (query, inside, outside) in cases {
            #expect(finds(query, inside), "\(query)")
            #expect(!finds(query, outside), "\(query)")
        }
    }

    @Test(arguments: [
        "after:05/03/2010", "on:2010-02-30", "on:2023-02-29", "before:2026-13", "after:2026-11-32",
        "on:2026-4-31",
        "on:never", "is:foo", "after:2026-1-1-1", "before:20261", "on:2026-02-4x", "after:2026--1",
    ])
    func `an invalid value is reported, and matches nothing`(query: String) {
        let search = SearchQuery(query, calendar: Self.calendar)
        #expect(search.problems.count == 1 && search.problems.allSatisfy { !$0.isUnfinished }, "\(query)")
        #expect(!search.matches(Self.document(title: "any", created: Self.calendar.now())), "\(query)")
    }

    @Test func `a query that is not read to its end is reported`() {
        let words = String(repeating: "-word ", count: 170)
        let problem = SearchQuery(words + "-is:starred").problems.first?.description ?? ""
        #expect(problem.contains("longer than 1,000 characters"), "\(problem)")
        #expect(SearchQuery(String(repeating: "a", count: 1000)).problems.isEmpty)
    }

    @Test(arguments: [
        "after:", "after:20", "before:yest", "on:2026-1", "is:sta", "is:", "tag:\"", "-tag:", "title:*",
    ])
    func `an unfinished query excludes nothing`(query: String) {
        #expect(SearchQuery(query).isEmpty || query == "on:2026-1", "\(SearchQuery(query))")
    }

    @Test(arguments: 0..<20)
    func `any text is a valid query, and its printed form is the same query`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let pieces = [
            "\"", "-", "*", ":", " ", "\n", "OR", "tag", "title:", "is:starred", "after:", "2026-11", "3d",
            "on:monday",
            "\\", "\\\"", "\u{301}", "\u{3099}", "か", "é", "word", "\u{0}", "🎉", "\u{200D}", "\r\n", "\u{A0}",
            "is:", "'",
            "--",
        ]
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 0...9, using: &random)).map { _ in
                Int.random(in: 0..<8, using: &random) == 0
                    ? String(
                        Unicode.Scalar(UInt32.random(in: 0...0xFFFF, using: &random)).map(Character.init)
                            ?? "x")
                    : pieces.randomElement(using: &random) ?? ""
            }.joined()
            let query = SearchQuery(text, calendar: Self.calendar)
            let again = SearchQuery(query.description, calendar: Self.calendar)
            #expect(
                query == again,
                "seed \(seed): \(text.debugDescription) gave \(query.description.debugDescription)")
            _ = query.matches(Self.document(title: text))
        }
    }

    @Test func `an excerpt near the start begins with it`() {
        func excerpt(_ text: String, _ length: Int) -> String? {
            SearchQuery("live").excerpt(of: text, in: .url, length: length)?.text
        }
        let url = "https://live.example/1"
        for length in 12...30 {
            #expect(excerpt(url, length)?.hasPrefix("https://live") == true, "\(length)")
        }
        #expect(excerpt("https://a.long.name.example/live/1", 15)?.hasPrefix("…") == true)
        #expect(excerpt("a few words before live", 12) == "…before live")
        #expect(excerpt("a few words before live", 23) == "a few words before live")
    }

    @Test func `matches are marked, regardless of the characters they fold to`() {
        func marked(_ query: String, _ text: String) -> [String] {
            SearchQuery(query).matches(in: text, of: .text).map { String(text[$0]) }
        }
        #expect(marked("cafe", "Un Cafe\u{301}, deux CAFÉS") == ["Cafe\u{301}", "CAFÉ"])
        #expect(marked("s", "Straße") == ["S", "ß"])
        #expect(marked("がい", "ｶﾞｲﾄﾞ") == ["ｶﾞｲ"])
        #expect(marked("title:cafe -x", "cafe") == [])
        let long = String(repeating: "word ", count: 100) + "needle " + String(repeating: "word ", count: 100)
        let excerpt = SearchQuery("needle").excerpt(of: long, in: .text, length: 60)
        #expect(excerpt?.text.count ?? 0 <= 62 && excerpt?.matches.count == 1)
    }

    @Test(arguments: [
        ("\"brown fox jumps\"", "quick brown [fox][2] jumps", ["brown [fox][2] jumps"]),
        ("\"brown fox jumps\"", "quick brown [fox][99999] jumps", ["brown [fox][99999] jumps"]),
        ("\"brown fox\"", "quick brown [fox][2] jumps", ["brown [fox"]),
        (
            "\"brown fox jumps\"", "brown fox [2] jumps, [brown fox](https://a.example/) jumps",
            [
                "brown fox [2] jumps", "brown fox](https://a.example/) jumps",
            ]
        ),
        ("\"brown fox jumps\"", "a brown **fox** *jumps*", ["brown **fox** *jumps"]),
        ("\"see foo bar\"", "see [foo][1]bar", ["see [foo][1]bar"]),
        ("\"a[1] b\"", "x a[1] b", ["a[1] b"]), ("\"a b\"", #"a \[x\] b a*b"#, []),
        ("brown-fox", "[brown][1] fox", ["brown][1] fox"]),
        ("__init__", #"take \_\_init\_\_ as it is"#, [#"_\_init\_\_"#]),
        ("\"*args and **kwargs\"", #"take \*args and \*\*kwargs"#, [#"*args and \*\*kwargs"#]),
        ("unfriggingbelievable", "so un**frigging**believable", ["un**frigging**believable"]),
        ("frigging", "so un**frigging**believable", ["frigging"]),
        ("是重要", "这是**重要**的", ["是**重要"]), ("\"make all\"", "run `make` all", ["make` all"]),
        (#"C:\_x"#, #"in C:\_x"#, [#"C:\_x"#]), ("a_b", #"a\_b"#, [#"a\_b"#]),
        ("\"see é fox\"", "see [É][10] fox [3]", ["see [É][10] fox"]),
    ])
    func `a phrase crosses the marks of links and emphasis in a text`(
        query: String, text: String, matches: [String]
    ) {
        let query = SearchQuery(query)
        #expect(query.matches(in: text, of: .text).map { String(text[$0]) } == matches)
        #expect(query.matches(Self.document(text: text)) == !matches.isEmpty)
        #expect(query.matches(Self.document(note: text)) == !matches.isEmpty)
    }
}
