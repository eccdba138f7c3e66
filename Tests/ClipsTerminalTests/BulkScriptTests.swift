import ClipsCore
import Foundation
import LiveQuery
import PersistentStore
import Terminal
import TestSupport
import Testing

@testable import ClipsTerminal

/// Marks, sorting, tags, and copies on a real store.
@Suite(.serialized) struct BulkScriptTests {
    @Test func `marked clips are deleted as one transaction, and one undo restores all`() async throws {
        try await RunningApp.open(clips: 10) { app in
            let before = app.state.newestTransaction
            try app.run("2j3<Space>d\n:wait count=7")
            #expect(app.state.list.marks.isEmpty)
            #expect(app.lines.contains { $0.contains("Deleted 3 clips · u to undo") })
            #expect(app.state.newestTransaction > before)
            try app.run("u\n:wait count=10\n<C-r>\n:wait count=7\nu\n:wait count=10")
            #expect(app.state.list.clips.rows.map(\.title) == (0..<10).reversed().map { "Clip \($0)" })
            let transactions = try app.other { store in
                try await store.container.read { try $0.transactions(HistoryFetchRequest(.newest, limit: 4)) }
            }
            #expect(transactions.map(\.changes.count) == [3, 3, 3, 3])
        }
    }

    @Test func `stars and tags apply to all marked clips, including those that another process changed`()
        async throws
    {
        try await RunningApp.open(clips: 6) { app in
            try app.run("*\n3<Space>*")
            #expect(app.wait { $0.list.clips.rows.prefix(3).allSatisfy(\.isStarred) })
            #expect(app.state.list.clips.rows.count(where: \.isStarred) == 3)
            try app.run("*")
            #expect(app.wait { !$0.list.clips.rows.contains(where: \.isStarred) })
            let id = app.state.list.clips.rows[0].id
            _ = try app.other { try await $0.update(id, [.tags: .text("theirs")]) }
            try app.run("t+mine, -none<Enter>")
            #expect(
                app.wait {
                    $0.list.clips.rows[0].tags == ["theirs", "mine"] && $0.list.clips.rows[1].tags == ["mine"]
                })
            #expect(app.lines.contains { $0.contains("Tagged 3 clips +mine") })
            // The tags of the store are offered.
            try app.run("<Esc>G\n::tag +th<Tab><Enter>")
            #expect(app.wait { $0.list.clips.rows.last?.tags == ["theirs"] })
        }
    }

    @Test func `a range extends over rows that are not loaded`() async throws {
        try await RunningApp.open(clips: 1500) { app in
            try app.run("9jvG\n:wait text=1,491 marked\ndy\n:wait count=9\nu\n:wait count=1500")
        }
    }

    @Test func `a mark ends with its clip, also by a change that is too large to be reported`() async throws {
        try await RunningApp.open(clips: 2500) { app in
            try app.run("V\n:wait text=2,500 marked")
            _ = try Shell.run("sqlite3", [app.path, "DELETE FROM Clip WHERE id > 3"])
            try app.run(":wait count=3\n:wait text=3 marked · ")
            #expect(app.state.list.marks.count == 3 && app.state.list.marks.hidden.isEmpty)
        }
    }

    @Test func `filter, order, and marks act on all matches, however many`() async throws {
        let isWhole = LongProof.isWhole
        let (count, number) = isWhole ? (10_500, "10,500") : (2500, "2,500")
        let last = isWhole ? "Clip 9999" : "Clip 999"
        if !isWhole { LongProof.omits("8,000 of 10,500 matches") }
        try await RunningApp.open(clips: count) { app in
            try app.run("/clip<Enter>\n:wait 60s count=\(count)\nst\n:wait text=by title")
            try app.run("G\n:wait idle")
            #expect(app.state.list.clips.selectedRow?.title == last)
            // Clips of another process are sorted in.
            let new = try app.other { try await $0.add([RunningApp.draft("Clip 99999")]) }
            #expect(app.wait { $0.list.clips.rows.last?.id == new[0] })
            _ = try app.other { try await $0.delete(new) }
            try app.run(
                ":wait count=\(count)\ngvG\n:wait text=\(number) marked\nr\n:wait text=Marked \(number) clips as read"
            )
            let unread = try app.other { store in
                try await store.container.read { snapshot in
                    try snapshot.count(
                        FetchRequest("Clip", where: .compare("unread", .notEqual, .integer(0))))
                }
            }
            #expect(unread == 0)
        }
    }

    @Test func `another order keeps the selection, and the search continues from it`() async throws {
        try await RunningApp.open(clips: 400) { app in
            try app.run("/clip 250<Enter>\n:wait count=1\n<Esc>\n:wait count=400")
            let id = app.state.list.clips.selectedID
            #expect(app.state.list.clips.selectedRow?.title == "Clip 250")
            try app.run("st\n:wait text=by title")
            #expect(app.wait { $0.list.clips.selectedID == id && $0.list.clips.selectedIndex == 169 })
            try app.run("::sort created reverse<Enter>\n:wait text=oldest first")
            #expect(app.wait { $0.list.clips.selectedID == id && $0.list.clips.selectedIndex == 250 })
            // The words of the last filter are searched in all clips.
            try app.run("n")
            #expect(app.state.list.clips.selectedID == id)
            try app.run("::filter 77<Enter>\n:wait count=4\n<Esc>\n:wait count=400\ngn\n:wait idle")
            #expect(app.wait { $0.list.clips.selectedRow?.title == "Clip 77" })
            try app.run("n\n:wait idle")
            #expect(app.wait { $0.list.clips.selectedRow?.title == "Clip 177" })
            try app.run("NN\n:wait idle")
            #expect(app.wait { $0.list.clips.selectedRow?.title == "Clip 377" })
        }
    }

    @Test func `copies go through the terminal, and long ones show their size`() async throws {
        try await RunningApp.open(clips: 3) { app in
            try app.run("2<Space>yu")
            #expect(app.script.wait { $0.screen.copied == "https://clip2.example/\nhttps://clip1.example/" })
            #expect(app.lines.contains { $0.contains("Copied 2 URLs") })
            // The number is that of the URLs.
            let plain = try app.other { store in
                var draft = ClipDraft()
                draft.title = "Plain"
                return try await store.add([draft])[0]
            }
            #expect(app.wait { $0.list.clips.rows.contains { $0.id == plain } })
            try app.run("<Esc>g4<Space>yu\n:wait text=Copied 3 URLs (1 clip has none)")
            _ = try app.other { try await $0.delete([plain]) }
            #expect(app.wait { !$0.list.clips.rows.contains { $0.id == plain } })
            try app.run("<Esc>g2<Space>ym")
            #expect(
                app.script.wait {
                    $0.screen.copied?.hasPrefix("- [Clip 2](https://clip2.example/)\n- ") == true
                })
            let id = app.state.list.clips.rows[0].id
            _ = try app.other {
                try await $0.update(id, [.text: .text(String(repeating: "x", count: 200_000))])
            }
            try app.run("<Esc>gyx\n:wait text=200000 bytes")
        }
    }

    @Test func `marked clips that a filter excludes are counted, and those that an action removes are not`()
        async throws
    {
        try await RunningApp.open(clips: 6) { app in
            try app.run("2<Space>x\n:wait count=4")
            #expect(app.wait { $0.list.marks.isEmpty })
            try app.run("g<Space>/clip 1<Enter>\n:wait count=1")
            try app.run(
                ":wait text=1 marked, 1 not shown\nd\n:wait text=Delete “Clip 3”, which is not shown?"
            )
            try app.run("y\n:wait text=Deleted “Clip\n<Esc>\n:wait count=3\nu\n:wait count=4")
        }
    }

    @Test func `a message names the only clip that changed, of several marked ones`() async throws {
        try await RunningApp.open(clips: 4) { app in
            try app.run("*\n:wait text=Starred “Clip 3”\n2<Space>*\n:wait text=Starred “Clip 2”")
            try app.run("u\n:wait text=Undone: starred “Clip 2”")
            try app.run("<Esc><Esc>gt+x<Enter>\n:wait text=Tagged “Clip 3” +x\n:wait idle")
            try app.run("2<Space>t+x<Enter>\n:wait text=Tagged “Clip 2” +x\n<Esc><Esc>gr\n:wait idle")
            try app.run("2<Space>:read<Enter>\n:wait text=Marked “Clip 2” as read\n<Esc><Esc>Gr\n:wait idle")
            try app.run("A\n:wait text=Marked “Clip 1” as read")
            try app.run("g2<Space>*\n:wait text=Starred “Clip 2”\n*\n:wait text=Unstarred 2 clips")
        }
    }
}
