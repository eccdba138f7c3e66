import ClipsCore
import PersistentStore
import Terminal
import Testing

@testable import ClipsTerminal

/// The share of a text that was read, in the status line.
@Suite struct ReaderPercentTests {
    /// Returns the percentages of the screens to the end of a text.
    private static func percentages(_ text: String, isWrapped: Bool = true) -> [Int] {
        var reader = reader(text, isWrapped: isWrapped)
        var percentages: [Int] = []
        repeat {
            reader.layOut(width: 60, height: 20, dates: .standard)
            percentages.append(reader.percent ?? -1)
            reader.moveTo(index: reader.index + 20)
        } while reader.hasMore
        return percentages
    }

    private static func reader(_ text: String, isWrapped: Bool) -> Reader {
        let layout = StoredObject.Layout(names: ["title", "url", "text"])
        let values: [AttributeValue] = [.text("Title"), .text("https://a.example/"), .text(text)]
        let clip = Clip(StoredObject(id: ClipModel.objectID(1), version: 1, layout: layout, values: values))
        var reader = Reader()
        reader.select(1)
        reader.isWrapped = isWrapped
        reader.show(clip)
        return reader
    }

    private static let page: String = {
        let links = (1...60).map {
            "- [link \($0)](https://site\($0).example/a/path/to/the/page/\($0)?with=\($0))"
        }
        let table =
            ["| Name | Value |", "|---|---|"] + (1...40).map { "| n\($0) | v\($0) |" }
        let words = String(repeating: "some words of a long paragraph ", count: 60)
        return ([words, "", "short", ""] + table + ["", words, ""] + links).joined(separator: "\n")
    }()

    @Test(arguments: [true, false])
    func `equal screens of a page have equal shares of the percentage`(isWrapped: Bool) {
        let percentages = Self.percentages(Self.page, isWrapped: isWrapped)
        #expect(percentages.count > 6 && percentages.last == 100, "\(percentages)")
        let steps = zip(percentages, percentages.dropFirst()).map { $1 - $0 }.dropLast()
        #expect((steps.max() ?? 0) - (steps.min() ?? 0) <= 1, "\(percentages)")
    }

    @Test(arguments: [("word ", 2500), ("слово ", 900)])
    func `the percentage of a large text never decreases, and ends at 100`(word: String, lines: Int) {
        let text = (1...lines).map { "line \($0)\n\(String(repeating: word, count: $0 % 50))" }
        let percentages = Self.percentages(text.joined(separator: "\n") + String(repeating: "\nx", count: 90))
        #expect(text.joined().utf8.count > 200 << 10 && percentages.count > 50)
        #expect(percentages == percentages.sorted() && percentages.last == 100, "\(percentages)")
    }
}
