import ClipsTerminal
import Foundation
import Testing

struct ReadmeTests {
    @Test func `the README's table of keys is the table of actions`() throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 1...3 { root.deleteLastPathComponent() }
        let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        let table = ActionTable.markdown
        #expect(readme.contains(table), "The README wants this table:\n\(table)")
    }
}
