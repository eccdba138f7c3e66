import BrowserDriver
import Foundation
import Synchronization
import TestSupport

/// Creates pictures of the extension, and measures it, with the store of `CLIPS_STORE`:
///
///     BrowserTool pictures CLIPS FOLDER
///     BrowserTool figures CLIPS
func run(_ arguments: [String]) throws {
    guard arguments.count >= 2 else {
        throw BrowserError("usage: BrowserTool pictures|figures CLIPS [FOLDER]")
    }
    if arguments[0] == "pictures", arguments.count == 3 {
        try makePictures(program: arguments[1], folder: arguments[2])
    } else {
        for kind in BrowserKind.allCases where kind.isInstalled { try measure(kind, program: arguments[1]) }
    }
}

/// Saves a page, and writes the popup and the panel as PNGs, light and dark.
func makePictures(program: String, folder: String) throws {
    let (home, site) = (try TemporaryFolder(), try TestSite())
    try BrowserKind.chromium.installHost(program, home: home.path)
    let options = ["--host-resolver-rules=MAP * 127.0.0.1:\(site.port)", "--hide-scrollbars"]
    let browser = try Chromium(home: home.path, options: options)
    defer { browser.quit() }
    try browser.open("http://www.sqlite.org/whentouse.html")
    _ = try browser.page("document.title = 'Appropriate uses for SQLite'")
    try browser.clickButton()
    _ = eventually { (try? browser.popup("document.body.dataset.state")) == "saved" }
    // The click permits the popup in a tab of its own, which can have any size, to save the page again.
    _ = try browser.popup("document.getElementById('undo').click()")
    _ = eventually { (try? browser.popup("document.body.dataset.state")) == "deleted" }
    try browser.closePopup()
    for isDark in [false, true] {
        let name = isDark ? "dark" : "light"
        try browser.picture(
            of: "popup.html", width: 360, height: 264, isDark: isDark,
            when: "['saved', 'known'].includes(document.body.dataset.state)"
        ).write(to: URL(fileURLWithPath: "\(folder)/popup-\(name).png"))
        try browser.picture(
            of: "panel.html", width: 330, height: 520, isDark: isDark,
            when: "document.querySelectorAll('#list .clip').length > 5"
        ).write(to: URL(fileURLWithPath: "\(folder)/panel-\(name).png"))
    }
}

/// Measures clicks on the button: until the popup shows that the clip is saved, and until another process has read
/// the commit. Before each, a click on the button of an extension that only starts its host.
func measure(_ kind: BrowserKind, program: String) throws {
    let (home, site) = (try TemporaryFolder(), try TestSite())
    try kind.installHost(program, home: home.path)
    let browser = try kind.start(home: home.path)
    defer { browser.quit() }
    let follower = try LineProcess(program, ["history", "--follow", "--json"])
    let arrivals = Mutex<[Date]>([])
    Thread.detachNewThread {
        while (try? follower.answer(within: 3600)) != nil { arrivals.withLock { $0.append(Date()) } }
    }
    // The history before the first click.
    var known = -1
    _ = eventually(within: 20) {
        let count = arrivals.withLock { $0.count }
        defer { known = count }
        return count == known && count > 0
    }
    let other = try BareExtension(in: browser, home: home.path)
    try browser.open(site.page())
    try other.start(in: browser)
    var (saved, read, bare): ([Double], [Double], [Double]) = ([], [], [])
    for click in 0..<45 {
        try browser.open(site.page())
        let own = try other.click(in: browser)
        try browser.open(site.page())
        let before = arrivals.withLock { $0.count }
        let start = try browser.clickButton(of: kind.extensionID)
        guard eventually(within: 20, { (try? browser.popup("document.body.dataset.state")) == "saved" })
        else {
            let shown = (try? browser.popup("document.body.innerText")) ?? "nothing"
            throw BrowserError("The page was not saved; the popup shows \(shown)")
        }
        let isSaved = Date()
        guard eventually(within: 20, { arrivals.withLock { $0.count > before } }) else {
            throw BrowserError("The commit was not read.")
        }
        try browser.closePopup()
        // The first clicks start the background and the host.
        guard click >= 5 else { continue }
        saved.append(isSaved.timeIntervalSince(start) * 1000)
        read.append(arrivals.withLock { $0[before].timeIntervalSince(start) * 1000 })
        bare.append(own)
    }
    print("\(kind), bare click to the start of a host: \(summary(bare))")
    print("\(kind), click to popup: \(summary(saved))")
    print("\(kind), click to another process: \(summary(read))")
    let ratios = [0.5, 0.95].map { String(format: "%.2fx", part($0, of: read) / part($0, of: bare)) }
    print(
        "\(kind), click to another process, compared with the bare click: median \(ratios[0]), p95 \(ratios[1])"
    )
}

func part(_ share: Double, of values: [Double]) -> Double {
    values.sorted()[Int(Double(values.count - 1) * share)]
}

func summary(_ values: [Double]) -> String {
    func milliseconds(_ share: Double) -> String { String(format: "%.1f ms", part(share, of: values)) }
    return "median \(milliseconds(0.5)), p95 \(milliseconds(0.95)), n = \(values.count)"
}

do {
    try run(Array(CommandLine.arguments.dropFirst()))
} catch {
    FileHandle.standardError.write(Data("BrowserTool: \(error)\n".utf8))
    exit(2)
}
