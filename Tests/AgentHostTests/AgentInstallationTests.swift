import AgentHost
import BrowserHost
import Foundation
import TestSupport
import Testing

/// The settings of clients, of which only the server's entry changes.
@Suite struct AgentInstallationTests {
    let folder: TemporaryFolder
    let context: InstallationContext

    init() throws {
        folder = try TemporaryFolder()
        context = InstallationContext(
            program: "/bin/true", home: folder.path(of: ""), configurations: folder.path(of: "config"))
    }

    private var file: String { folder.path(of: ".claude.json") }

    private func read(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test(arguments: [
        "{}", "{\"mcpServers\":{}}", "{\n  \"a\": [1, {\"clips\": 2}],\n  \"b\": \"}\\\"{\"\n}\n",
        "{\"mcpServers\": {\"other\": {\"command\": \"x\", \"args\": [\"a, b\"]}}, \"z\": 1.0}",
        "{\"z\": null, \"mcpServers\": {\n    \"a\": {},\n    \"b\": {}\n  }\n}",
    ])
    func `installing adds an entry, and removing it leaves all else`(text: String) throws {
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let installation = AgentInstallation(context)
        #expect(installation.install().map(\.isWell) == [true])
        let settings = try #require(
            try JSONSerialization.jsonObject(with: Data(try read(file).utf8)) as? [String: Any])
        let servers = try #require(settings["mcpServers"] as? [String: Any])
        let entry = try #require(servers["clips"] as? [String: Any])
        #expect(entry["args"] as? [String] == ["mcp"])
        #expect(try read(file + ".clips-backup") == text)
        #expect(installation.check().map(\.isWell) == [true])
        let installed = try read(file)
        #expect(installation.install().map(\.isWell) == [true])
        #expect(try read(file) == installed)
        #expect(installation.remove().map(\.isWell) == [true])
        #expect(installation.remove().isEmpty)
        func values(_ text: String) throws -> NSDictionary {
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
            return NSDictionary(
                dictionary: object.merging(["mcpServers": [String: Any]()]) { first, _ in first })
        }
        let (left, original) = (try values(try read(file)), try values(text))
        #expect(left == original)
    }

    @Test(arguments: ["// a comment\n{}", "[]", "{\"mcpServers\": 7}", "{\"a\": "])
    func `a file that is not plain JSON is refused and unchanged`(text: String) throws {
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let reports = AgentInstallation(context).install()
        #expect(reports.map(\.isWell) == [false] && reports[0].sentence.contains("is not plain JSON"))
        #expect(try read(file) == text)
        #expect(!FileManager.default.fileExists(atPath: file + ".clips-backup"))
    }

    @Test func `only clients that exist get settings, each in its form`() throws {
        #expect(AgentInstallation(context).install().isEmpty)
        for name in [".cursor", "config/Code/User", "config/zed"] {
            try FileManager.default.createDirectory(
                atPath: folder.path(of: name), withIntermediateDirectories: true)
        }
        let reports = AgentInstallation(context, arguments: ["mcp", "--read-only"]).install()
        #expect(reports.map(\.name) == ["Cursor", "VS Code", "Zed"] && reports.allSatisfy(\.isWell))
        #expect(try read(folder.path(of: ".cursor/mcp.json")).contains("\"mcpServers\""))
        #expect(try read(folder.path(of: "config/Code/User/mcp.json")).contains("\"type\":\"stdio\""))
        #expect(try read(folder.path(of: "config/zed/settings.json")).contains("\"context_servers\""))
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func `an entry of another program is a problem`() throws {
        let text = "{\"mcpServers\": {\"clips\": {\"command\": \"/bin/false\"}}}"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let report = try #require(AgentInstallation(context).check().first)
        #expect(!report.isWell && report.isInstalled && report.sentence.contains("names another program"))
        #expect(AgentInstallation(context).install().map(\.isWell) == [true])
        #expect(AgentInstallation(context).check().map(\.isWell) == [true])
    }
}
