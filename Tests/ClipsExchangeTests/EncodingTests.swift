import ClipsCore
import ClipsExchange
import Foundation
import TestSupport
import Testing

struct EncodingTests {
    private static let page = "<META charset=\"NAME\"><DL><DT><A HREF=\"http://x.org\">Größe – “я”</A></DL>"

    @Test func `byte-order marks are recognized, and UTF-16 even without one`() throws {
        let text = "<DL><DT><A HREF=\"http://x.org\">Größe 😀</A></DL>"
        for (encoding, mark) in [
            (String.Encoding.utf8, [0xEF, 0xBB, 0xBF]), (.utf8, []), (.utf16LittleEndian, [0xFF, 0xFE]),
            (.utf16BigEndian, [0xFE, 0xFF]), (.utf16LittleEndian, []), (.utf16BigEndian, []),
        ] as [(String.Encoding, [UInt8])] {
            let bytes = try mark + [UInt8](#require(text.data(using: encoding)))
            for pieces in [1, 1 << 16] {
                let reading = try Reading(bytes, pieces: pieces)
                #expect(reading.drafts.map(\.title) == ["Größe 😀"], "\(encoding) \(mark)")
                #expect(reading.problems.isEmpty)
            }
        }
    }

    @Test func `a page has its declared encoding, unless it is UTF-8`() throws {
        let latin = "<META charset=\"iso-8859-1\"><DL><DT><A HREF=\"http://x.org\">Größe – “x”</A></DL>"
        let bytes = try [UInt8](#require(latin.data(using: .windowsCP1252)))
        #expect(try Reading(bytes).drafts.first?.title == "Größe – “x”")
        #expect(try Reading(latin).drafts.first?.title == "Größe – “x”")
        let cyrillic = "<META charset=windows-1251><DL><DT><A HREF=\"http://x.org\">Привет</A></DL>"
        let encoded = try [UInt8](#require(cyrillic.data(using: .windowsCP1251)))
        #expect(try Reading(encoded).drafts.first?.title == "Привет")
    }

    @Test func `a file of single bytes without a declaration is Windows-1252`() throws {
        let bytes =
            Array("<DL><DT><A HREF=\"http://x.org\">Gr".utf8) + [0xF6, 0xDF] + Array("e</A></DL>".utf8)
        #expect(try Reading(bytes).drafts.first?.title == "Größe")
    }

    @Test func `invalid bytes are marked and reported with their line`() throws {
        let bytes =
            Array("{\"url\":\"http://x.org\",\"title\":\"é\"}\n{\"text\":\"a".utf8) + [0xFF, 0xFE]
            + Array("b\"}\n".utf8)
        let reading = try Reading(bytes)
        #expect(reading.drafts.map { $0.title + $0.text } == ["é", "a\u{FFFD}\u{FFFD}b"])
        #expect(reading.problems.map(\.line) == [2])
    }

    private static let words: [(charset: String, iconv: String, text: String)] = [
        ("Shift_JIS", "CP932", "日本語の文章です。これは読みやすい文字列でなければなりません。"),
        ("EUC-JP", "EUC-JP", "日本語の文章です。これは読みやすい文字列でなければなりません。"),
        ("ISO-2022-JP", "ISO-2022-JP", "日本語の文章です。これは読みやすい文字列です。"),
        ("GB2312", "GB18030", "这是一个中文网页，我们在这里说明为什么文字编码的检测是有用的。"),
        ("Big5", "BIG5", "這是一個中文網頁，我們在這裡說明為什麼文字編碼的偵測是有用的。"),
        ("EUC-KR", "CP949", "이것은 한국어로 쓰인 문서이고 우리는 그것을 읽을 수 있어야 한다."),
        ("KOI8-R", "KOI8-R", "Это страница на русском языке, которую надо правильно прочитать."),
        ("windows-1251", "CP1251", "Это страница на русском языке, которую надо правильно прочитать."),
    ]

    private func encoded(_ text: String, _ name: String) throws -> [UInt8] {
        let hexadecimal = try Shell.run(
            "sh", ["-c", "printf %s \"$TEXT\" | iconv -f UTF-8 -t \(name) | od -An -v -tx1"],
            environment: ["TEXT": text, "PATH": "/usr/bin:/bin"])
        return hexadecimal.output.split(whereSeparator: \.isWhitespace).compactMap { UInt8($0, radix: 16) }
    }

    @Test(arguments: words) func `the header decides before the page, and letters without both`(
        charset: String, name: String, text: String
    ) throws {
        let bytes = try encoded("<html><title>\(text)</title><p>\(text)</p></html>", name)
        let wrong = try encoded("<html><meta charset=iso-8859-2><title>\(text)</title></html>", name)
        let type = "text/html; charset=\"\(charset)\""
        #expect(WebPage(bytes, contentType: type)?.title == text)
        #expect(WebPage(wrong, contentType: type)?.title == text)
        #expect(WebPage(bytes)?.title == text, "detected")
        #expect(WebPage(bytes, contentType: "text/html; charset=no-such-thing")?.title == text)
        let plain = try encoded(text, name)
        #expect(WebPage.plainText(plain, contentType: "text/plain; charset=\(charset)") == text)
    }

    @Test func `a script's charset and a comment declare nothing`() throws {
        let page = "<!-- <meta charset=koi8-r> --><script charset=koi8-r></script><meta charset=windows-1250>"
        let bytes = try encoded("\(page)<title>žluťoučký</title>", "CP1250")
        #expect(WebPage(bytes)?.title == "žluťoučký")
    }

    @Test func `the first encoding of Macintosh is read by its name in HTML`() throws {
        let bytes = try encoded(
            "<META charset=x-mac-roman><DL><DT><A HREF=http://x.org>Café “x”</A></DL>", "MACINTOSH")
        #expect(try Reading(bytes).drafts.first?.title == "Café “x”")
    }

    @Test(arguments: ["Größe, Öl, Füße und Äpfel", "élève à l'été, ça coûte très cher là-bas, où étée"])
    func `Western letters are not Cyrillic`(text: String) throws {
        #expect(WebPage(try encoded("<html><title>\(text)</title>", "CP1252"))?.title == text)
    }

    @Test func `an unknown encoding is an error with advice`() {
        let bytes = Array("<META charset=\"no-such-thing\">".utf8) + [0xFF]
        #expect(throws: ImportError.self) { try Reading(bytes) }
    }
}
