import BrowserHost
import Foundation
import Glibc
import TestSupport
import Testing

/// The files that connect browsers with the program, below a root folder of the test.
@Suite struct BrowserInstallationTests {
    private let folder: TemporaryFolder
    private var root: String { folder.path(of: "root") }
    private var home: String { folder.path(of: "root/home/user") }
    private var program: String { root + "/usr/bin/clips" }

    init() throws {
        folder = try TemporaryFolder()
        try make("usr/bin/clips", "#!/bin/sh")
        try make("home/user/.profile", "")
        try make("usr/share/clips/browser/manifest.json", "{}")
    }

    private func make(_ path: String, _ text: String) throws {
        let url = URL(fileURLWithPath: root + "/" + path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: url, atomically: true, encoding: .utf8)
        chmod(url.path, path.contains("bin/") ? 0o755 : 0o644)
    }

    private func installation(
        isSystem: Bool = false, home: String? = nil, configurations: String? = nil
    ) -> BrowserInstallation {
        BrowserInstallation(
            InstallationContext(
                program: program, root: root, home: home ?? self.home, configurations: configurations),
            isSystem: isSystem)
    }

    private func object(_ path: String) throws -> [String: Any]? {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        return try JSONSerialization.jsonObject(with: data) as? [String: Any]
    }

    private func files() throws -> Set<String> {
        let names = try FileManager.default.subpathsOfDirectory(atPath: root)
        return Set(
            names.filter {
                (try? FileManager.default.attributesOfItem(atPath: root + "/" + $0))?[.type]
                    as? FileAttributeType != .typeDirectory
            })
    }

    @Test func `each browser that exists gets a file for its user, and no other`() throws {
        try make("home/user/.config/chromium/Local State", "")
        try make("home/user/.mozilla/firefox/profiles.ini", "")
        let before = try files()
        let reports = installation().install()
        #expect(reports.map(\.name) == ["Chromium", "Firefox"] && reports.allSatisfy(\.isWell))
        let chromium = home + "/.config/chromium/NativeMessagingHosts/org.clips.host.json"
        let firefox = home + "/.mozilla/native-messaging-hosts/org.clips.host.json"
        #expect(reports.map(\.file) == [chromium, firefox])
        let manifest = try #require(try object(chromium))
        #expect(manifest["path"] as? String == program && manifest["type"] as? String == "stdio")
        #expect(manifest["name"] as? String == "org.clips.host")
        #expect(
            manifest["allowed_origins"] as? [String] == ["chrome-extension://\(BrowserExtension.chromiumID)/"]
        )
        #expect(try object(firefox)?["allowed_extensions"] as? [String] == ["clips@clips.org"])
        for file in [chromium, firefox] {
            #expect(
                try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o644)
        }
        // The steps name the exact folder.
        #expect(reports.allSatisfy { $0.advice.contains("\(root)/usr/share/clips/browser") }, "\(reports)")
        // Again, nothing changes; removal deletes exactly these.
        #expect(installation().install() == reports)
        #expect(installation().remove().map(\.file) == [chromium, firefox])
        #expect(try files() == before)
        #expect(installation().remove().isEmpty)
    }

    @Test(arguments: [
        ("usr/bin/firefox-esr", "Firefox", ".mozilla/native-messaging-hosts"),
        ("usr/bin/brave-browser", "Brave", ".config/BraveSoftware/Brave-Browser/NativeMessagingHosts"),
        ("home/user/.config/google-chrome/x", "Google Chrome", ".config/google-chrome/NativeMessagingHosts"),
        ("home/user/.config/vivaldi/x", "Vivaldi", ".config/vivaldi/NativeMessagingHosts"),
        (
            "home/user/.config/microsoft-edge/x", "Microsoft Edge",
            ".config/microsoft-edge/NativeMessagingHosts"
        ),
        ("home/user/.librewolf/x", "LibreWolf", ".librewolf/native-messaging-hosts"),
        ("home/user/.config/mozilla/firefox/x", "Firefox", ".mozilla/native-messaging-hosts"),
    ])
    func `browsers are found by their programs and profiles`(file: String, name: String, folder: String)
        throws
    {
        try make(file, "")
        let reports = installation().install()
        #expect(reports.map(\.name) == [name])
        #expect(reports[0].file == "\(home)/\(folder)/org.clips.host.json")
    }

    @Test func `XDG_CONFIG_HOME is the folder of Chromium, as Chromium has it`() throws {
        try make("config/chromium/x", "")
        let reports = installation(configurations: root + "/config").install()
        #expect(reports.map(\.file) == [root + "/config/chromium/NativeMessagingHosts/org.clips.host.json"])
        // A relative path is ignored (XDG Base Directory Specification).
        #expect(installation(configurations: "config").install().isEmpty)
    }

    @Test func `on Debian, a system installation includes the extension`() throws {
        try make("etc/debian_version", "12")
        for name in ["chromium", "firefox-esr", "brave-browser"] { try make("usr/bin/\(name)", "") }
        let before = try files()
        let reports = installation(isSystem: true).install()
        #expect(reports.map(\.name) == ["Chromium", "Brave", "Firefox"])
        #expect(
            reports.map(\.isWell) == [true, false, true] && reports.map(\.hasExtension) == [true, nil, true])
        let links = [
            "usr/share/chromium/extensions/clips",
            "usr/share/mozilla/extensions/{ec8030f7-c20a-464f-9b0e-13a3a9e97384}/clips@clips.org",
        ]
        let manifests = [
            "etc/chromium/native-messaging-hosts/org.clips.host.json",
            "usr/lib/mozilla/native-messaging-hosts/org.clips.host.json",
        ]
        #expect(try files().subtracting(before) == Set(links + manifests))
        for link in links {
            #expect(
                try FileManager.default.destinationOfSymbolicLink(atPath: root + "/" + link)
                    == root + "/usr/share/clips/browser")
        }
        let checked = installation().check()
        #expect(checked.filter { $0.name != "Brave" }.allSatisfy { $0.isWell && $0.hasExtension == true })
        #expect(installation(isSystem: true).install() == reports)
        _ = installation(isSystem: true).remove()
        #expect(try files() == before)
    }

    @Test func `a check reports each kind of problem`() throws {
        try make("home/user/.config/chromium/x", "")
        #expect(installation().check().map(\.found) == ["the host is not installed"])
        let file = try #require(installation().install()[0].file)
        #expect(installation().check()[0].isWell)
        func found(_ changed: (inout [String: Any]) -> Void) throws -> String {
            var manifest = try #require(try object(file))
            changed(&manifest)
            try JSONSerialization.data(withJSONObject: manifest).write(to: URL(fileURLWithPath: file))
            defer { _ = installation().install() }
            let report = installation().check()[0]
            #expect(!report.isWell && !report.advice.isEmpty)
            return report.found
        }
        #expect(
            try found { $0["path"] = "/none/clips" }.hasSuffix("names /none/clips, which cannot be executed"))
        #expect(try found { $0["path"] = "/bin/sh" }.contains("names another program, /bin/sh"))
        #expect(
            try found { $0["allowed_origins"] = ["chrome-extension://x/"] }.contains(
                "does not allow the extension"))
        #expect(try found { $0["name"] = "other" }.contains("is not a file of this program"))
        chmod(program, 0o644)
        #expect(installation().check()[0].found.contains("cannot be executed"))
    }

    @Test func `an installed program next to this one is no problem`() throws {
        try make("usr/bin/chromium", "")
        _ = installation(isSystem: true).install()
        let file = try #require(try files().first { $0.hasPrefix("etc/") && $0.hasSuffix("host.json") })
        var host = try #require(try object("\(root)/\(file)"))
        host["path"] = "/bin/sh"
        try make(file, String(decoding: JSONSerialization.data(withJSONObject: host), as: UTF8.self))
        let report = try #require(installation().check().first)
        #expect(report.isWell && report.found.hasSuffix("for all users, names another program, /bin/sh"))
        host["path"] = "/no/program"
        try make(file, String(decoding: JSONSerialization.data(withJSONObject: host), as: UTF8.self))
        #expect(installation().check().first?.isWell == false)
    }

    @Test func `a file of another program is not deleted`() throws {
        let path = "home/user/.mozilla/native-messaging-hosts/org.clips.host.json"
        try make(path, "{\"name\":\"other\"}")
        try make("home/user/.mozilla/firefox/x", "")
        #expect(installation().remove().isEmpty)
        #expect(FileManager.default.fileExists(atPath: root + "/" + path))
    }

    @Test func `the extension is found in the profiles of the browsers`() throws {
        try make(
            "home/user/.config/chromium/Default/Secure Preferences",
            """
            {"extensions":{"settings":{"\(BrowserExtension.chromiumID)":{"path":"/x"}}}}
            """)
        try make(
            "home/user/.mozilla/firefox/abc.default/extensions.json",
            """
            {"addons":[{"id":"clips@clips.org","active":true}]}
            """)
        #expect(installation().install().map(\.hasExtension) == [true, true])
        try make(
            "home/user/.mozilla/firefox/abc.default/extensions.json",
            """
            {"addons":[{"id":"clips@clips.org","active":false}]}
            """)
        try make("home/user/.config/chromium/Default/Secure Preferences", "{\"extensions\":")
        #expect(installation().check().map(\.hasExtension) == [false, false])
    }

    @Test(arguments: [
        ("snap/firefox/x", "Firefox (Snap)"), (".var/app/org.chromium.Chromium/x", "Chromium (Flatpak)"),
    ])
    func `browsers in a sandbox are explained`(file: String, name: String) throws {
        try make("home/user/" + file, "")
        let report = try #require(installation().install().first)
        #expect(report.name == name && report.file == nil && report.found.contains("sandbox"))
    }

    @Test func `a folder that cannot be written is an error with advice`() throws {
        try make("home/user/.config/chromium/NativeMessagingHosts", "a file")
        let report = installation().install()[0]
        #expect(!report.isWell && report.found.contains("Not a directory") && !report.advice.isEmpty)
    }

    @Test func `the Chromium ID is that of the key in the extension's manifest`() throws {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Assets/browser/manifest.json").path
        // Chromium: the first 16 bytes of the key's SHA-256, as letters from a to p.
        let script = """
            set -o pipefail
            sed -n 's/^ *"key": "\\(.*\\)",$/\\1/p' "$0" | base64 -d | sha256sum | cut -c1-32 | tr 0-9a-f a-p
            """
        let run = try Shell.run("bash", ["-c", script, source])
        #expect(run.output == BrowserExtension.chromiumID + "\n", "\(run)")
        let manifest = try String(contentsOfFile: source, encoding: .utf8)
        #expect(manifest.contains("\"\(BrowserExtension.firefoxID)\""))
    }
}

/// `clips browser` as a command.
@Suite struct BrowserCommandTests {
    private let clips: ClipsProgram

    init() throws { clips = try ClipsProgram() }

    @Test func `install, status, doctor, and remove work together`() throws {
        let profile = clips.folder.path(of: "config/vivaldi")
        try FileManager.default.createDirectory(atPath: profile, withIntermediateDirectories: true)
        let installed = try clips.run("browser", "install")
        #expect(
            installed.output.contains(
                "Vivaldi: installed \(profile)/NativeMessagingHosts/org.clips.host.json."))
        #expect(installed.errors.contains("which the next build replaces"), "\(installed)")
        let status = try clips.run("browser", "status", "--json")
        #expect(status.output.contains("\"browser\":\"Vivaldi\"") && status.output.contains("\"well\":true"))
        try clips.run("add", "--title", "a")
        #expect(try clips.run("doctor").status == 0)
        let file = profile + "/NativeMessagingHosts/org.clips.host.json"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try text.replacing(ClipsProgram.path, with: "/none").write(
            toFile: file, atomically: true, encoding: .utf8)
        let doctor = try clips.run("doctor")
        #expect(doctor.status == 1 && doctor.output.contains("browser      Vivaldi: "), "\(doctor)")
        #expect(try clips.run("browser", "remove").output.contains("Vivaldi: removed \(file)."))
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func `an unknown operand is a usage error`() throws {
        for arguments in [["browser"], ["browser", "upgrade"]] {
            let run = try Shell.run(ClipsProgram.path, arguments, environment: clips.environment)
            #expect(run.status == 2, "\(run)")
        }
    }
}
