/// A browser that can start the native host.
struct Browser: Sendable {
    enum Engine: Sendable { case chromium, firefox }

    let name: String
    let engine: Engine
    /// The names of its program.
    let programs: [String]
    /// The folders that exist once the user has started it; `~` is the home folder, `@` that of configurations.
    let profiles: [String]
    /// The folder of the user's host manifests.
    let hosts: String
    /// The folder of the machine's host manifests; nil if there is none.
    let systemHosts: String?
    /// On Debian, the path of an extension that all users have; nil if there is none.
    var systemExtension: String?
    /// Its folders if it runs in a sandbox, by the kind of the sandbox.
    let sandboxes: [(kind: String, folder: String)]

    /// The folder of Firefox's extensions for all users, by the ID of the application.
    private static let firefoxExtensions =
        "/usr/share/mozilla/extensions/{ec8030f7-c20a-464f-9b0e-13a3a9e97384}/"

    static let all = [
        Browser(
            name: "Chromium", engine: .chromium, programs: ["chromium", "chromium-browser"],
            profiles: ["@/chromium"], hosts: "@/chromium/NativeMessagingHosts",
            systemHosts: "/etc/chromium/native-messaging-hosts",
            systemExtension: "/usr/share/chromium/extensions/clips",
            sandboxes: [
                ("Snap", "~/snap/chromium"), ("Flatpak", "~/.var/app/org.chromium.Chromium"),
            ]),
        Browser(
            name: "Google Chrome", engine: .chromium, programs: ["google-chrome", "google-chrome-stable"],
            profiles: ["@/google-chrome"], hosts: "@/google-chrome/NativeMessagingHosts",
            systemHosts: "/etc/opt/chrome/native-messaging-hosts",
            sandboxes: [("Flatpak", "~/.var/app/com.google.Chrome")]),
        Browser(
            name: "Brave", engine: .chromium, programs: ["brave-browser", "brave"],
            profiles: ["@/BraveSoftware/Brave-Browser"],
            hosts: "@/BraveSoftware/Brave-Browser/NativeMessagingHosts", systemHosts: nil,
            sandboxes: [("Snap", "~/snap/brave"), ("Flatpak", "~/.var/app/com.brave.Browser")]),
        Browser(
            name: "Vivaldi", engine: .chromium, programs: ["vivaldi", "vivaldi-stable"],
            profiles: ["@/vivaldi"], hosts: "@/vivaldi/NativeMessagingHosts", systemHosts: nil,
            sandboxes: [("Snap", "~/snap/vivaldi"), ("Flatpak", "~/.var/app/com.vivaldi.Vivaldi")]),
        Browser(
            name: "Microsoft Edge", engine: .chromium, programs: ["microsoft-edge", "microsoft-edge-stable"],
            profiles: ["@/microsoft-edge"], hosts: "@/microsoft-edge/NativeMessagingHosts",
            systemHosts: "/etc/opt/edge/native-messaging-hosts",
            sandboxes: [("Flatpak", "~/.var/app/com.microsoft.Edge")]),
        // New profiles are in @/mozilla since version 147, but host manifests are not.
        Browser(
            name: "Firefox", engine: .firefox, programs: ["firefox", "firefox-esr"],
            profiles: ["~/.mozilla/firefox", "@/mozilla/firefox"], hosts: "~/.mozilla/native-messaging-hosts",
            systemHosts: "/usr/lib/mozilla/native-messaging-hosts",
            systemExtension: firefoxExtensions + BrowserExtension.firefoxID,
            sandboxes: [("Snap", "~/snap/firefox"), ("Flatpak", "~/.var/app/org.mozilla.firefox")]),
        Browser(
            name: "LibreWolf", engine: .firefox, programs: ["librewolf"], profiles: ["~/.librewolf"],
            hosts: "~/.librewolf/native-messaging-hosts", systemHosts: nil,
            sandboxes: [("Flatpak", "~/.var/app/io.gitlab.librewolf-community")]),
    ]

    /// The page on which the browser loads an extension from a folder.
    var loadingSteps: String {
        switch engine {
        case .chromium:
            "Open chrome://extensions, turn on 'Developer mode', choose 'Load unpacked', and select the folder"
        case .firefox:
            "Open about:debugging, choose 'This Firefox' and 'Load Temporary Add-on', until the next restart, and select manifest.json in the folder"
        }
    }
}
