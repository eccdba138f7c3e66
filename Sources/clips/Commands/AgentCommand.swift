import AgentHost
import BrowserHost
import ClipsCore
import ClipsExchange
import ClipsTerminal
import Platform
import Terminal

extension Command {
    static let mcp = Command(
        name: "mcp",
        summary: "Serve clips to agents with the Model Context Protocol, on standard input and output",
        details: """
            Without ACTION, serves one client. install adds this program to the settings of each client that exists \
            (Claude Code, Claude Desktop, Cursor, VS Code, Zed, Windsurf, Gemini CLI), and leaves a copy of a changed \
            file in FILE.clips-backup. status checks the settings. remove deletes only what install added.
            Changes have the author mcp, and the client's name: 'clips undo --author mcp:CLIENT --since 1h'.
            Exit status: 0 all is well; 1 a problem remains, or there is no client.
            """,
        operands: "[install|status|remove]", actions: installingActions,
        options: [Option("--read-only", "offer no tool that changes clips")],
        example: "clips mcp install --read-only"
    ) { invocation in
        let operands = invocation.arguments.operands
        guard let action = operands.first else { return try await invocation.serveAgent() }
        guard operands.count == 1 else { throw UsageError("Unexpected operand '\(operands[1])'.") }
        return try invocation.installAgents(action)
    }
}

extension Invocation {
    private var isReadOnly: Bool { arguments.has("--read-only") }

    fileprivate func serveAgent() async throws -> ExitStatus {
        let config = ConfigFile.read()
        let pages = PageFetch(config, limit: WebPage.maxBytes)
        let host = AgentHost(
            program: clipsVersion, storePath: try storePath(), isReadOnly: isReadOnly,
            // No user can be asked.
            duplicates: config[.duplicates] == "keep" ? .keepBoth : .merge, options: storeOptions
        ) { draft in
            pages.fill(&draft) { DescriptorIO.hasHungUp(0) }.map { "\($0)" }
        }
        return await host?.run() == 0 ? .done : .failed
    }

    fileprivate func installAgents(_ action: String) throws -> ExitStatus {
        let context = InstallationContext()
        var words = ["mcp"]
        if isReadOnly { words.append("--read-only") }
        for name in ["--store", "--group"] {
            if let value = arguments.value(name) {
                words += [name, name == "--store" ? FilePath.resolved(value) : value]
            }
        }
        let installation = AgentInstallation(context, arguments: words)
        return try perform(
            action, for: "client", context, install: installation.install, check: installation.check,
            remove: installation.remove)
    }

    /// Runs an action of an installation, and writes a line for each program, or that there is none.
    func perform(
        _ action: String, for program: String, _ context: InstallationContext,
        install: () -> [InstallationReport], check: () -> [InstallationReport],
        remove: () -> [InstallationReport]
    ) throws -> ExitStatus {
        let reports: [InstallationReport]
        switch action {
        case "install":
            guard context.isProgramKnown else {
                return fail("Cannot find the path of the program without /proc. Mount /proc, then try again.")
            }
            if context.isBuild {
                remark(
                    "\(program)s will start \(context.program), which the next build replaces; install the program first to avoid that."
                )
            }
            reports = install()
        case "status": reports = check()
        case "remove": reports = remove()
        case let word: throw Command.unknownAction(word, Command.installingActions)
        }
        if reports.isEmpty {
            remark(action == "remove" ? "there was nothing to remove." : "found no \(program).")
        }
        for report in reports {
            var json: JSONObject = [
                "advice": report.advice.isEmpty ? nil : report.advice, program: report.name,
            ]
            if program == "browser" { json.add("extension", report.hasExtension) }
            json.add("file", report.file)
            json.add("found", report.found)
            json.add("well", report.isWell)
            line(SafeText.line(report.sentence), json: json)
        }
        let isDone = action == "remove" || reports.contains { $0.file != nil }
        return isDone && reports.allSatisfy(\.isWell) ? .done : .failed
    }
}
