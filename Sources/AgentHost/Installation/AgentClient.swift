import Platform

/// A program whose agent can start the server, and the file with its settings.
struct AgentClient: Sendable {
    let name: String
    /// A path that exists once the user has started it; `~` is the home folder, `@` that of configurations.
    let trace: String
    let file: String
    /// The key of the object with the servers.
    let key: String
    /// A member that its entries have, besides the command.
    var kind: (key: String, value: String)?

    /// The name of the server's entry.
    static let entry = "clips"

    static let all = [
        AgentClient(
            name: "Claude Code", trace: "~/.claude.json", file: "~/.claude.json", key: "mcpServers",
            kind: ("type", "stdio")),
        AgentClient(
            name: "Claude Desktop", trace: "@/Claude", file: "@/Claude/claude_desktop_config.json",
            key: "mcpServers"),
        AgentClient(name: "Cursor", trace: "~/.cursor", file: "~/.cursor/mcp.json", key: "mcpServers"),
        AgentClient(
            name: "VS Code", trace: "@/Code/User", file: "@/Code/User/mcp.json", key: "servers",
            kind: ("type", "stdio")),
        AgentClient(name: "Zed", trace: "@/zed", file: "@/zed/settings.json", key: "context_servers"),
        AgentClient(
            name: "Windsurf", trace: "~/.codeium/windsurf", file: "~/.codeium/windsurf/mcp_config.json",
            key: "mcpServers"),
        AgentClient(
            name: "Gemini CLI", trace: "~/.gemini", file: "~/.gemini/settings.json", key: "mcpServers"),
    ]

    /// Returns the entry of the server as JSON.
    func json(program: String, arguments: [String]) -> String {
        var object = JSONObject()
        if let kind { object.add(kind.key, kind.value) }
        object.add("command", program)
        object.add("args", arguments)
        return object.json
    }
}
