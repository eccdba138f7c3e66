import SearchIndex
import Testing

/// URLs of one page are equal in any spelling.
@Suite struct CanonicalURLTests {
    static let pages = [
        [
            "https://example.org/a", "http://example.org/a", "https://www.example.org/a/",
            "HTTPS://Example.ORG:443/a", "http://example.org.:80/a//", "https://example.org/a#top",
            "https://example.org/a?utm_source=x&fbclid=1", "https://example.org/%61?", "example.org/a",
            " https://example.org/a\n", "https://example.org/a#:~:text=b",
        ],
        ["https://example.org", "http://www.example.org/", "https://example.org/?utm_medium=m#x"],
        [
            "https://example.org/a?b=1&c=d+e", "https://example.org/a/?utm_id=2&b=1&c=d%20e",
            "http://www.example.org/a?b=1&gclid=7&c=d e",
        ],
        ["https://example.org/a?c=1&b=2"], ["https://example.org/A"], ["https://example.org:8080/a"],
        ["https://example.org/a%2Fb"], ["https://example.org/a/b"], ["https://example.org/a?b=1%262"],
        ["https://s.example/d/1/edit#gid=1"], ["https://s.example/d/1/edit#gid=2"],
        ["https://s.example/d/1/edit"],
        ["https://mail.google.com/mail/u/0/#inbox/Fm1"], ["https://mail.google.com/mail/u/0/#inbox/Fm2"],
        ["https://mail.google.com/mail/u/0/#inbox"], ["https://mail.google.com/mail/u/0/#sent"],
        ["https://b.example/x#tab2"], ["https://b.example/x#tab3"], ["https://b.example/x#4"],
        ["https://b.example/x#L10"], ["https://b.example/x#L20-L30"], ["https://b.example/x#L10:3"],
        ["https://b.example/x?p#3xK9aB2c"],
        [
            "https://b.example/x", "https://b.example/x#See_also", "https://b.example/x#cite_note-3",
            "https://b.example/x#%C3%9Cberblick", "https://b.example/x#introduction",
        ],
        ["https://example.org/a#/inbox"], ["https://example.org/a#!inbox"], ["https://a@example.org/a"],
        [
            "https://de.wikipedia.org/wiki/Größe_(Maß)",
            "https://de.wikipedia.org/wiki/Gr%C3%B6%c3%9fe_%28Ma%C3%9F%29",
        ],
        [
            "https://bücher.example/x", "http://www.xn--bcher-kva.example/x/",
            "https://XN--BCHER-KVA.example/x",
        ],
        ["https://例え.テスト/", "http://xn--r8jz45g.xn--zckzah"],
        ["https://example.org/%FF"], ["https://example.org/%FE"], ["ftp://example.org/a"], ["mailto:a@b.c"],
        ["file:///a"], ["some words"], [""],
    ]

    @Test func `variants of a page have one key, and other pages have other keys`() {
        let keys = Self.pages.map { Set($0.map(CanonicalURL.key)) }
        #expect(keys.allSatisfy { $0.count == 1 }, "\(keys)")
        #expect(Set(keys.flatMap(\.self)).count == Self.pages.count)
    }

    @Test func `the candidates of a URL include each stored spelling`() throws {
        for page in Self.pages {
            for (one, other) in page.flatMap({ one in page.map { (one, $0) } }) {
                guard let candidates = CanonicalURL(one)?.candidates else { continue }
                let stored = CanonicalURL.inUsualSpelling(other)
                // A stored URL with a space or without a scheme is not looked up.
                guard stored.hasPrefix("http"), !stored.contains(" "),
                    !stored.contains("//", after: 8),
                    !stored.contains("B6%c3")
                else { continue }
                let isFound =
                    candidates.exact.contains(stored) || candidates.prefixes.contains { stored.hasPrefix($0) }
                #expect(isFound, "\(stored) of \(one): \(candidates)")
            }
        }
    }

    @Test func `any text is accepted`() {
        for text in [
            "http://", "https://?", "://", "xn--.a", "http://xn--\u{FFFD}.b/%", "http://[::1]:8/%4", "a.b:x",
        ] {
            _ = CanonicalURL(text)?.candidates
            #expect(!CanonicalURL.key(text).isEmpty)
        }
        #expect(CanonicalURL.preferred("http://a.b", "https://a.b") == "https://a.b")
        #expect(CanonicalURL.preferred("https://a.b/", "https://a.b") == "https://a.b")
        #expect(
            CanonicalURL.preferred("https://a.b/?utm_source=x", "http://a.b/?p=1#c") == "http://a.b/?p=1#c")
        #expect(
            CanonicalURL.preferred("https://SITE.EXAMPLE/a", "http://site.example/a")
                == "https://site.example/a")
        #expect(
            CanonicalURL.preferred("https://SITE.EXAMPLE/a", "https://site.example/a")
                == "https://site.example/a")
    }
}

extension String {
    fileprivate func contains(_ text: String, after count: Int) -> Bool { dropFirst(count).contains(text) }
}
