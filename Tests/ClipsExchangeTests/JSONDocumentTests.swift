import ClipsCore
import ClipsExchange
import Foundation
import TestSupport
import Testing

/// Documents that are read one element at a time.
struct JSONDocumentTests {
    private static func list(_ count: Int, path: String = "") -> String {
        "["
            + (0..<count).map { "{\"url\":\"https://a.org/\($0)\(path)\",\"tags\":[\"a\"]}" }.joined(
                separator: ",\n") + "]"
    }

    @Test(arguments: ["", "{\"total\":1,\"data\":"]) func `the first clip arrives before the file is read`(
        start: String
    )
        throws
    {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "list.json")
        let long = String(repeating: "/folder", count: 200)
        let text = start + Self.list(2000, path: long) + (start.isEmpty ? "" : "}")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let file = try #require(FileHandle(forReadingAtPath: path))
        var clips = try ClipImport(
            ByteSource(descriptor: file.fileDescriptor, name: "The file"), fileName: path)
        #expect(try clips.next() != nil)
        #expect(try text.utf8.count > 2 << 20 && file.offset() < 2 << 20)
        var count = 1
        while try clips.next() != nil { count += 1 }
        #expect(count == 2000)
    }

    @Test func `an error is reported with its line, after the clips before it`() throws {
        for (text, line, count) in [
            ("[{\"url\":\"a\"},\n{\"url\":\"b\"}\n{\"url\":\"c\"}]", 3, 2),
            ("[{\"url\":\"a\"},\n\n{\"url\" \"b\"}]", 3, 1),
            ("[{\"url\":\"a\"}]\n]", 2, 1), ("{\"x\":[{\"url\":\"a\"}],\n\"y\"}", 2, 1),
            ("[{\"url\":\"a\"},\n]", 2, 1),
            ("[{\"url\":\"a\"}\n", 2, 1),
        ] {
            let reading = try Reading(text, format: .json)
            #expect(
                reading.drafts.count == count && reading.problems.last?.line == line, "\(text): \(reading)"
            )
        }
    }

    @Test func `a list without clips is no list of bookmarks, however long`() throws {
        let others = (0..<5000).map { "{\"title\":\"\($0)\"}" }.joined(separator: ",")
        #expect(throws: ImportError.self) { try Reading("[\(others)]") }
        let reading = try Reading(
            "{\"names\":[\(others)],\"links\":[{\"url\":\"https://a.org\"}]}", format: .json)
        #expect(reading.drafts.count == 1 && reading.problems.isEmpty && reading.unread == ["names"])
    }

    @Test func `one record is a document, with lists of objects as its fields`() throws {
        let record =
            "{\"tags\":[{\"name\":\"a\"},{\"name\":\"b\"}],\"title\":\"T\",\"url\":\"https://a.org\"}"
        let reading = try Reading(record, format: .json)
        #expect(reading.drafts.map(\.tags) == [["a", "b"]] && reading.drafts.map(\.title) == ["T"])
        #expect(try Reading("[]", format: .json).drafts.isEmpty)
        #expect(try Reading("{\"lists\":[],\"bookmarks\":[]}", format: .json).drafts.isEmpty)
        #expect(throws: ImportError.self) { try Reading("{}", format: .json) }
    }

    @Test func `a value is the same in pieces of any size`() throws {
        for text in [Samples.karakeepLists, Samples.firefox, Samples.chromium, Self.list(20)] {
            let whole = try Reading(text, format: .json)
            for size in [1, 2, 3, 5, 64] {
                #expect(try Reading(text, format: .json, pieces: size).drafts == whole.drafts, "\(size)")
            }
        }
    }
}
