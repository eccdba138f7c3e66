import ClipsCore
import MirrorTesting
import Mirroring
import PersistentStore
import SearchIndex
import TestSupport
import Testing

/// Quotes and the states of links, mirrored between two stores of clips.
@Suite struct QuoteMirrorTests {
    private let folder: TemporaryFolder
    private let stores: [ClipStore]
    private let mirrors: [Mirror]

    init() async throws {
        folder = try TemporaryFolder()
        let relay = MemoryRelay()
        var stores: [ClipStore] = []
        for name in ["a", "b"] {
            stores.append(try await ClipStore(path: folder.path(of: name + ".db"), author: "test"))
        }
        self.stores = stores
        mirrors = stores.map { store in
            Mirror(
                container: store.container, configuration: ClipModel.mirrored(zone: "z"),
                engine: MemoryEngine(relay))
        }
    }

    private func exchange() async throws {
        for mirror in mirrors + mirrors { try await mirror.sync() }
    }

    private func clip(_ machine: Int) async throws -> Clip? {
        var clips: [Clip] = []
        try await stores[machine].forEachClip(ClipQuery(includesArchived: true)) { clips.append($0) }
        return clips.first
    }

    private func quotes(_ machine: Int) async throws -> [String] {
        try await clip(machine)?.quotes.map { "\($0.text) \($0.note)" }.sorted() ?? []
    }

    @Test func `quotes are added, deleted, and restored with their clip on every machine`() async throws {
        var draft = ClipDraft()
        (draft.url, draft.quotes) = ("https://a.org", [Quote("One", note: "why")])
        let id = try await stores[0].add([draft])[0]
        try await exchange()
        let copy = try #require(try await clip(1))
        #expect(try await quotes(1) == ["One why"])

        // Of both machines, concurrently.
        _ = try await stores[0].add(Quote("Two"), to: id)
        _ = try await stores[1].add(Quote("Three"), to: copy.id)
        _ = try await stores[1].change(copy.quotes[0], of: copy.id, note: nil)
        try await exchange()
        for machine in [0, 1] { #expect(try await quotes(machine) == ["Three ", "Two "]) }

        let deletion = try #require(try await stores[1].delete([copy.id]).token)
        try await exchange()
        #expect(try await clip(0) == nil)
        let left = try await stores[0].container.count(FetchRequest(Quote.entity))
        #expect(left == 0)
        _ = try await stores[1].restore(nil, deletedBy: deletion)
        try await exchange()
        #expect(try await quotes(0) == ["Three ", "Two "])
        #expect(try await stores[0].orphanCount() == 0)
    }

    @Test func `a clip that another program deletes leaves its quotes on no machine`() async throws {
        var draft = ClipDraft()
        (draft.url, draft.quotes) = ("https://a.org", [Quote("One"), Quote("Two")])
        let id = try await stores[0].add([draft])[0]
        try await exchange()
        #expect(try await quotes(1) == ["One ", "Two "])
        let removal = OrphanRemoval(in: stores[0])
        let start = try await removal.run(after: nil)
        _ = try Shell.run("sqlite3", [stores[0].path, "DELETE FROM Clip WHERE id = \(id)"])
        let position = try await removal.run(after: start)
        try await exchange()
        for store in stores {
            let left = try await store.container.count(FetchRequest(Quote.entity))
            #expect(left == 0)
        }
        // They return with the clip, on both.
        #expect(try await stores[0].restore([id]).restored == [id])
        #expect(try await removal.run(after: position).number > position.number)
        try await exchange()
        for machine in [0, 1] { #expect(try await quotes(machine) == ["One ", "Two "]) }
    }

    @Test func `the state of a link remains on its machine, and an address from another one is unchecked`()
        async throws
    {
        var draft = ClipDraft()
        draft.url = "https://a.org/x"
        let id = try await stores[0].add([draft])[0]
        try await exchange()
        _ = try await stores[0].record([draft.url: .live])
        try await exchange()
        #expect(try await clip(0)?.link == .checked)
        let copy = try #require(try await clip(1))
        #expect(copy.link == .unchecked)
        try await stores[1].update(copy.id, [.url: .text("https://a.org/y")])
        try await exchange()
        #expect(try await stores[0].clip(id).url == "https://a.org/y")
        #expect(try await stores[0].clip(id).link == .unchecked)
    }
}
