import BrowserDriver
import Foundation
import Glibc
import TestSupport
import Testing

/// The connection: without a host, with one that is killed, and with several writers.
extension WithBrowsers.ConnectionTests {
    @Test(arguments: BrowserKind.allCases)
    func `without a host, a clip waits, and is saved once when the host returns`(kind: BrowserKind) throws {
        let (session, browser) = try BrowserSession.browser(kind)
        let url = session.site.page()
        try browser.open(url)
        try browser.showPanel()
        try kind.removeHost(home: session.home(of: kind))
        session.hosts(of: kind).forEach { kill($0, SIGKILL) }
        #expect(
            browser.panelShows("clips browser install", in: "document.getElementById('missing').innerText"))
        #expect(browser.panelShows("Copy", in: "document.querySelector('#missing button').textContent"))

        try browser.save(expecting: "waiting")
        #expect(try browser.popup("document.getElementById('missing').innerText").contains("1 clip waits"))
        try browser.type("Typed without a host", into: "note")
        try browser.submit()
        #expect(browser.panelShows("A page", in: "document.getElementById('waiting').innerText"))
        #expect(try session.clips("id", at: url) == "")

        try kind.installHost(ClipsProgram.path, home: session.home(of: kind))
        #expect(try session.waits(for: "A page|Typed without a host", of: "title, note", at: url))
        // The text of the page waited, too.
        #expect(try session.waits(for: "1", of: "text LIKE '%Some words to select.%'", at: url))
        #expect(browser.panelShows("0", in: "document.getElementById('waiting').children.length"))
        #expect(browser.panelShows("true", in: "String(document.getElementById('missing').hidden)"))
    }

    @Test(arguments: BrowserKind.allCases)
    func `after its host is killed, the next click saves, and the panel stays live`(kind: BrowserKind) throws
    {
        let (session, browser) = try BrowserSession.browser(kind)
        let url = session.site.page()
        try browser.open(url)
        try browser.showPanel()
        let hosts = session.hosts(of: kind)
        #expect(hosts.count == 1)
        hosts.forEach { kill($0, SIGKILL) }
        try browser.save()
        try browser.closePopup()
        #expect(try session.clips("title", at: url) == "A page")
        try session.clips.run("extension", "--title", "After the kill in \(kind)")
        #expect(browser.panelShows("After the kill in \(kind)"))
    }

    @Test(arguments: BrowserKind.allCases)
    func `the panel shows what the extension command and sqlite3 write`(kind: BrowserKind) throws {
        let (session, browser) = try BrowserSession.browser(kind)
        try browser.showPanel()
        try session.clips.run("extension", "--title", "By the command for \(kind)")
        #expect(browser.panelShows("By the command for \(kind)"))
        _ = try session.clips.sqlite3("INSERT INTO Clip (title) VALUES ('By hand for \(kind)')")
        #expect(browser.panelShows("By hand for \(kind)"))
        _ = try session.clips.sqlite3(
            "UPDATE Clip SET title = 'Renamed by \(kind)' WHERE title = 'By hand for \(kind)'")
        #expect(browser.panelShows("Renamed by \(kind)"))
        _ = try session.clips.sqlite3("DELETE FROM Clip WHERE title = 'Renamed by \(kind)'")
        let title = "String(!document.getElementById('list').innerText.includes('Renamed by \(kind)'))"
        #expect(browser.panelShows("true", in: title))
    }

    @Test(arguments: BrowserKind.allCases)
    func `keys move, delete, and undo in the panel, and the field searches`(kind: BrowserKind) async throws {
        let (session, browser) = try BrowserSession.browser(kind)
        try browser.showPanel()
        for name in ["lower", "upper"] {
            try session.clips.run("extension", "--title", "The \(name) row of \(kind)")
        }
        let focused = "document.activeElement?.textContent ?? ''"
        #expect(browser.panelShows("The upper row of \(kind)"))
        _ = try browser.panel("document.querySelector('#list .name').focus()")
        try browser.pressInPanel("j")
        #expect(try browser.panel(focused) == "The lower row of \(kind)")
        try browser.pressInPanel("k")
        try browser.pressInPanel("d")
        let find = "SELECT count(*) FROM Clip WHERE title = 'The upper row of \(kind)'"
        #expect(try await soon { try session.clips.sqlite3(find) == "0" })
        #expect(browser.panelShows("The lower row of \(kind)", in: focused))
        #expect(
            browser.panelShows(
                "Deleted “The upper row of \(kind)”", in: "document.getElementById('notice').textContent"))
        try browser.pressInPanel("u")
        #expect(try await soon { try session.clips.sqlite3(find) == "1" })
        #expect(browser.panelShows("The upper row of \(kind)"))

        let search = { (query: String) in
            _ = try browser.panel(
                """
                ((field) => {
                    field.value = "\(query)";
                    field.dispatchEvent(new window.Event("input"));
                })(document.getElementById("query"))
                """)
        }
        try search("title:\\\"lower row of \(kind)\\\"")
        #expect(browser.panelShows("1", in: "document.querySelectorAll('#list .clip').length"))
        try search("")
        #expect(browser.panelShows("clips", in: "document.getElementById('state').textContent"))
    }

    @Test(arguments: BrowserKind.allCases)
    func `more than a browser's megabyte of clips is listed`(kind: BrowserKind) throws {
        let (session, browser) = try BrowserSession.browser(kind)
        let line =
            "{\"title\":\"A large clip for \(kind)\",\"note\":\"" + String(repeating: "ö", count: 20_000)
            + "\"}\n"
        try session.clips.run("add", "--jsonl", "--quiet", input: String(repeating: line, count: 80))
        try browser.showPanel()
        let count = """
            (document.querySelector("main").scrollTo(0, 1e9),
                [...document.querySelectorAll("#list .name")].filter((name) => name.textContent.endsWith("large clip for \(kind)")).length)
            """
        #expect(browser.panelShows("80", in: count))
        _ = try session.clips.sqlite3("DELETE FROM Clip WHERE title LIKE 'A large clip for %'")
    }

    @Test(arguments: BrowserKind.allCases)
    func `hostile titles and URLs are text`(kind: BrowserKind) throws {
        let (session, browser) = try BrowserSession.browser(kind)
        let url = session.site.page()
        try browser.open(url)
        try browser.showPanel()
        let title = "<img src=x onerror=alert(1)>'\"; DROP TABLE Clip; -- \u{202e}\u{1b}[31m 🏴‍☠️"
        let quoted = String(decoding: try JSONEncoder().encode(title), as: UTF8.self)
        // A form that replaces a property of its document.
        _ = try browser.page(
            "document.body.insertAdjacentHTML('beforeend', '<form name=querySelectorAll></form>')")
        _ = try browser.page("document.querySelector('title').textContent = \(quoted)")
        try browser.save()
        try browser.closePopup()
        #expect(browser.panelShows("<img src=x onerror=alert(1)>"))
        #expect(try browser.panel("document.querySelectorAll('#list img').length") == "0")
        #expect(try session.clips("instr(title, '<img src=x onerror=alert(1)>')", at: url) == "1")

        // A script's URL, by an external writer, is no link.
        _ = try session.clips.sqlite3(
            "INSERT INTO Clip (title, url) VALUES ('Script for \(kind)', 'javascript:alert(1)')")
        #expect(browser.panelShows("Script for \(kind)"))
        #expect(try browser.panel("document.querySelectorAll('#list a[href^=javascript]').length") == "0")

        // Of a page, the menu does not save it either.
        let count = try session.clips.sqlite3("SELECT count(*) FROM Clip WHERE url LIKE 'javascript:%'")
        _ = try browser.page("document.getElementById('link').href = 'javascript:alert(2)'")
        try browser.chooseMenuItem(.link, on: "#link")
        try browser.save(expecting: "known")
        try browser.closePopup()
        #expect(try session.clips.sqlite3("SELECT count(*) FROM Clip WHERE url LIKE 'javascript:%'") == count)
    }

    @Test func `two browsers and a terminal on one store are equal at the end`() async throws {
        let (session, chromium) = try BrowserSession.browser(.chromium)
        let (_, firefox) = try BrowserSession.browser(.firefox)
        let terminal = try TmuxSession(
            [ClipsProgram.path], columns: 120, rows: 60, environment: session.clips.environment)
        let browsers = [chromium, firefox]
        for browser in browsers { try browser.showPanel() }
        #expect(try await soon { try terminal.shows("live") })
        for round in 1...4 {
            for (kind, browser) in zip(BrowserKind.allCases, browsers) {
                try browser.open(session.site.page())
                _ = try browser.page("document.title = 'Round \(round) of \(kind)'")
                try browser.save()
                try browser.closePopup()
            }
            try session.clips.run("extension", "--title", "Round \(round) of the shell")
        }
        // The terminal deletes the newest clip, and each panel the one that it shows first.
        #expect(try await soon { try terminal.shows("Round 4 of the shell") })
        try terminal.send("g", "d")
        for browser in browsers {
            let isGone = "String(!document.getElementById('list').innerText.includes('Round 4 of the shell'))"
            #expect(browser.panelShows("true", in: isGone))
        }
        _ = try chromium.panel("document.querySelector('#list .delete').click()")
        #expect(
            try await soon {
                try session.clips.sqlite3("SELECT count(*) FROM Clip WHERE title = 'Round 4 of firefox'")
                    == "0"
            })

        let stored = try session.clips.sqlite3(
            "SELECT title FROM Clip ORDER BY created DESC, id DESC LIMIT 9")
        let names =
            "[...document.querySelectorAll('#list .name')].slice(0, 9).map((name) => name.textContent).join('\\n')"
        for browser in browsers {
            #expect(await soon { (try? browser.panel(names)) == stored })
        }
        for title in stored.split(separator: "\n") {
            #expect(try await soon { try terminal.shows(String(title)) }, "\(title)")
        }
        // The status line names the deleted clip, the list does not have it.
        #expect(
            try await soon {
                try !terminal.lines().dropLast(3).contains { $0.contains("Round 4 of firefox") }
            })
        try terminal.send("q")
    }
}
