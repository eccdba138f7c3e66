import ClipsCore
import LiveQuery
import Terminal
import TestSupport
import Testing

@testable import ClipsTerminal
@testable import PersistentStore

/// Input after `:` and `/`, and output for other programs.
@Suite struct HostileLineTests {
    private static let pieces = [
        "sort ", "set ", "tag ", "+a", "-", "theme ", "relativenumber ", "on", "quit!", "delete", "9", "-9",
        "99999999999999999999", "follow", " ", "\t", "\\", "\"", "'", ";", "$(x)", "`", "|", "\u{301}",
        "\u{200D}",
        "\u{202E}", "é", "中", "👍🏽", "\u{1B}", "\u{0}", "tag:", "after:", "history ", "help ", "copy ", "open",
    ]

    @Test(arguments: [":", "/", "t", "a"], [21, 22, 23] as [UInt64])
    func `any line is a command, a search or a sentence, and never a trap`(prompt: String, seed: UInt64)
        throws
    {
        var random = SeededRandom(seed: seed)
        for round in 0..<LongProof.count(12, of: 40, "random lines of a prompt") {
            var state = AppState.showing(20)
            try state.press(prompt)
            var line = ""
            for _ in 0...Int.random(in: 0...7, using: &random) {
                line += Self.pieces.randomElement(using: &random) ?? ""
            }
            _ = state.handle(.key(.paste(line)), at: noon)
            try state.press(["<Tab>", "<S-Tab>", "<Left>", "<C-w>", ""].randomElement(using: &random) ?? "")
            try state.press("<Enter>")
            let isObeyed = state.draw().lines.contains { line in
                line.unicodeScalars.contains {
                    $0.properties.generalCategory == .control || $0.value == 0x202E
                }
            }
            #expect(!isObeyed, "seed \(seed), round \(round): \(line.debugDescription)")
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["wörd ", "wörd", "漢"])
    func `a long title in the line of the last change costs the columns that are shown`(word: String) {
        let title = String(repeating: word, count: 10_000_000)
        for columns in [40, 52, 60, 80] {
            var state = AppState.showing(20, Size(rows: 12, columns: columns))
            state.take(.transactions([transaction(1, deleting: [3], title: title)]))
            #expect(
                columns < 50 || state.statusLine.contains("deleted “\(word.prefix(1))"), "\(state.statusLine)"
            )
        }
    }

    @Test func `an accent hides no bracket from Markdown`() {
        let object = StoredObject(
            id: ClipModel.objectID(1), version: 1, layout: StoredObject.Layout(names: ["title", "url"]),
            values: [.text("a]\u{301}(javascript:x)"), .text("http://a/)\u{301}b")])
        let copied = CopyForm.markdown.text([Clip(object)])
        #expect(copied == "[a\\]\u{301}(javascript:x)](http://a/%29\u{301}b)")
    }

    @Test func `an accent hides no bracket from a picture`() {
        var frame = Frame(size: Size(rows: 1, columns: 20))
        frame.put("a<\u{301}b&\u{301}", row: 0, column: 0)
        let svg = FrameSVG(frame).text
        #expect(svg.contains("&lt;\u{301}b") && svg.contains("&amp;\u{301}"))
    }

    @Test(arguments: [
        "javascript:alert(1)//http:", "javascript:\u{301}x", "http", "http\u{301}://a", " http://a",
        "-http://a", "data:text/html,x",
        "https\u{0}:", "file", "ſ://", "\u{1B}http:", "tels:1", "vscode://a", "", ":", "x-scheme:http://a",
        "hTTp/:a",
    ])
    func `an address of any other scheme is not opened`(url: String) {
        #expect(Browser.rejection(of: url) != nil)
    }

    @Test(arguments: [
        "tel:1", "sms:1", "magnet:?x", "gemini://a", "news:a", "irc://a", "XMPP:a", "matrix:r", "geo:1,2",
    ])
    func `addresses of other programs are opened by the desktop`(url: String) {
        #expect(Browser.rejection(of: url) == nil)
        #expect(Browser.command(for: url, browser: "w3m") == ["xdg-open", url])
        #expect(Browser.command(for: "ftp://a", browser: "w3m %s") == ["w3m", "ftp://a"])
    }

    @Test func `any signs are shown, and retain their positions`() {
        var random = SeededRandom(seed: 33)
        let parts = [
            "*", "**", "[", "]", "(", "![", "](", "<", ">", "~~", "`", "\\", " ", "\n", "---", "1", "a", "é",
            "重", "https://a.b/", "[1]: ",
        ]
        for _ in 0..<1000 {
            let count = Int.random(in: 1...30, using: &random)
            var text = (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
            let other = text
            var links = ClipLinks(takingListOf: &text)
            let numbered = links.numbered(text)
            #expect(links.ranges.allSatisfy { $0.upperBound <= numbered.utf8.count }, "\(other)")
            let shown = ShownText(numbered, links: links.ranges, width: 20, title: "a")
            #expect(shown.links.allSatisfy { $0.upperBound <= shown.text.utf8.count }, "\(other)")
            #expect(Quote("a").range(in: other).map { !other[$0].isEmpty } ?? true)
            #expect(!LinkedTexts.joined([other, other], separator: "\n").isEmpty)
        }
    }

    @Test(arguments: ["[", "![", "](", "**a ", "*a", "<a:", "`", "[a](", "~~a", "[1]", "a**b", "https://"])
    func `signs without an end cost time in proportion`(sign: String) {
        let count = LongProof.count(20_000, of: 100_000, "signs \(sign)")
        let time = processorTime {
            var links = ClipLinks()
            let text = links.numbered(String(repeating: sign, count: count))
            #expect(ShownText(text, width: 80).text.utf8.count <= 2 * text.utf8.count)
        }
        #expect(isProportional(time, to: count), "\(time)")
    }

    @Test func `a URL is one argument of the browser, regardless of its characters`() {
        let url = "http://a/ -x $(b) `c` ; d %s \u{1B} '\"\n"
        #expect(Browser.rejection(of: url) == nil)
        #expect(Browser.command(for: url, browser: nil) == ["xdg-open", url])
        #expect(Browser.command(for: url, browser: "fox %s -t") == ["fox", url, "-t"])
        #expect(Browser.command(for: url, browser: "fox --at=%s") == ["fox", "--at=" + url])
    }

    @Test(arguments: [
        ("mailto:a@b.org?attach=/etc/passwd", "mailto:a@b.org"),
        ("MAILTO:a@b.org?ATTACHMENT=/etc/passwd&Subject=hi", "mailto:a@b.org?Subject=hi"),
        (
            "mailto:a@b.org?subject=a%20b&body=c%0Ad&cc=e@f.org&bcc=g@h.org",
            "mailto:a@b.org?subject=a%20b&body=c%0Ad&cc=e@f.org"
        ),
        ("mailto:a@b.org?subject=x?attach=/etc/passwd", "mailto:a@b.org"),
        (
            "mailto:a@b.org?subject=x%26attach=/etc/passwd&body=%27,attachment=%27/etc/passwd",
            "mailto:a@b.org"
        ),
        ("mailto:a@b.org?%61ttach=/etc/passwd&amp;attach=x", "mailto:a@b.org"),
    ])
    func `a mail program gets the recipients and headers that only fill a message`(
        url: String, opened: String
    ) {
        #expect(Browser.rejection(of: url) == nil)
        #expect(Browser.command(for: url, browser: "mailer %s") == ["mailer", opened])
        #expect(Browser.command(for: url, browser: nil).last == opened)
        #expect(Browser.inTerminal(url).last == opened)
    }

    @Test(arguments: [
        "mailto:a',attachment='/etc/passwd", "mailto:%3Fattach=/x", "mailto:-x", "mailto:a&attach=x",
    ])
    func `recipients that could be more than that are not opened`(url: String) {
        #expect(Browser.rejection(of: url) != nil)
    }
}
