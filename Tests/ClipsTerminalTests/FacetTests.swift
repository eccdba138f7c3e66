import ClipsCore
import Foundation
import LiveQuery
import PersistentStore
import Platform
import Terminal
import TestSupport
import Testing

@testable import ClipsTerminal

@Suite(.serialized) struct FacetTests {
    private static func draft(_ number: Int, _ url: String, _ tags: String...) -> ClipDraft {
        var draft = ClipDraft()
        (draft.title, draft.url, draft.tags) = ("Clip \(number)", url, tags)
        return draft
    }

    private static func facets(_ facets: [ClipFacets.Facet]) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: facets.map { ($0.name, $0.count) })
    }

    @Test func `the sidebar says how many tags and sites it does not list`() throws {
        var state = AppState.showing(3, Size(rows: 12, columns: 80), config: "set sidebar on")
        var facets = ClipFacets()
        (facets.tags, facets.moreTags) = ([ClipFacets.Facet("a", 2)], 1234)
        (facets.sites, facets.moreSites) = ([ClipFacets.Facet("a.example", 2)], 0)
        _ = state.handle(.message(.facets(facets)), at: noon)
        let names = state.sidebarRows.map(\.name)
        #expect(names.suffix(5) == ["Tags", "a", "… and 1,234 more", "Sites", "a.example"])
    }

    @Test(arguments: [Size(rows: 24, columns: 80), Size(rows: 60, columns: 200), Size(rows: 10, columns: 80)])
    func `tags and sites are both listed, with the numbers of those that have no room`(size: Size) throws {
        var state = AppState.showing(3, size, config: "set sidebar on")
        var facets = ClipFacets()
        facets.tags = (1...50).map { ClipFacets.Facet("t\($0)", 100 - $0) }
        facets.sites = (1...50).map { ClipFacets.Facet("s\($0).example", 100 - $0) }
        (facets.moreTags, facets.moreSites) = (5, 4000)
        _ = state.handle(.message(.facets(facets)), at: noon)
        func listed(_ field: String) -> Int {
            state.sidebarRows.count { $0.query?.filter.hasPrefix(field + ":") == true }
        }
        func rest(_ section: Sidebar.Section) throws -> (index: Int, name: String) {
            let rows = state.sidebarRows
            let index = try #require(rows.lastIndex { $0.section == section })
            return (index, rows[index].name)
        }
        let room = try #require(state.layout.sidebar).size.rows - 1
        func click(_ index: Int) throws {
            while index < state.sidebar.scroll.top { try state.press("<WheelUp:3,3>") }
            while index >= state.sidebar.scroll.top + room { try state.press("<WheelDown:3,3>") }
            try state.press("<Press:\(index - state.sidebar.scroll.top + 1),3>")
        }
        if size.rows > 20 {
            #expect(state.sidebarRows.count == room && 2 * listed("tag") <= room)
            #expect(state.lines.count { $0.hasPrefix(" … and ") } == 2)
        }
        #expect(try rest(.tag).name == "… and \(55 - listed("tag")) more")
        #expect(try rest(.site).name == "… and \((4050 - listed("site")).grouped) more")
        #expect(listed("tag") >= 2 && listed("site") >= 2)
        // A click lists the others, and one on the heading the first again.
        let before = state.sidebarRows
        try click(rest(.site).index)
        #expect(listed("site") == 50 && state.list.query.filter.isEmpty)
        try state.press("<WheelDown:3,3>" + String(repeating: "<WheelDown:3,3>", count: 40))
        #expect(state.lines.contains { $0.hasPrefix(" … and 4,000 more") })
        try click(rest(.site).index)
        #expect(state.prompt?.kind == .filter && state.prompt?.editor.text == "site:")
        try state.press("<Esc>")
        try click(#require(state.sidebarRows.firstIndex { $0.name == "Sites" }))
        #expect(state.sidebarRows == before)
    }

    @Test func `the sidebar counts tags and sites exactly, as their filters do, with each commit`()
        async throws
    {
        try await RunningApp.open(size: Size(rows: 30, columns: 100), config: "set sidebar on") { app in
            let ids = try app.other("seed") { store in
                try await store.add([
                    Self.draft(1, "https://lwn.net/1", "Linux", "kernel"),
                    Self.draft(2, "https://en.wikipedia.org/wiki/Vim", "vim", "VIM"),
                    Self.draft(3, "https://wikipedia.org/", "linux", "read later"),
                ])
            }
            #expect(app.wait { Self.facets($0.sidebar.facets.tags).values.sorted() == [1, 1, 1, 2] })
            #expect(
                Self.facets(app.state.sidebar.facets.sites)
                    == ["lwn.net": 1, "en.wikipedia.org": 1, "wikipedia.org": 2])
            try app.other { store in
                _ = try await store.update(ids[1], [.tags: .text("vim,linux,Vim")])
                _ = try await store.delete([ids[0]])
                _ = try await store.add([Self.draft(4, "https://lwn.net/4", "vim")])
            }
            #expect(
                app.wait { Self.facets($0.sidebar.facets.tags) == ["Linux": 2, "vim": 2, "read later": 1] })
            // Each number is that of the list that a click shows.
            for row in app.state.sidebarRows {
                guard let count = row.count, let index = app.state.sidebarRows.firstIndex(of: row) else {
                    continue
                }
                try app.run("<Press:\(index + 1),3>\n:wait count=\(count)\n:wait idle")
                #expect(app.state.sidebarIndex == index)
            }
            let before = app.state.newestTransaction
            _ = try app.other { try await $0.update(ids[2], [.starred: .boolean(true)]) }
            #expect(app.wait { $0.newestTransaction > before })
            #expect(Self.facets(app.state.sidebar.facets.tags) == ["Linux": 2, "vim": 2, "read later": 1])
        }
    }

    @Test func `an international site has its readable name, and a click filters by it`() async throws {
        try await RunningApp.open(size: Size(rows: 30, columns: 100), config: "set sidebar on") { app in
            _ = try app.other("seed") { store in
                try await store.add([
                    Self.draft(1, "https://xn--bcher-kva.example/1"), Self.draft(2, "https://a.example/"),
                    Self.draft(3, "https://xn--80ak6aa92e.com/"),
                ])
            }
            #expect(app.wait { $0.sidebar.facets.sites.count == 3 })
            for name in ["bücher.example", "xn--80ak6aa92e.com"] {
                let row = try #require(app.state.sidebarRows.firstIndex { $0.name == name })
                try app.run("<Press:\(row + 1),3>\n:wait count=1\n:wait text=/site:\(name)\n:wait idle")
            }
        }
    }

    @Test func `a click on a site or a tag with signs shows as many clips as its number says`() async throws {
        let size = Size(rows: 40, columns: 100)
        try await RunningApp.open(size: size, config: "set sidebar on") { app in
            _ = try app.other("seed") { store in
                try await store.add([
                    Self.draft(1, "https://foo.example/1", "-x"),
                    Self.draft(2, "http://foo.example:8080/2", "\"q\"", "a\\"),
                    Self.draft(3, "http://en.foo.example:8080/3", "c*", "a \"b\\\" \\"),
                    Self.draft(4, "http://[::1]:3000/4", "cc"), Self.draft(5, "http://[::1]/5", "it's"),
                    Self.draft(6, "http://xn--e1afmkfd.xn--p1ai:81/6"), Self.draft(7, "http://localhost:9/"),
                    Self.draft(8, "https://foo.example.br/8"),
                ])
            }
            #expect(app.wait { $0.sidebar.facets.sites.count == 8 && $0.sidebar.facets.tags.count == 7 })
            let sites = Self.facets(app.state.sidebar.facets.sites)
            #expect(sites["foo.example"] == 3 && sites["foo.example:8080"] == 2 && sites["[::1]"] == 2)
            let rows = app.state.sidebarRows.enumerated().filter { $0.element.count != nil }
            #expect(rows.count >= 15)
            for (index, row) in rows {
                let count = try #require(row.count)
                #expect(count > 0, "\(row.name)")
                try app.run("<Press:\(index + 1),3>\n:wait count=\(count)\n:wait idle")
                #expect(app.state.sidebarIndex == index, "\(row.name)")
            }
        }
    }

    @Test func `random edits of several writers leave the numbers of a count from the beginning`()
        async throws
    {
        try await RunningApp.open(size: Size(rows: 30, columns: 100), config: "set sidebar on", clips: 30) {
            app in
            var generator = SeededRandom(seed: 7)
            let names = ["a", "b", "c", "d"]
            for _ in 0..<40 {
                let number = Int.random(in: 1...40, using: &generator)
                let tags = names.filter { _ in Bool.random(using: &generator) }
                let kind = Int.random(in: 0..<4, using: &generator)
                try app.other("w\(number % 3)") { store in
                    switch kind {
                    case 0: _ = try? await store.delete([Int64(number)])
                    case 1: _ = try await store.add([Self.draft(number, "https://s\(number % 5).example/")])
                    default:
                        _ = try? await store.update(
                            Int64(number), [.tags: .text(tags.joined(separator: ","))])
                    }
                }
            }
            let (tags, sites) = try app.other { store in
                let clips = try await store.clips(
                    (1...200).map { Int64($0) }, in: ClipQuery.newestFirst, maxBytes: 1 << 20)
                func count(_ names: [String]) -> [String: Int] {
                    Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
                }
                return (count(clips.flatMap(\.tags)), count(clips.map { ClipRow.site(of: $0.url) }))
            }
            #expect(app.wait { Self.facets($0.sidebar.facets.tags) == tags })
            #expect(Self.facets(app.state.sidebar.facets.sites) == sites)
        }
    }

    @Test func `two keys filter by a tag`() async throws {
        try await RunningApp.open { app in
            try app.run("S\n:wait text=There are no saved searches")
            _ = try app.other("seed") { store in
                try await store.add([
                    Self.draft(1, "https://lwn.net/1", "read later"),
                    Self.draft(2, "https://lwn.net/2", "read later"),
                    Self.draft(3, "https://lwn.net/3", "vim"),
                ])
            }
            try app.run(":wait count=3\nS1\n:wait count=2")
            #expect(app.state.list.query.filter == "tag:\"read later\"")
            try app.run("S2\n:wait count=1\n::!true<Enter>\n:wait text=Ran true")
            try app.run("S\n:wait text=Tags and sites\n3\n:wait count=3")
            #expect(app.state.list.query.filter == "site:lwn.net")
        }
    }

    @Test func `Tab completes the tags, authors, and sites of all clips, however old, and new ones`()
        async throws
    {
        try await RunningApp.open { app in
            _ = try app.other("anna") { try await $0.add([Self.draft(0, "https://old.example/", "ancient")]) }
            let new = """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5001)
                INSERT INTO Clip (title, url, tags, author)
                SELECT 'Clip ' || i, 'https://new.example/' || i, 'new', 'seed' FROM n
                """
            #expect(try Shell.run("sqlite3", [app.path, new]).errors == "")
            try app.run(":wait 60s count=5002\nt+anc<Tab>")
            #expect(app.state.prompt?.editor.text == "+ancient")
            try app.run("<Esc>/author:an<Tab><Space>site:ol<Tab>")
            #expect(app.state.prompt?.editor.text == "author:anna site:old.example")
            // A tag of another program is known while the prompt is open.
            try app.run("<Esc>\n:wait count=5002\nt")
            _ = try app.other("anna") { try await $0.add([Self.draft(0, "https://old.example/", "Zebra")]) }
            #expect(app.wait { $0.typing.names.tags.contains("Zebra") })
            try app.run("+Ze<Tab>")
            #expect(app.state.prompt?.editor.text == "+Zebra")
        }
    }
}
