import ClipsCore
import ClipsTerminal
import Foundation
import PersistentStore
import TestSupport
import Testing

/// Checks of links, with curl and a server that has many behaviors.
@Suite struct LinkCheckTests {
    private let clock = SettableClock()
    private let store: ClipStore
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        store = try await ClipStore(
            path: folder.path(of: "clips.db"), author: "cli", options: clock.options())
    }

    private func add(_ urls: [String]) async throws -> [Int64] {
        try await store.add(
            urls.map { url in
                var draft = ClipDraft()
                draft.url = url
                return draft
            })
    }

    @discardableResult
    private func check(
        _ ids: [Int64], timeout: Duration = .seconds(20), isInterrupted: () -> Bool = { false }
    ) async throws -> LinkCheckRun.Counts {
        var pace = LinkCheckRun.Pace()
        (pace.pause, pace.maxWait, pace.timeout) = (.milliseconds(10), .seconds(5), timeout)
        var run = LinkCheckRun(store, pace: pace)
        try await run.run(ids, report: { _, _ in }, isInterrupted: isInterrupted)
        return run.counts
    }

    private func urls(_ filter: String) async throws -> Set<String> {
        let query = ClipQuery(filter: filter, includesArchived: true)
        var urls: Set<String> = []
        try await store.forEachClip(query) { urls.insert($0.url) }
        return urls
    }

    private func changes(after token: HistoryToken) async throws -> Int {
        try await store.container.transactions(HistoryFetchRequest(.after(token))).flatMap(\.changes).count
    }

    @Test func `a check that another program writes with the greatest numbers is read`() async throws {
        let ids = try await add(["https://a.org"])
        _ = try await store.record(["https://a.org": .failed("HTTP status 404")])
        let most = Int64.max
        _ = try Shell.run(
            "sqlite3", [store.path, "UPDATE LinkCheck SET checked = \(most), failures = \(most), failed = 0"])
        #expect(try await store.links(of: ids).map(\.isDue) == [true])
        _ = try await store.record(["https://a.org": .failed("HTTP status 404")])
        #expect(try await urls("is:dead") == ["https://a.org"])
    }

    @Test func `a link is dead or moved only after the same answer on other days, of all that servers do`()
        async throws
    {
        let site = try LinkSite()
        let live = [
            "ok", "soft404", "refused", "strange", "mute", "empty", "loop", "ring", "slow", "silent",
            "dripping",
            "reset", "limited", "limit", "busy", "forbidden", "login", "wall", "broken", "teapot", "found",
            "mixed",
            "front", "file", "endless", "range", "nothing", "heads", "garbage",
        ].enumerated().map { site.url($1, host: $0 + 1) }
        let gone = ["gone", "missing", "lost", "away"].enumerated().map { site.url($1, host: $0 + 50) }
        let noHosts = ["http://127.0.1.60:9/x", "http://nowhere.invalid/x"]
        let moved = [site.url("moved", host: 70), site.url("permanent", host: 71) + "#part"]
        let tls = [
            site.url("ok", host: 72, scheme: "https"), "https://127.0.1.200:\(site.securePort)/ok",
        ]
        let unchecked = ["", "mailto:a@b.org", "ftp://127.0.1.1/"]
        let all = try await add(live + gone + noHosts + moved + tls + unchecked.filter { !$0.isEmpty })
        #expect(try await urls("is:unchecked").count == all.count - 2)

        let first = try await check(all, timeout: .seconds(3))
        #expect(first.checked == all.count - 2 && first.left == 0 && !first.isOffline, "\(first)")
        #expect(try await urls("is:unchecked OR is:dead OR is:moved").isEmpty)
        let end = try await store.container.currentToken()

        // An hour later, nothing is asked; on the next day, the states remain, and the history is as long.
        clock.advance(seconds: 3600)
        #expect(try await check(all, timeout: .seconds(2)).known == all.count - 2)
        clock.set(SettableClock.start)
        clock.advance(days: 1)
        try await check(all, timeout: .seconds(3))
        #expect(try await urls("is:dead").isEmpty)
        #expect(try await urls("is:moved") == Set(moved))
        let changed = try await changes(after: end)
        #expect(changed == moved.count, "only the moved clips changed")
        // A loaded machine takes some of the answers for late ones.
        var dead: Set<String> = []
        for _ in 0..<6 where dead.count < gone.count + noHosts.count {
            clock.advance(days: 1)
            try await check(all, timeout: .seconds(2))
            dead = try await urls("is:dead")
            #expect(dead.isSubset(of: gone + noHosts))
        }
        #expect(dead == Set(gone + noHosts))
        #expect(try await urls("is:moved") == Set(moved))

        // A page that returned is live, and its failures no longer count.
        try site.set("missing", to: "ok")
        clock.advance(days: 1)
        try await check(all, timeout: .seconds(3))
        #expect(try await urls("is:dead").contains(gone[1]) == false)
    }

    @Test func `moved addresses are replaced in one step, which undo reverts with their states`() async throws
    {
        let site = try LinkSite()
        let ids = try await add([site.url("moved"), site.url("permanent", host: 2), site.url("ok", host: 3)])
        try await check(ids)
        clock.advance(days: 1)
        try await check(ids)
        let before = try await urls("")
        let moved = try await store.followMoves(of: ids)
        #expect(moved.value.count == 2)
        #expect(try await urls("is:moved").isEmpty)
        #expect(
            try await urls("is:unchecked") == [
                "http://127.0.1.99:\(site.port)/ok", "http://127.0.1.99:\(site.port)/ok-elsewhere",
            ])

        _ = try await store.undo(try #require(moved.token))
        #expect(try await urls("") == before)
        #expect(try await urls("is:moved").count == 2)

        // A later check is no edit: undo finds the change of the addresses before it.
        let again = try #require(try await store.followMoves(of: ids).token)
        try await check(ids)
        #expect(try await store.undoHistory().undoable.last?.token == again)
        _ = try await store.undo(again)
        #expect(try await urls("") == before)
    }

    @Test func `failures do not count while no host answers`() async throws {
        let site = try LinkSite()
        let gone = try await add(["http://nowhere.invalid/1", "http://127.0.1.9:9/2"])
        for _ in 0..<4 {
            let counts = try await check(gone)
            #expect(counts.isOffline && counts.left == 2)
            clock.advance(days: 1)
        }
        #expect(try await urls("is:unchecked").count == 2)
        // An address that was live decides, even if the query omits it.
        try await check(try await add([site.url("ok")]))
        for _ in 0..<3 {
            #expect(try await check(gone).isOffline == false)
            clock.advance(days: 1)
        }
        #expect(try await urls("is:dead").count == 2)
    }

    @Test func `a host that limits requests is asked later, in this run or another one`() async throws {
        let site = try LinkSite()
        let ids = try await add([site.url("limit"), site.url("ok"), site.url("limited", host: 2)])
        #expect(try await check(ids).left == 1)
        #expect(try site.requests("limited").count == 2 && site.requests("ok").count == 0)
        // The next run waits, too.
        #expect(try await check(ids).left == 1)
        clock.advance(seconds: 7300)
        #expect(try await check(ids).left == 0)
        #expect(try site.requests("limit").count == 1 && site.requests("ok").count == 1)
    }

    @Test func `clips with one address are asked once, and a new address is unchecked`() async throws {
        let site = try LinkSite()
        let ids = try await add([site.url("ok"), site.url("ok"), site.url("ok#a")])
        #expect(try await check(ids).checked == 3)
        #expect(try site.requests("ok").count == 2)
        try await store.update(ids[0], [.url: .text(site.url("missing"))])
        #expect(try await urls("is:unchecked") == [site.url("missing")])
        #expect(try await check(ids).known == 2)
        // Nothing remains of a deleted clip.
        try await store.delete(ids)
        let rows = try await store.container.fetch(FetchRequest("LinkCheck"))
        #expect(rows.isEmpty)
    }

    @Test func `a host gets one request at a time`() async throws {
        let site = try LinkSite()
        let ids = try await add((1...8).map { site.url("slow-\($0)", host: $0 % 2) })
        #expect(try await check(ids).checked == 8)
        #expect(try site.requests("slow-1").parallel == 1)
    }

    @Test func `an interrupted check saves its answers`() async throws {
        let site = try LinkSite()
        let ids = try await add((1...20).map { site.url("slow", host: $0) } + [site.url("ok")])
        var calls = 0
        let counts = try await check(ids) {
            calls += 1
            return calls > 12
        }
        #expect(counts.isInterrupted && counts.checked > 0)
        #expect(try await urls("is:unchecked").count == counts.left)
    }
}
