import ClipsCore
import ClipsExchange
import TestSupport
import Testing

struct HostileFileTests {
    @Test func `random changes of a file only lose clips`() throws {
        let rounds = LongProof.count(15, of: 300, "random changes of each sample")
        for (index, (text, format)) in Samples.all.enumerated() {
            var random = SeededRandom(seed: UInt64(7000 + index))
            for round in 0..<rounds {
                var bytes = Array(text.utf8)
                for _ in 0...Int.random(in: 0...8, using: &random) {
                    let place = Int.random(in: 0..<max(1, bytes.count), using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0 where !bytes.isEmpty: bytes[place] = .random(in: 0 ... .max, using: &random)
                    case 1:
                        bytes.insert(contentsOf: Self.nasty.randomElement(using: &random) ?? [], at: place)
                    case 2: bytes.removeSubrange(place..<min(bytes.count, place + 40))
                    default: bytes += bytes[..<min(place, 200)]
                    }
                }
                let pieces = [1, 13, 4096].randomElement(using: &random) ?? 1
                for format in [nil, format] {
                    do {
                        let reading = try Reading(bytes, format: format, pieces: pieces)
                        #expect(reading.drafts.count < 500, "sample \(index), round \(round)")
                    } catch is ImportError {}
                }
            }
        }
    }

    private static let nasty: [[UInt8]] = [
        [0], [0xFF], [0xC2], [0xED, 0xA0, 0x80], Array("<".utf8), Array("\"".utf8), Array("&#0;".utf8),
        Array("&#x110000;".utf8), Array("</DL></DL>".utf8), Array("<DL><DL>".utf8), Array("[[[[".utf8),
        Array("](".utf8), Array("\\u".utf8), Array("\\ud800".utf8), Array("{{".utf8), Array("\r".utf8),
        Array("<!-- clips {".utf8), Array("```".utf8), Array("1e999".utf8), Array("charset=utf-7".utf8),
        Array("9223372036854775807".utf8), Array("<![CDATA[".utf8), Array("<script>".utf8),
    ]

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            ("<DL>", ""), ("<b>", "</i>"), ("<A HREF=x>", ""), ("<font a=b>", ""), ("&", ""), ("<", ""),
            ("<!--", ""),
        ])
    func `deep nesting costs time in proportion`(opening: String, closing: String) throws {
        let count = LongProof.count(20_000, of: 100_000, "levels of \(opening)")
        let text =
            "<DL><DT><A HREF=\"http://x.org\">first</A><DT>" + String(repeating: opening, count: count)
            + String(repeating: closing, count: count)
        let time = try processorTime {
            let reading = try Reading(text, format: .html)
            #expect(reading.drafts.first?.title == "first")
        }
        #expect(isProportional(time, to: count), "\(time)")
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["[", "{\"a\":", "[](", "[a", "`", "\"\n", "<h", "!["])
    func `nested brackets of other kinds cost time in proportion`(opening: String) {
        let count = LongProof.count(5000, of: 20_000, "brackets \(opening)")
        for format in ImportFormat.allCases {
            let time = processorTime {
                _ = try? Reading(String(repeating: opening, count: count), format: format)
            }
            #expect(isProportional(time, to: count), "\(format): \(time)")
        }
    }

    @Test func `dates at the limits are read or rejected`() throws {
        for date in [
            "9223372036854775807", "-9223372036854775808", "1e300", "nan", "0000-13-99",
            "99999999999999999999",
        ] {
            let text = "url,created,title\nhttp://x.org,\(date),x\n"
            #expect(try Reading(text, name: "x.csv").drafts.count == 1, "\(date)")
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: [ImportFormat.html, .xml])
    func `a tag with many attributes costs time in proportion and is reported`(format: ImportFormat) throws {
        let count = LongProof.count(25_000, of: 400_000, "attributes of a tag")
        let attributes = (0..<count).map { "a\($0)=b" }.joined(separator: " ")
        let text =
            format == .html
            ? "<DL><DT><A HREF=\"http://x.org\" \(attributes)>x</A></DL>"
            : "<posts><post href=\"http://x.org\" \(attributes)/></posts>"
        let reading = try Reading(text, format: format)
        #expect(reading.drafts.map(\.url) == ["http://x.org"] && reading.problems.count == 1)
    }

    private static let small = {
        var limits = ImportLimits()
        (limits.piece, limits.skipped, limits.document, limits.values) = (1 << 16, 1 << 17, 1 << 17, 1000)
        return limits
    }()

    @Test func `a value beyond the limit is not part of a clip`() throws {
        let long = String(repeating: "a", count: 1 << 17)
        for text in [
            "<DL><DT><A HREF=\"http://x.org/\(long)\">x</A><DT><A HREF=\"http://x.org\">y</A></DL>",
            "<opml><body><outline url=\"http://x.org/\(long)\"/><outline url=\"http://x.org\"/></body></opml>",
        ] {
            let reading = try Reading(Array(text.utf8), limits: Self.small)
            #expect(reading.drafts.map(\.url) == ["http://x.org"] && !reading.problems.isEmpty)
        }
    }

    @Test(arguments: [
        ("jsonl", "{\"url\":\"http://x.org/", "a"), ("txt", "", "a"),
        ("csv", "url,title\nhttp://x.org,\"", "a\n"),
        ("json", "[{\"url\":\"", "a"), ("md", "", "["), ("json", "[0", ",0"),
    ])
    func `a line, record, or document without an end is an error`(name: String, start: String, more: String)
        throws
    {
        let text = start + String(repeating: more, count: 1 << 19)
        #expect(throws: ImportError.self) {
            try Reading(Array(text.utf8), name: "x.\(name)", limits: Self.small)
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: ImportFormat.allCases)
    func `a device without an end is refused`(format: ImportFormat) throws {
        let run = try ClipsProgram().run("import", "--format", format.rawValue, "/dev/zero")
        #expect(run.status == 1 && run.errors.contains("This file is binary."), "\(run.errors)")
    }

    @Test func `errors in a page are never printed by a library`() throws {
        let text =
            "<DL><DT><A HREF=\"http://x.org\">x</A></b></i><p <!ELEMENT &#x110000; &bogus; <a href=\"open"
        let run = try ClipsProgram().run("import", "--format", "html", "-", input: text)
        #expect(run.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("clips: ") }, "\(run.errors)")
    }
}
