import BrowserDriver
import Foundation
import TestSupport
import Testing

/// The extension in real browsers, with the built program as its host.
extension WithBrowsers.ExtensionTests {
    @Test(arguments: BrowserKind.allCases)
    func `a click saves the page under the browser's name`(kind: BrowserKind) throws {
        let (session, browser) = try BrowserSession.browser(kind)
        let url = session.site.page()
        try browser.open(url)
        try browser.save()
        #expect(try session.clips("title, author", at: url) == "A page|extension")
        let history = try session.clips.run("history", "--author", "extension", "--limit", "2", "--json")
            .output
        #expect(history.contains("\"context\":\"\(kind)\""))
        try browser.closePopup()
    }

    @Test(arguments: BrowserKind.allCases)
    func `a click saves the text of the page as it is, without scripts, after the clip`(kind: BrowserKind)
        async throws
    {
        let (session, browser) = try BrowserSession.browser(kind)
        let url = session.site.page()
        try browser.open(url)
        // What a script adds, and forms that replace the document's own members.
        _ = try browser.page(
            """
            document.body.insertAdjacentHTML("beforeend",
                "<p>Added after the login.<style>p {}</style><form name=documentElement></form><form name=contentType></form>")
            """)
        try browser.save()
        let text =
            "# A page|Some words to select.|[The linked page][1]|[(image: Picture)][2]|Added after the login.|"
            + "[1]: http://127.0.0.1:\(session.site.port)/linked|[2]: http://127.0.0.1:\(session.site.port)/image"
        var found = ""
        _ = try await soon {
            found = try session.clips("text", at: url).split(separator: "\n").joined(separator: "|")
            return found == text
        }
        #expect(found == text)
        #expect(
            try session.clips.run("history", "--limit", "1", "--json").output.contains("\"context\":\"page\"")
        )
        try browser.closePopup()
    }

    @Test(arguments: BrowserKind.allCases)
    func `the popup says why a page has no text`(kind: BrowserKind) async throws {
        let (session, browser) = try BrowserSession.browser(kind)
        for (name, sentence) in [("frames", "consists of frames"), ("data", "not HTML")] {
            try browser.open(session.site.page(name))
            try browser.save()
            let isShown = await soon {
                (try? browser.popup("document.getElementById('detail').textContent"))?.contains(sentence)
                    == true
            }
            #expect(isShown, "\(name)")
            try browser.closePopup()
        }
    }

    @Test func `a setting turns off the texts of pages`() throws {
        let (session, browser) = try BrowserSession.browser(.firefox)
        try browser.chooseButtonItem(.texts(false))
        let url = session.site.page("off")
        try browser.open(url)
        try browser.save()
        try browser.closePopup()
        #expect(try session.clips("text", at: url) == "")
        try browser.chooseButtonItem(.texts(true))
        try browser.save(expecting: "known")
        #expect(try session.waits(for: "1", of: "text LIKE '%Some words%'", at: url))
        try browser.closePopup()
    }

    @Test(arguments: BrowserKind.allCases)
    func `a click saves the selection as text, once`(kind: BrowserKind) throws {
        let (session, browser) = try BrowserSession.browser(kind)
        let url = session.site.page()
        try browser.open(url)
        _ = try browser.page("getSelection().selectAllChildren(document.getElementById('words'))")
        try browser.save()
        #expect(try browser.popup("document.getElementById('text').textContent") == "Some words to select.")
        try browser.closePopup()
        try browser.save(expecting: "known")
        try browser.closePopup()
        #expect(try session.clips("text", at: url) == "Some words to select.")
    }

    @Test(arguments: BrowserKind.allCases)
    func `the popup edits title, tags, and note`(kind: BrowserKind) throws {
        let (session, browser) = try BrowserSession.browser(kind)
        let url = session.site.page()
        try browser.open(url)
        try browser.save()
        try browser.type("Zoë’s <b>title</b>", into: "title")
        try browser.type("one, two words,", into: "tag")
        try browser.type("A note", into: "note")
        try browser.submit()
        #expect(
            try session.waits(
                for: "Zoë’s <b>title</b>|one,two words|A note", of: "title, tags, note", at: url))
        try browser.save(expecting: "known")
        #expect(try browser.popup("document.getElementById('note').value") == "A note")
        try browser.closePopup()
    }

    @Test(arguments: BrowserKind.allCases)
    func `typed text survives the popup`(kind: BrowserKind) async throws {
        let (session, browser) = try BrowserSession.browser(kind)
        let url = session.site.page()
        try browser.open(url)
        try browser.save()
        try browser.type("Half a note", into: "note")
        try browser.closePopup()
        try browser.save(expecting: "known")
        #expect(
            await soon {
                (try? browser.popup("document.getElementById('note').value")) == "Half a note"
            })
        #expect(try session.clips("note", at: url) == "")
        try browser.submit()
        #expect(try session.waits(for: "Half a note", of: "note", at: url))
    }

    @Test(arguments: BrowserKind.allCases)
    func `Undo deletes the clip, and Restore restores it`(kind: BrowserKind) throws {
        let (session, browser) = try BrowserSession.browser(kind)
        let url = session.site.page()
        try browser.open(url)
        try browser.save()
        _ = try browser.popup("document.getElementById('undo').click()")
        #expect(browser.popupShows("deleted"))
        #expect(try session.clips("id", at: url) == "")
        _ = try browser.popup("document.getElementById('undo').click()")
        #expect(browser.popupShows("saved"))
        #expect(try session.clips("title", at: url) == "A page")
        try browser.closePopup()
    }

    @Test(arguments: BrowserKind.allCases)
    func `a saved page opens its clip`(kind: BrowserKind) throws {
        let (session, browser) = try BrowserSession.browser(kind)
        let url = session.site.page()
        try session.clips.run("add", "--url", url, "--title", "From the shell", "--tag", "shell")
        try browser.open(url)
        try browser.save(expecting: "known")
        #expect(try browser.popup("document.getElementById('title').value") == "From the shell")
        #expect(try browser.popup("document.querySelector('.chips').textContent").contains("shell"))
        try browser.closePopup()
        #expect(try session.clips("author", at: url) == "cli")
    }

    @Test(arguments: BrowserKind.allCases)
    func `the menu saves the page, the selection, a link, and an image`(kind: BrowserKind) async throws {
        let (session, browser) = try BrowserSession.browser(kind)
        let url = session.site.page()
        try browser.open(url)
        // The worker of Chromium has started.
        try browser.save()
        _ = try browser.popup("document.getElementById('undo').click()")
        #expect(browser.popupShows("deleted"))
        try browser.closePopup()

        try browser.chooseMenuItem(.page, on: "h1")
        #expect(try session.waits(for: "A page", of: "title", at: url))
        for (element, item) in [("link", MenuItem.link), ("image", .image)] {
            let address = url.replacing("/page-", with: "/\(element)-")
            let attribute = element == "link" ? "href" : "src"
            _ = try browser.page("document.getElementById('\(element)').\(attribute) = '\(address)'")
            let isComplete = "document.getElementById('image').naturalWidth > 0"
            #expect(try await soon { try browser.page(isComplete) == "true" })
            try browser.chooseMenuItem(item, on: "#\(element)")
            #expect(try session.waits(for: "extension", of: "author", at: address))
        }
        _ = try browser.page("getSelection().selectAllChildren(document.getElementById('words'))")
        try browser.chooseMenuItem(.selection, on: "#words")
        #expect(try session.waits(for: "1", of: "max(text = 'Some words to select.')", at: url))
    }

    @Test(arguments: BrowserKind.allCases)
    func `the menu saves quotes with their surroundings in one clip of the page`(kind: BrowserKind) throws {
        let (session, browser) = try BrowserSession.browser(kind)
        let url = session.site.page("quoted")
        try browser.open(url)
        for element in ["words", "link"] {
            _ = try browser.page("getSelection().selectAllChildren(document.getElementById('\(element)'))")
            try browser.chooseMenuItem(.quote, on: "#\(element)")
            let text = element == "words" ? "Some words to select." : "The linked page"
            let found =
                "(SELECT count(*) FROM Quote WHERE clip = Clip.uuid AND Quote.text = '\(text)' AND prefix LIKE '%A page%')"
            #expect(try session.waits(for: "1", of: found, at: url), "\(element)")
        }
        #expect(try session.clips("count(*), title", at: url) == "1|A page")
        #expect(try session.waits(for: "1", of: "text LIKE '%Some words to select.%'", at: url))
    }

    @Test(arguments: BrowserKind.allCases)
    func `the address bar suggests clips`(kind: BrowserKind) throws {
        let (session, browser) = try BrowserSession.browser(kind)
        let url = session.site.page("suggested")
        try session.clips.run("add", "--url", url, "--title", "Xylophone <&> \"music\"")
        #expect(try browser.suggestions(for: "xylophone").contains(url))
    }

    @Test func `the menu of the button saves all tabs, and each page once`() async throws {
        let (session, browser) = try BrowserSession.browser(.firefox)
        let url = session.site.page()
        try browser.open(url)
        try browser.chooseButtonItem(.tabs)
        #expect(try session.waits(for: "A page|extension", of: "title, author", at: url))
        let isDone = try await soon {
            // The text remains for two seconds only.
            try browser.chooseButtonItem(.tabs)
            return try await soon(within: 2) { try browser.buttonText() == "✓" }
        }
        #expect(isDone)
        #expect(try session.clips("count(*)", at: url) == "1")
    }

    @Test func `marks are off at first, then follow saves and deletions, even after the background ended`()
        async throws
    {
        let (session, browser) = try BrowserSession.browser(.firefox)
        func shows(_ text: String) async throws -> Bool {
            try await soon { try browser.buttonText() == text }
        }
        let (saved, other) = (session.site.page(), session.site.page())
        try session.clips.run("add", "--url", saved, "--title", "Saved before")
        try browser.open(saved)
        #expect(try browser.buttonText() == "")
        try browser.chooseButtonItem(.marking(true))
        #expect(try await shows("●"))
        try browser.open(other)
        #expect(try await shows(""))
        try browser.endBackground()
        try browser.open(saved)
        #expect(try await shows("●"))
        try browser.open(other)
        try browser.save()
        #expect(try await shows("●"))
        _ = try browser.popup("document.getElementById('undo').click()")
        #expect(try await shows(""))
        try browser.closePopup()
        try browser.chooseButtonItem(.marking(false))
        try browser.open(saved)
        #expect(try await shows(""))
    }
}
