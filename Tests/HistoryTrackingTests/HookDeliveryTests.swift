import Glibc
import HistoryTracking
import PersistentStore
import Synchronization
import TestSupport
import Testing

/// Guarantees to hooks beyond order and number: long transactions, skipped ranges, and threads.
@Suite struct HookDeliveryTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    let other: StoreContext

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(folder)
        other = container.makeContext(author: "other")
    }

    private var parameters: TrackingParameters { .quiet("hooked") }

    private func isUpToDate(_ tracker: HistoryTracker) async throws -> Bool {
        let newest = try await container.currentToken()
        return await soon { await tracker.deliveredToken == newest }
    }

    private func commit(_ count: Int) async throws {
        for _ in 0..<count { try await other.insert("Note", ["title": "x"]) }
        try await other.save()
    }

    /// Records its input.
    struct Noting: HistoryDeduplicator {
        let journal: Journal
        func deduplicate(_ transactions: [HistoryTransaction]) async throws {
            journal.add("deduplicator " + HookDeliveryTests.text(transactions))
        }
        func historyWasSkipped(_ skipped: SkippedHistory) async { journal.add("deduplicator skipped") }
    }

    static func text(_ transactions: [HistoryTransaction]) -> String {
        transactions.map { "\($0.changes.count) of \($0.pieceIndex)\($0.isComplete ? " last" : "")" }
            .joined(separator: ", ")
    }

    @Test func `a transaction of more than 1,000 changes reaches all hooks in numbered pieces`() async throws
    {
        let journal = Journal()
        var parameters = parameters
        parameters.deduplicator = Noting(journal: journal)
        let tracker = HistoryTracker(container: container, parameters: parameters)
        await tracker.registerObserver { journal.add("observer " + Self.text([$0])) }
        await tracker.registerMergeHook { transactions, _ in
            journal.add("hook " + Self.text(transactions))
            return .proceed
        }
        try await tracker.start()
        try await commit(2500)
        #expect(try await isUpToDate(tracker))
        let pieces = ["1000 of 0", "1000 of 1", "500 of 2 last"]
        #expect(journal.lines == pieces.flatMap { ["observer \($0)", "hook \($0)", "deduplicator \($0)"] })
        await tracker.stop()
    }

    @Test func `hooks receive the range that a full refresh skipped, and the following transactions`()
        async throws
    {
        let journal = Journal()
        let ranges = Mutex<[SkippedHistory]>([])
        var parameters = parameters
        parameters.deduplicator = Noting(journal: journal)
        let consumer = RecordingConsumer(batchLimit: .refreshBeyond(3))
        let tracker = HistoryTracker(container: container, parameters: parameters, consumer: consumer)
        await tracker.registerObserver { journal.add("observer " + Self.text([$0])) }
        let observer = await tracker.registerRefreshObserver { skipped in
            ranges.withLock { $0.append(skipped) }
        }
        try await tracker.start()
        let start = try await container.currentToken()
        try await commit(4)
        #expect(try await isUpToDate(tracker))
        let newest = try await container.currentToken()
        #expect(
            ranges.withLock { $0 } == [
                SkippedHistory(after: start, upTo: newest, reason: .tooManyChanges)
            ])
        try await commit(2)
        #expect(try await isUpToDate(tracker))
        #expect(
            journal.lines == ["deduplicator skipped", "observer 2 of 0 last", "deduplicator 2 of 0 last"])
        #expect(await tracker.statistics.refreshes == 2)
        #expect(await tracker.removeObserver(observer))
        try await commit(4)
        #expect(try await isUpToDate(tracker))
        #expect(ranges.withLock { $0.count } == 1)
        await tracker.stop()
    }

    @Test func `hooks receive the missing range after a cursor expired`() async throws {
        let ranges = Mutex<[SkippedHistory]>([])
        let tracker = HistoryTracker(container: container, parameters: parameters)
        await tracker.registerRefreshObserver { skipped in ranges.withLock { $0.append(skipped) } }
        try await tracker.start()
        let start = try await container.currentToken()
        await tracker.stop()
        try await commit(3)
        _ = try await container.purgeHistory(maximumAge: .seconds(-60))
        try await tracker.start()
        #expect(try await isUpToDate(tracker))
        let newest = try await container.currentToken()
        #expect(
            ranges.withLock { $0 } == [
                SkippedHistory(after: start, upTo: newest, reason: .unusableCursor)
            ])
        await tracker.stop()
    }

    /// The names of the calls, by thread.
    final class Threads: HistoryConsumer, HistoryDeduplicator, CursorStorage {
        private let names = Mutex<[UInt: Set<String>]>([:])
        var all: [Set<String>] { names.withLock { Array($0.values) } }
        func note(_ name: String) {
            let thread = UInt(pthread_self())
            names.withLock { _ = $0[thread, default: []].insert(name) }
        }
        func refresh(from snapshot: borrowing StoreSnapshot) throws { note("reader") }
        func consume(_ transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot) throws {
            note("reader")
        }
        func deduplicate(_ transactions: [HistoryTransaction]) async throws { note("deduplicator") }
        func cursor(forKey key: String) throws -> String? {
            note("storage")
            return nil
        }
        func setCursor(_ text: String, forKey key: String) throws { note("storage") }
    }

    @Test func `hooks and a cursor's storage do not run on the reader's thread`() async throws {
        let threads = Threads()
        var parameters = parameters
        parameters.deduplicator = threads
        parameters.cursor = .external(threads)
        let tracker = HistoryTracker(container: container, parameters: parameters, consumer: threads)
        await tracker.registerObserver { _ in threads.note("observer") }
        await tracker.registerMergeHook { _, _ in
            threads.note("hook")
            return .proceed
        }
        try await tracker.start()
        for _ in 0..<20 {
            try await commit(1)
            #expect(try await isUpToDate(tracker))
        }
        await tracker.stop()
        #expect(Set(threads.all.joined()) == ["reader", "storage", "observer", "hook", "deduplicator"])
        #expect(threads.all.filter { $0.contains("reader") } == [["reader"]])
    }
}
