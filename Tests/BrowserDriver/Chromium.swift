package import Foundation
import Glibc
import TestSupport

/// Chromium, over the pipe of its remote debugging.
///
/// The popup is driven as a page. Keys and menus of the browser do not exist without a screen, so that the events of
/// the menu and the address bar are dispatched in the extension's worker.
package final class Chromium: Browser {
    private let process: BrowserProcess
    private let channel: MessageChannel
    private let tab: String
    private let base = "chrome-extension://\(BrowserKind.chromium.extensionID)/"

    /// - Parameter options: More options of the command line.
    package init(home: String, environment: [String: String] = [:], options: [String] = []) throws {
        let (toBrowser, fromBrowser) = (try Self.pipe(), try Self.pipe())
        let inherited = [toBrowser.reading, fromBrowser.writing]
        defer { for descriptor in inherited { close(descriptor) } }
        process = try BrowserProcess(
            [
                BrowserKind.chromium.program, "--headless=new", "--no-sandbox", "--disable-gpu",
                "--no-first-run",
                "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
                "--no-default-browser-check", "--user-data-dir=\(home)/profile", "--remote-debugging-pipe",
                "--enable-unsafe-extension-debugging", "--window-size=1200,1000",
            ] + options + ["about:blank"], home: home, environment: environment, descriptors: inherited)
        channel = MessageChannel(
            reading: fromBrowser.reading, writing: toBrowser.writing, .terminated)
        _ = try Self.install(BrowserKind.extensionFolder, channel)
        let targets = try Self.targets(channel)
        tab = try Self.value(targets.first { $0["type"] == "page" }?["targetId"], "tab")
    }

    package func quit() {
        _ = try? channel.call("Browser.close", [:])
        process.end(within: 10)
    }

    package func open(_ url: String) throws {
        let session = try attach(to: tab)
        _ = try channel.call("Page.navigate", ["url": url], more: ["sessionId": session])
        let isLoaded = try eventually {
            try evaluate("document.readyState + location.href", in: session) == "complete" + url
        }
        guard isLoaded else { throw BrowserError("\(url) was not loaded") }
    }

    package func page(_ expression: String) throws -> String { try evaluate(expression, in: attach(to: tab)) }

    package var kind: BrowserKind { .chromium }

    package func install(_ folder: String) throws -> String { try Self.install(folder, channel) }

    private static func install(_ folder: String, _ channel: MessageChannel) throws -> String {
        let answer = try channel.call("Extensions.loadUnpacked", ["path": folder], within: 60)
        return try value(member(answer, "id") as? String, "extension")
    }

    package func clickButton(of id: String) throws -> Date {
        let url = try page("location.href")
        let tabs = try Self.targets(channel).filter { $0["type"] == "tab" && $0["url"] == url }
        let target = try Self.value(tabs.first?["targetId"], "tab of \(url)")
        let time = Date()
        _ = try channel.call("Extensions.triggerAction", ["id": id, "targetId": target])
        return time
    }

    package func popup(_ expression: String) throws -> String {
        try evaluate(expression, inPage: "popup.html")
    }

    package func closePopup() throws {
        try closePage("popup.html")
        guard try eventually({ try find("popup.html") == nil }) else {
            throw BrowserError("The popup is open.")
        }
    }

    package func openPanel() throws {
        _ = try channel.call("Target.createTarget", ["url": base + "panel.html", "background": true])
    }

    package func panel(_ expression: String) throws -> String {
        try evaluate(expression, inPage: "panel.html")
    }

    package func chooseMenuItem(_ item: MenuItem, on selector: String) throws {
        let quoted = literal(selector)
        let element = """
            ((e) => JSON.stringify({ menuItemId: "\(item.rawValue)", frameId: 0, pageUrl: location.href,
                linkUrl: e.href, srcUrl: e.src, selectionText: String(getSelection()) }))(document.querySelector(\(quoted)))
            """
        let information = try page(element)
        _ = try evaluate(
            """
            chrome.tabs.query({}).then((tabs) => {
                const tab = tabs.find((tab) => tab.url === \(information).pageUrl) ?? tabs[0];
                chrome.contextMenus.onClicked.dispatch(\(information), { ...tab, url: \(information).pageUrl,
                    title: \(literal(try page("document.title"))) });
            })
            """, in: worker())
    }

    package func chooseButtonItem(_ item: ButtonItem) throws {
        throw BrowserError("Chromium asks before it grants a permission for \(item).")
    }

    package func buttonText() throws -> String {
        try evaluate(
            "chrome.tabs.query({}).then(([tab]) => chrome.action.getBadgeText({ tabId: tab.id }))",
            in: worker())
    }

    package func endBackground() throws {
        throw BrowserError("The debugging protocol holds the worker.")
    }

    package func suggestions(for words: String) throws -> String {
        try evaluate(
            """
            new Promise((resolve) => chrome.omnibox.onInputChanged.dispatch(\(literal(words)),
                (suggestions) => resolve(suggestions.map((one) => one.content + " " + one.description).join("\\n"))))
            """, in: worker())
    }

    private func worker() throws -> String {
        let target = try Self.targets(channel).first {
            $0["type"] == "service_worker" && $0["url"]?.hasPrefix(base) == true
        }
        return try attach(to: Self.value(target?["targetId"], "worker"))
    }

    /// Returns a PNG of a page of the extension in its own tab, with two pixels per point.
    ///
    /// - Parameters:
    ///   - name: The page, to which the ID of the first tab is added as `tab`.
    ///   - ready: An expression that is true when the page is complete.
    package func picture(of name: String, width: Int, height: Int, isDark: Bool, when ready: String) throws
        -> Data
    {
        let id = try evaluate(
            "chrome.tabs.query({}).then((tabs) => tabs[0].id)", in: worker())
        let url = base + name + "?tab=" + id
        let answer = try channel.call("Target.createTarget", ["url": url])
        let target = try Self.value(member(answer, "targetId") as? String, name)
        let session = try attach(to: target)
        func set(_ method: String, _ parameters: [String: Any]) throws {
            _ = try channel.call("Emulation." + method, parameters, more: ["sessionId": session])
        }
        try set(
            "setEmulatedMedia",
            ["features": [["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]]])
        try set(
            "setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 2, "mobile": false])
        guard eventually(within: 20, { (try? evaluate(ready, in: session)) == "true" }) else {
            throw BrowserError("\(name) is not complete")
        }
        let picture = try channel.call(
            "Page.captureScreenshot", ["format": "png"], more: ["sessionId": session])
        _ = try channel.call("Target.closeTarget", ["targetId": target])
        let data = (try member(picture, "data") as? String).flatMap { Data(base64Encoded: $0) }
        guard let data else { throw BrowserError("\(name) has no picture") }
        return data
    }

    // The debugging protocol

    private func find(_ name: String) throws -> String? {
        try Self.targets(channel).first {
            $0["type"] == "page" && $0["url"]?.hasPrefix(base + name) == true
        }?[
            "targetId"]
    }

    private func closePage(_ name: String) throws {
        guard let target = try find(name) else { return }
        do {
            _ = try channel.call("Target.closeTarget", ["targetId": target])
        } catch {
            // A popup also closes by itself.
            guard try find(name) == nil else { throw error }
        }
    }

    private func evaluate(_ expression: String, inPage name: String) throws -> String {
        try evaluate(expression, in: attach(to: Self.value(try find(name), name)))
    }

    private func attach(to target: String) throws -> String {
        let answer = try channel.call("Target.attachToTarget", ["targetId": target, "flatten": true])
        return try Self.value(member(answer, "sessionId") as? String, "session")
    }

    private func evaluate(_ expression: String, in session: String) throws -> String {
        let answer = try channel.call(
            "Runtime.evaluate",
            [
                "expression": "(async () => String(await (\(expression))))()", "awaitPromise": true,
                "returnByValue": true, "userGesture": true,
            ], more: ["sessionId": session])
        if let details = try member(answer, "exceptionDetails", "exception", "description") {
            throw BrowserError("\(expression): \(details)")
        }
        return try member(answer, "result", "value") as? String ?? ""
    }

    private static func targets(_ channel: MessageChannel) throws -> [[String: String]] {
        let all = try member(
            channel.call("Target.getTargets", ["filter": [[:] as [String: Any]]]), "targetInfos")
        return (all as? [[String: Any]] ?? []).map { $0.compactMapValues { $0 as? String } }
    }

    private static func value(_ value: String?, _ name: String) throws -> String {
        guard let value else { throw BrowserError("Chromium has no \(name)") }
        return value
    }

    /// Creates a pipe with descriptors that other programs do not inherit.
    private static func pipe() throws -> (reading: CInt, writing: CInt) {
        var ends: [CInt] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw BrowserError("no descriptors are left") }
        let high = ends.map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
        for end in ends { Glibc.close(end) }
        return (high[0], high[1])
    }
}
