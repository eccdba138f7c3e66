import ClipsTerminal
import Foundation
import Testing

struct ReadmeTests {
    @Test func `the README's table of keys is the table of actions`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        #expect(readme.contains(ActionTable.markdown), "The README wants this table:\n\(ActionTable.markdown)")
    }
}
