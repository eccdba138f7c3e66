import Foundation
import Glibc
import TestSupport

/// Firefox, over the socket of Marionette: its menus, address bar, and sidebar work without a screen.
final class Firefox: Browser {
    private let process: BrowserProcess
    private let channel: MessageChannel
    private static let id = BrowserKind.firefox.extensionID

    init(home: String, environment: [String: String]) throws {
        let profile = home + "/profile"
        try FileManager.default.createDirectory(atPath: profile, withIntermediateDirectories: true)
        let port = try Self.unusedPort()
        try Self.preferences(port).write(toFile: profile + "/user.js", atomically: true, encoding: .utf8)
        process = try BrowserProcess(
            [
                BrowserKind.firefox.program, "--headless", "--marionette", "--remote-allow-system-access",
                "--no-remote", "--profile", profile,
            ], home: home, environment: environment)
        channel = try Self.connect(port)
        try channel.greeting()
        let capabilities = ["alwaysMatch": ["unhandledPromptBehavior": "ignore"]]
        _ = try channel.call("WebDriver:NewSession", ["capabilities": capabilities], within: 60)
        _ = try install(BrowserKind.extensionFolder)
    }

    var kind: BrowserKind { .firefox }

    func install(_ folder: String) throws -> String {
        let answer = try channel.call("Addon:Install", ["path": folder, "temporary": true], within: 60)
        guard let id = try member(answer, "value") as? String else {
            throw BrowserError("Firefox did not install \(folder)")
        }
        return id
    }

    func quit() {
        _ = try? channel.call("Marionette:Quit", ["flags": ["eForceQuit"]])
        process.end(within: 15)
    }

    func open(_ url: String) throws {
        try select("content")
        _ = try channel.call("WebDriver:Navigate", ["url": url])
    }

    func page(_ expression: String) throws -> String {
        try script("content", Self.asynchronous("String(await (\(expression)))"))
    }

    func clickButton(of id: String) throws -> Date {
        let time = try chrome(
            """
            ((extension, time) => (extension.apiManager.global.browserActionFor(extension).triggerAction(window), time))(
                WebExtensionPolicy.getByID("\(id)").extension, performance.timeOrigin + performance.now())
            """)
        guard let milliseconds = Double(time) else { throw BrowserError("Firefox has no time: \(time)") }
        return Date(timeIntervalSince1970: milliseconds / 1000)
    }

    func popup(_ expression: String) throws -> String { try evaluate(expression, in: Self.popup) }

    func closePopup() throws {
        let close = "(\(Self.popup)?.closest('panel')?.hidePopup(), \(Self.popup) === null)"
        guard try eventually({ try chrome(close) == "true" }) else {
            throw BrowserError("The popup is open.")
        }
    }

    func openPanel() throws { _ = try chrome("SidebarController.show('clips_clips_org-sidebar-action')") }

    func panel(_ expression: String) throws -> String {
        try evaluate(
            expression, in: "document.querySelector('#sidebar').contentDocument.querySelector('browser')")
    }

    func chooseMenuItem(_ item: MenuItem, on selector: String) throws {
        let box = "document.querySelector(\(literal(selector))).getBoundingClientRect()"
        let position = try page(
            "[\(box)].map((r) => [r.x + r.width / 2, r.y + r.height / 2].map(Math.round))"
        )
        .split(separator: ",").compactMap { Int($0) }
        guard position.count == 2 else { throw BrowserError("\(selector) has no position") }
        let actions: [[String: Any]] = [
            ["type": "pointerMove", "x": position[0], "y": position[1], "origin": "viewport"],
            ["type": "pointerDown", "button": 2], ["type": "pointerUp", "button": 2],
        ]
        let mouse: [String: Any] = [
            "type": "pointer", "id": "mouse", "parameters": ["pointerType": "mouse"], "actions": actions,
        ]
        let menu = "document.getElementById('contentAreaContextMenu')"
        let entry = "\(menu).querySelector('[id$=-_\(item.rawValue)]')"
        // The menu of the last choice closes first.
        guard try eventually({ try chrome("\(menu).state") == "closed" }) else {
            throw BrowserError("an open menu")
        }
        try select("content")
        _ = try channel.call("WebDriver:PerformActions", ["actions": [mouse]])
        guard try eventually({ try chrome("\(menu).state === 'open' && \(entry) !== null") == "true" }) else {
            throw BrowserError("no menu for \(selector)")
        }
        // Two items are in a menu of their own, which is not open.
        _ = try chrome("(\(entry).doCommand(), \(menu).hidePopup())")
        _ = try eventually { try chrome("\(menu).state") == "closed" }
    }

    /// Dispatches the event of an item; the browser builds the menu only on a screen.
    func chooseButtonItem(_ item: ButtonItem) throws {
        let (id, isChecked) =
            switch item {
            case .tabs: ("tabs", false)
            case .marking(let isOn): ("marking", isOn)
            case .texts(let isOn): ("texts", isOn)
            }
        _ = try chrome(
            """
            \(Self.policy).extension.emit("webext-menu-menuitem-click",
                { menuItemId: "\(id)", modifiers: [], editable: false, checked: \(isChecked) }, gBrowser.selectedTab)
            """)
    }

    func buttonText() throws -> String {
        try chrome(
            """
            ((extension) => extension.apiManager.global.browserActionFor(extension)
                .action.getContextData(gBrowser.selectedTab).badgeText ?? "")(\(Self.policy).extension)
            """)
    }

    func endBackground() throws {
        let always = "{ ignoreDevToolsAttached: true, disableResetIdleForTest: true }"
        _ = try chrome("\(Self.policy).extension.terminateBackground(\(always))")
    }

    private static let policy = "WebExtensionPolicy.getByID('\(id)')"

    func suggestions(for words: String) throws -> String {
        _ = try chrome(
            """
            (gURLBar.focus(), gURLBar.value = "cl \(words)",
                gURLBar.startQuery({ searchString: "cl \(words)", allowAutofill: false }))
            """)
        let shown =
            "(gURLBar.view.visibleResults ?? []).map((one) => one.payload.content ?? one.payload.title ?? '').join('\\n')"
        _ = try eventually(within: 10) { try chrome(shown).contains("://") }
        defer { _ = try? chrome("(gURLBar.handleRevert(), gURLBar.blur())") }
        return try chrome(shown)
    }

    // Marionette

    private static let popup = "document.querySelector('.webextension-popup-browser')"

    /// Evaluates an expression in a page of the extension, which only a script of its frame reaches.
    private func evaluate(_ expression: String, in browser: String) throws -> String {
        let name = "Clips:" + UUID().uuidString
        let frame = """
            (async (window, document) => String(await (\(expression))))(content, content.document)
                .catch((error) => "ERROR " + error).then((result) => sendAsyncMessage("\(name)", result))
            """
        let result = try chrome(
            """
            new Promise((resolve, reject) => {
                const manager = \(browser)?.messageManager;
                if (!manager) return reject("no page");
                // A frame that is being replaced does not answer.
                setTimeout(() => reject("no answer"), 1000);
                manager.addMessageListener("\(name)", function listener({ data }) {
                    manager.removeMessageListener("\(name)", listener);
                    resolve(data);
                });
                const code = encodeURIComponent(\(literal(frame)));
                manager.loadFrameScript("data:application/javascript;charset=utf-8," + code, false);
            })
            """)
        if result.hasPrefix("ERROR ") { throw BrowserError("\(expression): \(result)") }
        return result
    }

    /// Evaluates an expression in the browser's own window.
    private func chrome(_ expression: String) throws -> String {
        try script("chrome", Self.asynchronous("String(await (\(expression)))"))
    }

    private func script(_ context: String, _ script: String) throws -> String {
        try select(context)
        let answer = try channel.call(
            "WebDriver:ExecuteAsyncScript", ["script": script, "args": [] as [String]])
        let value = try member(answer, "value") as? String ?? ""
        if value.hasPrefix("REJECTED ") { throw BrowserError("\(script): \(value)") }
        return value
    }

    /// Selects the page or the browser's own window for the next commands.
    private func select(_ context: String) throws {
        _ = try channel.call("Marionette:SetContext", ["value": context])
    }

    private static func asynchronous(_ expression: String) -> String {
        "const [done] = arguments; (async () => \(expression))().then(done, (error) => done('REJECTED ' + error))"
    }

    private static func preferences(_ port: UInt16) -> String {
        let preferences = [
            "marionette.port": "\(port)", "browser.shell.checkDefaultBrowser": "false",
            "datareporting.policy.dataSubmissionEnabled": "false", "browser.startup.page": "0",
            "toolkit.telemetry.reportingpolicy.firstRun": "false", "app.update.enabled": "false",
            "extensions.update.enabled": "false", "browser.aboutwelcome.enabled": "false",
            "network.captive-portal-service.enabled": "false", "app.normandy.enabled": "false",
            "network.connectivity-service.enabled": "false", "services.settings.server": "\"data:,\"",
            "browser.region.network.url": "\"\"", "extensions.webextOptionalPermissionPrompts": "false",
        ]
        return preferences.map { "user_pref(\"\($0.key)\", \($0.value));\n" }.joined()
    }

    private static func connect(_ port: UInt16) throws -> MessageChannel {
        var connected: CInt = -1
        let isReady = eventually {
            connected = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            if withAddress(port, { Glibc.connect(connected, $0, $1) }) == 0 { return true }
            close(connected)
            return false
        }
        guard isReady else { throw BrowserError("Firefox does not listen on port \(port)") }
        return MessageChannel(reading: connected, writing: connected, .prefixed)
    }

    private static func unusedPort() throws -> UInt16 {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(listener) }
        guard withAddress(0, { bind(listener, $0, $1) }) == 0 else { throw BrowserError("no port is left") }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &length) }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Calls `body` with the address of a port on this machine.
    private static func withAddress(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt)
        -> CInt
    {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
