import ClipsCore
import Foundation
import PersistentStore
import Synchronization
import TestSupport
import Testing

/// The transactions that can be undone, derived from the history alone.
@Suite struct UndoHistoryTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "clips.db")
    }

    private func store(_ author: String = "app") async throws -> ClipStore {
        try await ClipStore(path: path, author: author)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `the next process has the undo stacks of the last one`(seed: UInt64) async throws {
        var generator = SeededRandom(seed: seed)
        var undoable: [HistoryToken] = []
        var redoable: [HistoryToken] = []
        var current = try await store()
        let other = try await store("other")
        var draft = ClipDraft()
        for step in 0..<60 {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0, 1:
                draft.title = "step \(step)"
                undoable.append(try #require(try await current.add(draft).token))
                redoable = []
            case 2:
                draft.title = "other \(step)"
                _ = try await other.add([draft])
            case 3:
                current = try await store()
            case 4:
                guard let token = undoable.popLast() else { continue }
                redoable.append(try #require(try await current.undo(token).token))
            default:
                guard let token = redoable.popLast() else { continue }
                undoable.append(try #require(try await current.undo(token, isRedoing: true).token))
            }
            let work = try await current.undoHistory()
            #expect(work.undoable.map(\.token) == undoable, "seed \(seed), step \(step)")
            #expect(work.redoable.map(\.token) == redoable, "seed \(seed), step \(step)")
        }
    }

    @Test func `the history is read only as far back as needed`() async throws {
        let now: Int64 = 1_800_000_000_000
        func store(_ minutes: Int64, _ author: String = "app") async throws -> ClipStore {
            var options = StoreOptions()
            options.clock = { now - minutes * 60_000 }
            return try await ClipStore(path: path, author: author, options: options)
        }
        var draft = ClipDraft()
        draft.title = "a"
        // Eight days ago, five days ago, two hours ago, with other authors' work between them.
        for minutes in [8 * 1440, 5 * 1440, 120] as [Int64] {
            _ = try await store(minutes).add([draft])
            _ = try await store(minutes, "other").add([draft, draft])
        }
        let current = try await store(0)
        let first = try await current.undoHistory()
        #expect(first.undoable.count == 1 && !first.isComplete)
        let second = try await current.undoHistory(behind: first)
        #expect(second.undoable.count == 2 && second.isComplete)
        #expect(second.undoable.last == first.undoable.last)
        #expect(try await current.undoHistory(behind: second) == second)
        // A transaction that was undone in a later period is not offered from an earlier one.
        _ = try await current.undo(#require(second.undoable.first).token)
        let again = try await store(0).undoHistory()
        #expect(again.undoable == first.undoable && again.redoable.count == 1)
        #expect(try await store(0).undoHistory(behind: again).undoable == first.undoable)
        // Redoing reads no further than to the last work.
        #expect(try await store(0).undoHistory(isRedoing: true).redoable.count == 1)
    }

    @Test func `the work of a session is distinguished from earlier work`() async throws {
        var draft = ClipDraft()
        draft.title = "before"
        _ = try await store().add([draft])
        let now = try await store()
        _ = try await now.add([draft])
        #expect(try await now.undoHistory().undoable.map(\.isOfSession) == [false, true])
    }

    @Test func `undoing a change of a deleted clip leaves it deleted, and the other clips as they are`()
        async throws
    {
        let store = try await store()
        var draft = ClipDraft()
        draft.title = "a"
        let ids = try await store.add([draft, draft])
        let starred = try await store.toggle(.starred, of: ids)
        #expect(starred.value.isOn && starred.value.clips.count == 2)
        _ = try await self.store("other").delete([ids[0]])
        _ = try await store.undo(#require(starred.token))
        #expect(try await !store.clip(ids[1]).isStarred)
        await #expect(throws: ClipError.self) { try await store.clip(ids[0]) }
    }
}

@Suite struct BulkTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "clips.db")
    }

    @Test func `two writers that tag the same clips lose no tag`() async throws {
        let first = try await ClipStore(path: path, author: "first")
        var draft = ClipDraft()
        draft.title = "a"
        let ids = try await first.add(Array(repeating: draft, count: 5))
        let path = path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<3 {
                group.addTask {
                    let store = try await ClipStore(path: path, author: "writer \(writer)")
                    for round in 0..<6 {
                        // Conflicts occur now and then; the writer tries again.
                        while true {
                            do {
                                _ = try await store.tag(ids, adding: ["w\(writer)r\(round)"], removing: [])
                                break
                            } catch StoreError.conflict {
                                continue
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for id in ids { #expect(try await Set(first.clip(id).tags).count == 18) }
    }

    @Test func `a star is added to the clips without one, and removed if all have it`() async throws {
        let store = try await ClipStore(path: path, author: "app")
        var draft = ClipDraft()
        draft.title = "a"
        let ids = try await store.add([draft, draft, draft])
        _ = try await store.update(ids[1], [.starred: .boolean(true)])
        let given = try await store.toggle(.starred, of: ids + [9999])
        #expect(given.value.isOn && given.value.clips == [ids[0], ids[2]])
        let taken = try await store.toggle(.starred, of: ids)
        #expect(!taken.value.isOn && taken.value.clips == ids)
        #expect(try await store.toggle(.starred, of: [9999]).token == nil)
    }

    @Test func `the tags of the newest clips are sorted by use`() async throws {
        let store = try await ClipStore(path: path, author: "app")
        var drafts: [ClipDraft] = []
        for tags in [["old"], ["b", "a"], ["b"], ["a", "b", "c"], []] {
            var draft = ClipDraft()
            draft.title = "x"
            draft.tags = tags
            drafts.append(draft)
            _ = try await store.add([draft])
        }
        #expect(try await store.tagCounts().map(\.name) == ["b", "a", "c", "old"])
    }

    @Test func `the values before and after a change are derived from the history`() async throws {
        let store = try await ClipStore(path: path, author: "app")
        var draft = ClipDraft()
        draft.title = "one"
        let (id, _, added) = try await store.add(draft)
        let second = try await store.update(id, [.title: .text("two"), .note: .text("n")])
        _ = try await store.update(id, [.title: .text("three")])
        let deleted = try await store.delete([id])
        func detail(_ token: HistoryToken?) async throws -> TransactionDetail {
            let token = try #require(token)
            return try #require(try await store.container.read { try TransactionDetail(token, in: $0) })
        }
        let insertion = try await detail(added)
        #expect(insertion.changes.map(\.title) == ["one"] && insertion.showsOriginalValues)
        #expect(insertion.changes[0].replacements.first?.new == .text("one"))
        let update = try await detail(second.token)
        #expect(
            update.changes[0].replacements.map {
                [$0.attribute, $0.old?.textValue ?? "", $0.new?.textValue ?? ""]
            }
                == [["title", "one", "two"], ["note", "", "n"]])
        // After too many changes, the new value is the present one.
        let later = try #require(second.token)
        let bounded = try await store.container.read {
            try TransactionDetail(later, maxLaterChanges: 1, in: $0)
        }
        #expect(
            bounded?.showsOriginalValues == false && bounded?.changes.first?.replacements.first?.new == nil)
        let deletion = try await detail(deleted.token)
        #expect(deletion.changes[0].title == "three" && !deletion.changes[0].exists)
        _ = try await store.restore(id, deletedBy: #require(deleted.token))
        #expect(try await detail(deleted.token).changes[0].exists)
        #expect(try await store.restore(id, deletedBy: #require(deleted.token)).value.isEmpty)
    }

    @Test func `a preview of cleaning equals the cleaning`() async throws {
        let day: Int64 = 24 * 3600 * 1000
        // Timestamps never decrease in a store, so the test begins with the oldest.
        var past = StoreOptions()
        past.clock = { 1_700_000_000_000 }
        let store = try await ClipStore(path: path, author: "app", options: past)
        let begin = try await store.container.currentToken()
        _ = try await store.container.registerConsumer("slow", startingAt: begin)
        var draft = ClipDraft()
        for number in 0..<6 {
            var options = StoreOptions()
            let time = Int64(1_700_000_000_000) + Int64(number) * day
            options.clock = { time }
            let then = try await ClipStore(path: path, author: "app", options: options)
            draft.title = "clip \(number)"
            let ids = try await then.add([draft, draft])
            if number == 3 {
                try await store.container.moveCursor(of: "slow", to: then.container.currentToken())
            }
            #expect(ids.count == 2)
            await then.container.close()
        }
        var options = StoreOptions()
        let today = Int64(1_700_000_000_000) + 6 * day
        options.clock = { today }
        let now = try await ClipStore(path: path, author: "app", options: options)
        let date = Date(timeIntervalSince1970: Double(today) / 1000)
        // One for all previews: each continues from the counts of the one before.
        let counter = Mutex(HistoryCounter())
        func preview(_ youngest: Double, _ oldest: Double) async throws -> CleaningPreview {
            try await now.container.read { snapshot in
                func preview(_ counter: inout HistoryCounter) throws -> CleaningPreview {
                    try CleaningPreview(
                        youngest: date - youngest * 86400, oldest: date - oldest * 86400, counter: &counter,
                        in: snapshot)
                }
                var fresh = HistoryCounter()
                let full = try preview(&fresh)
                let continued = try counter.withLock { try preview(&$0) }
                #expect(continued == full)
                return continued
            }
        }
        // Limited by the slow consumer; by age; by the minimum age.
        #expect(try await preview(0.5, 30).removable == HistoryCount(transactions: 4, changes: 8))
        #expect(try await preview(0.5, 30).holder == "slow")
        #expect(try await preview(0.5, 1.5).removable == HistoryCount(transactions: 5, changes: 10))
        let young = try await preview(3.5, 30)
        #expect(young.removable == HistoryCount(transactions: 3, changes: 6) && young.holder == nil)
        let gone = try await now.container.purgeHistory(
            maximumAge: .seconds(30 * 86400), minimumAge: .seconds(3 * 86400 + 43200))
        #expect(gone.transactions == 3 && gone.changes == 6)
        var added = ClipDraft()
        added.title = "later"
        _ = try await now.add(added)
        let later = try await preview(0.5, 30)
        #expect(
            later.total
                == HistoryCount(transactions: young.total.transactions - 2, changes: young.total.changes - 5))
    }
}
