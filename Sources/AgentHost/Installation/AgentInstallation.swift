package import BrowserHost
import ClipsCore
import Platform

/// The server in the settings of the user's clients.
package struct AgentInstallation: Sendable {
    private let context: InstallationContext
    private let arguments: [String]

    /// - Parameter arguments: Those with which a client starts the program.
    package init(_ context: InstallationContext, arguments: [String] = ["mcp"]) {
        (self.context, self.arguments) = (context, arguments)
    }

    /// Adds the server to the settings of each client that exists.
    package func install() -> [InstallationReport] {
        present().map { client, file in
            change(client, file, done: "added to \(file)") { text in
                text.set(
                    AgentClient.entry, of: client.key,
                    to: client.json(program: context.program, arguments: arguments))
            }
        }
    }

    /// Checks what ``install()`` writes.
    package func check() -> [InstallationReport] {
        present().map { client, file in
            var report = InstallationReport(name: client.name, file: file, found: "the server is in \(file)")
            guard let text = TextFile.read(file) else { return missing(report) }
            guard let settings = SettingsText(text) else { return unreadable(report, file) }
            guard let entry = settings.value[client.key]?[AgentClient.entry] else { return missing(report) }
            let named = entry["command"]?.string ?? ""
            guard FilePath.isExecutable(named), FilePath.resolved(named) == context.program else {
                report.isWell = false
                report.found = "\(file) names another program, \(named)"
                report.advice = "Run 'clips mcp install'."
                return report
            }
            return report
        }
    }

    /// Removes what ``install()`` added.
    package func remove() -> [InstallationReport] {
        present().compactMap { client, file in
            guard let text = TextFile.read(file), let settings = SettingsText(text),
                settings.value[client.key]?[AgentClient.entry] != nil
            else { return nil }
            return change(client, file, done: "removed from \(file)") { text in
                text.remove(AgentClient.entry, of: client.key)
            }
        }
    }

    private func present() -> [(AgentClient, file: String)] {
        AgentClient.all.compactMap { client in
            guard context.exists(client.trace), let file = context.path(client.file) else { return nil }
            return (client, file)
        }
    }

    private func missing(_ report: InstallationReport) -> InstallationReport {
        var report = report
        (report.isWell, report.isInstalled) = (false, false)
        (report.found, report.advice) = ("the server is not installed", "Run 'clips mcp install'.")
        return report
    }

    private func unreadable(_ report: InstallationReport, _ file: String) -> InstallationReport {
        var report = missing(report)
        report.found = "\(file) is not plain JSON, and was not changed"
        report.advice =
            "Add a server '\(AgentClient.entry)' with the command \(context.program) and the argument mcp by hand."
        return report
    }

    /// Changes a file in one step, after a copy of it. Nothing is written if the result lacks any other value.
    private func change(
        _ client: AgentClient, _ file: String, done: String, _ edit: (inout SettingsText) -> Void
    ) -> InstallationReport {
        var report = InstallationReport(name: client.name, file: file, found: done)
        let old = TextFile.read(file)
        let isEmpty = old?.allSatisfy(\.isWhitespace) ?? true
        guard var text = SettingsText(isEmpty ? "{}\n" : old ?? ""),
            text.value[client.key] == nil || text.value[client.key]?.isObject == true
        else { return unreadable(report, file) }
        edit(&text)
        guard SettingsText(String(decoding: text.bytes, as: UTF8.self)) != nil else {
            return unreadable(report, file)
        }
        do throws(Errno) {
            if let old {
                guard Array(old.utf8) != text.bytes else { return report }
                try Self.write(Array(old.utf8), to: file + ".clips-backup")
            }
            try Self.write(text.bytes, to: file)
        } catch {
            report.isWell = false
            report.found = "cannot write \(file): \(error)"
            report.advice = "Check the permissions of the file and its folder."
        }
        return report
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(Errno) {
        let file = try ReplacementFile(output: path)
        try DescriptorIO.write(bytes, to: file.descriptor)
        try file.commit()
    }
}
