import ClipsCore
import LiveQuery
import PersistentStore
import Synchronization
import TestSupport
import Testing

/// A list whose filter finds nothing in its first step.
@Suite struct LateRowsTests {
    private struct LateSelection: ListSelection {
        let all: [Int64]
        private var steps = 0
        private var found: [Int64] = []

        init(_ all: [Int64]) { self.all = all }

        var isSorted: Bool { true }
        var isComplete: Bool { steps >= 4 }
        var count: Int { found.count }

        func keys(_ range: Range<Int>) -> [Int64] { Array(found[range]) }

        func index(of position: SortPosition, in snapshot: borrowing StoreSnapshot) -> Int {
            found.firstIndex(of: position.key) ?? 0
        }

        mutating func extend(wanted: Int?, in snapshot: borrowing StoreSnapshot) {
            steps += 1
            if steps == 3 { found = all }
        }

        mutating func apply(
            _ changes: [ListCandidate], in snapshot: borrowing StoreSnapshot
        ) -> [(old: SortPosition?, new: SortPosition?)] {
            changes.map { _ in (nil, nil) }
        }
    }

    @Test func `rows that the first step did not find are shown`() async throws {
        let folder = try TemporaryFolder()
        let store = try await ClipStore(path: folder.path(of: "clips.db"), author: "test")
        var draft = ClipDraft()
        draft.title = "a"
        let ids = try await store.add([draft, draft])
        let inbox = Mutex<[LiveMessage<ClipRow>]>([])
        let source = LiveSource<ClipQuery, ClipRow>(
            ClipQuery(), in: store.container, select: { _ in LateSelection(ids) },
            commit: { TransactionSummary($0, ownSession: nil) },
            deliver: { messages in inbox.withLock { $0 += messages } })
        await source.show(ClipQuery(filter: "x"), generation: 1)
        let isCounted = { inbox.withLock { $0.contains { if case .count = $0 { true } else { false } } } }
        #expect(await soon { isCounted() })
        var list = LiveList<ClipRow>(height: 10)
        for message in inbox.withLock({ $0 }) {
            switch message {
            case .window(let window, _): list.replace(window: window)
            case .count(let count, _): list.setCount(count)
            default: break
            }
        }
        #expect(list.rows.map(\.id) == ids)
        #expect(list.count == 2 && !list.isAwaitingCursor)
        await store.close()
    }
}
