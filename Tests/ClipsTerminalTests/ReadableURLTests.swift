import ClipsCore
import Terminal
import Testing

@Suite struct ReadableURLTests {
    @Test(arguments: [
        ("https://de.wikipedia.org/wiki/M%C3%BCnchen", "https://de.wikipedia.org/wiki/München"),
        (
            "https://ja.wikipedia.org/wiki/%E6%9D%B1%E4%BA%AC?x=%E6%9D%B1",
            "https://ja.wikipedia.org/wiki/東京?x=東"
        ),
        ("https://xn--mnchen-3ya.de:8080/a", "https://münchen.de:8080/a"),
        ("https://user@xn--r8jz45g.xn--zckzah/", "https://user@例え.テスト/"),
        ("mailto:a@b.org", "mailto:a@b.org"), ("", ""), ("https://a.org/100%", "https://a.org/100%"),
    ])
    func `letters and hosts are decoded`(url: String, text: String) { #expect(ReadableURL.text(url) == text) }

    @Test(arguments: [
        // Reserved signs, spaces, controls, directions, invisible characters, and invalid UTF-8.
        "https://a.org/a%2Fb%20c%00%1B%25", "https://a.org/%E2%80%AE%E2%80%8B%EF%BB%BF",
        "https://a.org/%C3%28",
        "https://a.org/%F0%9F%94%92", "https://a.org/%C", "https://a.org/%zz",
        // A Cyrillic label that looks like apple, mixed scripts, and invalid labels.
        "https://xn--80ak6aa92e.com/", "https://xn--pypal-4ve.com/", "https://xn--a.com/",
        "https://xn--.com/", "https://xn--99999999999.com/",
    ])
    func `what could deceive remains encoded`(url: String) { #expect(ReadableURL.text(url) == url) }

    @Test func `a URL is divided at its signs`() {
        var text = WrappedText(
            "see https://example.org/some/long-path/of-many-words/and?query=string&more=words", width: 30)
        #expect(
            text.lines(0..<9) == [
                "see", "https://example.org/some/long-", "path/of-many-words/and?query=",
                "string&more=words",
            ])
    }
}
