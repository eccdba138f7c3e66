import Foundation
import Testing

/// The README's figures, compared with their results. No speed is asserted.
@Suite struct SpeedSectionTests {
    private static let figures = (1...12).map { "F\($0)" }

    @Test func `the README's table has a row for each figure`() throws {
        let section = try #require(
            Self.text("README.md").components(separatedBy: "\n## ").first { $0.hasPrefix("Speed\n") })
        for figure in Self.figures {
            #expect(section.contains("\n| \(figure) | "), "no row for \(figure)")
        }
        #expect(section.contains("(Assets/figures.svg)"))
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
