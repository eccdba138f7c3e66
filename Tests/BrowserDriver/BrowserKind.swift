import Foundation

/// The two browsers, as Debian packages them.
package enum BrowserKind: String, CaseIterable, Sendable, CustomStringConvertible {
    case chromium, firefox

    package var description: String { rawValue }
    package var program: String { self == .chromium ? "chromium" : "firefox-esr" }

    package var isInstalled: Bool {
        let folders = ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":")
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }

    /// The extension's folder, relative to this file.
    package static let extensionFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Assets/browser").path

    /// The extension's ID; Chromium's follows from the key in the manifest.
    package var extensionID: String {
        self == .chromium ? "ojgnjidhnielonpdmepdmlikfmjbkfjp" : "clips@clips.org"
    }

    /// Starts the browser with the extension.
    ///
    /// - Parameters:
    ///   - home: The folder with the profile and everything else that the browser writes.
    ///   - environment: Variables of the browser, and of the host that it starts.
    package func start(home: String, environment: [String: String] = [:]) throws -> any Browser {
        switch self {
        case .chromium: try Chromium(home: home, environment: environment)
        case .firefox: try Firefox(home: home, environment: environment)
        }
    }

    /// The folder of host manifests in a home folder.
    package func hostFolder(home: String) -> String {
        home + (self == .chromium ? "/profile/NativeMessagingHosts" : "/.mozilla/native-messaging-hosts")
    }

    /// Writes the manifest of a host.
    ///
    /// - Parameters:
    ///   - name: The name of the host.
    ///   - id: The extension that may start it; nil for that of this project.
    package func installHost(
        _ program: String, home: String, name: String = "org.clips.host", for id: String? = nil
    ) throws {
        let id = id ?? extensionID
        let caller =
            self == .chromium
            ? ["allowed_origins": ["chrome-extension://\(id)/"]] : ["allowed_extensions": [id]]
        let manifest: [String: Any] = [
            "name": name, "description": "Clips", "path": program, "type": "stdio",
        ]
        let folder = hostFolder(home: home)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try JSONSerialization.data(withJSONObject: manifest.merging(caller) { $1 })
            .write(to: URL(fileURLWithPath: folder + "/\(name).json"))
    }

    package func removeHost(home: String) throws {
        try FileManager.default.removeItem(atPath: hostFolder(home: home) + "/org.clips.host.json")
    }
}
