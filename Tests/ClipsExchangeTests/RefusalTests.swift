import ClipsCore
import ClipsExchange
import TestSupport
import Testing

/// Files of other formats: a message, status 1, and no clip.
struct RefusalTests {
    static let files: [(String, String)] = [
        (
            "Atom",
            "<?xml version=\"1.0\"?><feed xmlns=\"http://www.w3.org/2005/Atom\"><entry><title>x</title></entry></feed>"
        ),
        ("RSS", "<rss version=\"2.0\"><channel><item><link>https://a.org</link></item></channel></rss>"),
        (
            "plist",
            "<?xml version=\"1.0\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/x\">\n"
                + "<plist version=\"1.0\"><dict><key>URLString</key><string>https://a.org</string></dict></plist>"
        ),
        (
            "entities",
            "<?xml version=\"1.0\"?><!DOCTYPE opml [<!ENTITY a \"aaaa\">]><opml><body><outline text=\"&a;\" url=\"x\"/></body></opml>"
        ),
        ("deep XML", "<opml>" + String(repeating: "<outline text=\"a\">", count: 100_000)),
        ("NUL bytes", String(repeating: "\0", count: 200)),
        ("picture", "\u{89}PNG\r\n\u{1A}\n\0\0\0\rIHDR"), ("PDF", "%PDF-1.7\n1 0 obj"),
        ("package", "{\"name\":\"x\",\"version\":\"1.0.0\",\"dependencies\":{\"a\":\"^1\"}}"),
        ("settings", "{\"a\":{\"b\":{\"title\":\"c\"}},\"list\":[1,2,3]}"), ("numbers", "[1,2,3]"),
        ("titles", "[{\"title\":\"a\"},{\"title\":\"b\"}]"), ("broken", "{\"bookmarks\":["),
        ("table", "a,b\n1,2\n"),
    ]

    @Test(arguments: files) func `a file of another format is rejected`(name: String, text: String) throws {
        // A table is recognized only by its name.
        let file = name == "table" ? "x.csv" : ""
        do {
            let reading = try Reading(text, name: file)
            Issue.record("\(name): read as \(reading.form)")
        } catch let error as ImportError {
            #expect(error.isRefusal && error.description.hasSuffix("."), "\(name): \(error)")
        }
    }

    @Test func `a rejection is status 1, and another file is imported anyway`() throws {
        let program = try ClipsProgram()
        for (name, text) in Self.files where name != "table" && name != "NUL bytes" {
            let run = try program.run("import", "-", input: text)
            #expect(run.status == 1 && run.errors.contains("saved 0"), "\(name): \(run.errors)")
        }
        #expect(try program.run("import", "-", input: String(repeating: "\0", count: 200)).status == 1)
        #expect(try program.sqlite3("SELECT count(*) FROM Clip") == "0")
    }

    @Test func `an import reports the format and the unread fields`() throws {
        let program = try ClipsProgram()
        let dry = try program.run("import", "--dry-run", "-", input: Samples.raindrop)
        #expect(dry.status == 0 && dry.errors.contains("clips: -: Read as Raindrop CSV; not read: id."))
        let run = try program.run("import", "--json", "-", input: Samples.posts)
        #expect(
            run.output.contains("\"format\":\"posts XML\"")
                && run.output.contains("\"unread\":[\"hash\",\"others\"]"))
        let table = "url,title,mood\nhttps://a.org,a,good\n"
        #expect(try program.run("import", "-", input: table).errors.contains("not read: mood."))
    }

    @Test func `a record without a URL and a text is reported, and not saved`() throws {
        for text in [
            "url,title\n,only a title\nhttps://a.org,a\n",
            "{\"name\":\"only\"}\n{\"url\":\"https://a.org\"}\n",
            "<DL><DT><A HREF=\"\">only</A><DT><A HREF=\"https://a.org\">a</A></DL>",
        ] {
            let reading = try Reading(text)
            #expect(reading.drafts.map(\.url) == ["https://a.org"] && reading.problems.count == 1, "\(text)")
        }
    }

    @Test func `a comma in a tag is reported`() throws {
        let reading = try Reading("{\"url\":\"https://a.org\",\"tags\":[\"a,b\",\"c\"]}")
        #expect(reading.drafts.map(\.tags) == [["a b", "c"]])
        #expect(
            reading.problems.map(\.description) == ["line 1: a tag has a comma, which is saved as a space."])
        let table = try Reading("url,tags\nhttps://a.org,\"[\"\"a,b\"\"]\"\n", name: "x.csv")
        #expect(table.problems.map(\.reason) == ["1 clip has a comma in a tag, which is saved as a space"])
        let program = try ClipsProgram()
        #expect(try program.run("add", "--url", "https://a.org", "--tag", "a,b").status == 2)
        let lines = try program.run(
            "add", "--jsonl", input: "{\"url\":\"https://a.org\",\"tags\":[\"a,b\"]}\n")
        #expect(lines.status == 1 && lines.errors.contains("Line 1: a tag has a comma"))
        #expect(try program.sqlite3("SELECT tags FROM Clip") == "a b")
    }
}
