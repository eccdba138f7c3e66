import Foundation
import Testing

/// The published figures, compared with their results. No speed is asserted.
@Suite struct SpeedSectionTests {
    private static let figures = (1...12).map { "F\($0)" }
    private static let page = ".github/BENCHMARKS.md"

    @Test func `the README shows the picture and links to the page`() throws {
        let section = try #require(
            Self.text("README.md").components(separatedBy: "\n## ").first { $0.hasPrefix("Speed\n") })
        #expect(section.contains("(Assets/figures.svg)"))
        #expect(section.contains("(\(Self.page))"))
    }

    @Test func `the page has a row of results, a description, and a command for each figure`() throws {
        let sections = try Self.text(Self.page).components(separatedBy: "\n## ")
        let results = try #require(sections.first { $0.hasPrefix("Results\n") })
        let descriptions = try #require(sections.first { $0.hasPrefix("Figures\n") })
        for figure in Self.figures {
            #expect(results.contains("\n| \(figure) | "), "no results of \(figure)")
        }
        let others = ["F13", "F14", "F15", "BUDGET", "CAPTURE", "CHECK", "IMPORT", "WAL"]
        for figure in Self.figures + others {
            let row = descriptions.split(separator: "\n").first { $0.hasPrefix("| \(figure) | ") }
            #expect(row?.contains("`ClipsBenchmarks \(figure)") == true, "no description of \(figure)")
        }
    }

    @Test func `the page has a row for each headline of the results`() throws {
        let page = try Self.text(Self.page)
        for line in try Self.results() {
            let measurement = line["measurement"] as? [String: Any]
            guard let headline = measurement?["headline"] as? String else { continue }
            #expect(page.contains("| \(headline) | "), "no row '\(headline)'")
        }
    }

    @Test func `the results contain the machine and each figure, and the picture shows each`() throws {
        let lines = try Self.results()
        let machine = try #require(lines.first?["machine"] as? [String: Any])
        for name in ["processor", "cores", "kernel", "sqlite", "swift", "date", "isQuick"] {
            #expect(machine[name] != nil, "\(name) is missing")
        }
        let measured = Set(lines.compactMap { $0["figure"] as? String })
        let picture = try Self.text("Assets/figures.svg")
        for figure in Self.figures {
            #expect(measured.contains(figure), "\(figure) was not measured")
            #expect(picture.contains(">\(figure)</text>"), "\(figure) is not drawn")
        }
    }

    private static func results() throws -> [[String: Any]] {
        try text("Assets/figures.jsonl").split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: SourceFile.root + "/" + path, encoding: .utf8)
    }
}
