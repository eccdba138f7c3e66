import Foundation
import Testing

/// The table and the picture of the figures, compared with their results. No speed is asserted.
@Suite struct SpeedSectionTests {
    private static let figures = (1...12).map { "F\($0)" }

    @Test func `the table has a row for each figure, and the README shows the picture`() throws {
        let table = try Self.text(".github/BENCHMARKS.md")
        for figure in Self.figures {
            #expect(table.contains("\n| \(figure) | "), "no row for \(figure)")
        }
        #expect(try Self.text("README.md").contains("(Assets/figures.svg)"))
    }

    @Test func `the results contain the machine and each figure, and the picture shows each`() throws {
        let lines = try Self.text("Assets/figures.jsonl").split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
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

    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: SourceFile.root + "/" + path, encoding: .utf8)
    }
}
