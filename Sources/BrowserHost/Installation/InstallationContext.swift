import Platform

/// The folders in which browsers are searched and hosts are installed.
package struct InstallationContext: Sendable {
    /// The folder in front of the machine's paths; empty except in tests.
    var root: String
    /// The user's home folder; nil without HOME.
    var home: String?
    var configurations: String?
    /// The program that browsers start.
    package let program: String

    /// - Parameter program: The path of this program, which is resolved.
    package init(
        program: String = "/proc/self/exe", root: String = "",
        home: String? = Environment.variable("HOME"),
        configurations: String? = Environment.variable("XDG_CONFIG_HOME")
    ) {
        self.program = FilePath.resolved(program)
        self.root = root
        self.home = home.flatMap { $0.hasPrefix("/") ? $0 : nil }
        let named = configurations.flatMap { $0.hasPrefix("/") ? $0 : nil }
        self.configurations = named ?? self.home.map { $0 + "/.config" }
    }

    /// The path of a folder of a ``Browser``; nil without a home folder.
    package func path(_ folder: String) -> String? {
        switch folder.first {
        case "~": home.map { $0 + folder.dropFirst() }
        case "@": configurations.map { $0 + folder.dropFirst() }
        default: root + folder
        }
    }

    package func exists(_ folder: String) -> Bool { path(folder).map(FilePath.exists) ?? false }

    func hasProgram(_ names: [String]) -> Bool {
        names.contains { name in
            ["/usr/bin/", "/usr/local/bin/", "/opt/bin/"].contains { FilePath.exists(root + $0 + name) }
        }
    }

    var isDebian: Bool { FilePath.exists(root + "/etc/debian_version") }

    /// Whether the system reported the path of the program.
    package var isProgramKnown: Bool { !program.hasPrefix("/proc/") }

    /// Whether the program is one that the next build replaces.
    package var isBuild: Bool { program.contains("/.build/") }

    /// The folder of the extension: installed with the program, or in the sources of a build.
    var extensionFolder: String? {
        let folder = FilePath.folder(of: program)
        var candidates = [FilePath.folder(of: folder) + "/share/clips/browser"]
        var parent = folder
        while parent != "/" && parent != "." {
            parent = FilePath.folder(of: parent)
            candidates.append(parent + "/Assets/browser")
        }
        return candidates.first { FilePath.exists($0 + "/manifest.json") }
    }
}
