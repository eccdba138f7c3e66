import ClipsCore
import ClipsExchange
import Foundation
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

    @Test func `an unknown encoding is an error with advice`() {
        let bytes = Array("<META charset=\"no-such-thing\">".utf8) + [0xFF]
        #expect(throws: ImportError.self) { try Reading(bytes) }
    }
}
