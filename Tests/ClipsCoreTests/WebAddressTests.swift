import ClipsCore
import TestSupport
import Testing

struct WebAddressTests {
    @Test(
        arguments: [
            ("https://a.org/b c", nil), (" https://a.org ", "https://a.org"), ("ftp://a/b", "ftp://a/b"),
            ("mailto:a@b.org", "mailto:a@b.org"), ("chrome-extension://a/b", "chrome-extension://a/b"),
            ("example.com", "https://example.com"), ("example.com/foo", "https://example.com/foo"),
            ("Example.COM:8080/a?b#c", "https://Example.COM:8080/a?b#c"),
            ("example.com?q=1", "https://example.com?q=1"),
            ("münchen.de", "https://münchen.de"), ("例え.テスト/a", "https://例え.テスト/a"),
            ("xn--e1afmkfd.xn--p1ai", "https://xn--e1afmkfd.xn--p1ai"), ("a.co", "https://a.co"),
            ("localhost:3000/x", "http://localhost:3000/x"),
            ("192.168.0.1/admin", "http://192.168.0.1/admin"),
            ("[::1]:8080/", "http://[::1]:8080/"),
            ("notes.txt", nil), ("Package.swift", nil), ("example.txt/a", "https://example.txt/a"),
            ("hello", nil), ("two words.com", nil), ("3.14", nil), ("v1.2", nil), ("e.g.", nil), ("i.e", nil),
            ("me@example.org", nil), ("foo.bar()", nil), ("a..com", nil), ("-a.com", nil), (".com", nil),
            ("", nil),
            ("example.com:x", nil), ("999.1.1.1", nil), ("[::1", nil), ("javascript:alert(1)", nil),
            ("://a", nil),
            ("note: buy milk", nil),
            ("http://", nil), ("HTTPS:///a", nil), ("http://:80/a", nil), ("http://me@/a", nil),
            ("https://?q", nil), ("http://#a", nil), ("http://a", "http://a"),
            ("http://me@a:80", "http://me@a:80"), ("http://[::1]", "http://[::1]"),
            ("file:///a/b", "file:///a/b"),
        ] as [(String, String?)])
    func `a text is a URL, a host that becomes one, or neither`(text: String, url: String?) {
        #expect(WebAddress.url(text) == url)
    }

    @Test func `any input ends, and a result has a scheme and no space`() {
        var random = SeededRandom(seed: 16)
        let parts = [
            ".", ":", "/", "[", "]", "-", "a", "é", "com", "1", " ", "\n", "@", "://", "xn--", "\u{301}", "🙂",
        ]
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 0..<9, using: &random)).map { _ in
                parts.randomElement(using: &random) ?? ""
            }.joined()
            guard let url = WebAddress.url(text) else { continue }
            #expect(WebAddress.hasScheme(url) && !url.contains(where: \.isWhitespace), "\(text)")
            #expect(WebAddress.url(url) == url, "\(text)")
        }
    }
}
