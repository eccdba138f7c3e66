import Platform

extension Invocation {
    /// The user unit of systemd; that of another store has its name.
    private func unit() throws -> (path: String, name: String) {
        guard let home = Environment.variable("HOME") else {
            throw Sentence("HOME is not set. Set it, then try again.")
        }
        let folder = (Environment.variable("XDG_CONFIG_HOME") ?? home + "/.config") + "/systemd/user"
        let isDefault = value("--store") == nil && value("--group") == nil
        let suffix =
            try isDefault
            ? "" : "-" + storePath().map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
        let name = "clips-mirror\(suffix).service"
        return (folder + "/" + name, name)
    }

    /// Installs and starts a systemd user unit.
    func enable() throws -> Int32 {
        let store = FilePath.resolved(try storePath())
        _ = try MirrorSettings(store: store)
        let (path, name) = try unit()
        let program = FilePath.resolved("/proc/self/exe")
        let text = """
            [Unit]
            Description=Mirror of clips between machines
            After=network.target

            [Service]
            ExecStart="\(Self.escaped(program))" run --quiet --store "\(Self.escaped(store))"
            Restart=on-failure
            RestartSec=30

            [Install]
            WantedBy=default.target

            """
        do { try Folder.make(FilePath.folder(of: path), mode: 0o755) } catch {
            throw Sentence("Cannot create \(FilePath.folder(of: path)): \(error).")
        }
        guard TextFile.write(text, to: path) else {
            throw Sentence("Cannot write \(path). Check its permissions.")
        }
        guard Self.systemctl("daemon-reload"), Self.systemctl("enable", "--now", name) else {
            throw Sentence(
                "systemd did not start \(name). Run 'systemctl --user enable --now \(name)' in a login session."
            )
        }
        remark("started \(name), which also starts at each login.")
        return 0
    }

    func removeUnit() {
        guard let (path, name) = try? unit(), FilePath.exists(path) else { return }
        _ = Self.systemctl("disable", "--now", name)
        try? FilePath.remove(path)
    }

    private static func escaped(_ path: String) -> String {
        path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("%", with: "%%")
    }

    private static func systemctl(_ words: String...) -> Bool {
        ChildProcess.status(of: ChildProcess.start(["systemctl", "--user"] + words)) == 0
    }
}
