import HistoryTracking
import PersistentStore
import Synchronization
import TestSupport
import Testing

/// Observers, merge hooks, and the deduplicator: their input, its order, and the number of calls.
@Suite struct HookTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(folder)
    }

    struct Refusal: Error {}

    private func parameters(_ contexts: [StoreContext] = []) -> TrackingParameters {
        .quiet("hooked", contexts: contexts)
    }

    private func started(
        _ parameters: TrackingParameters, _ prepare: (HistoryTracker) async throws -> Void
    ) async throws -> HistoryTracker {
        let tracker = HistoryTracker(container: container, parameters: parameters)
        try await prepare(tracker)
        try await tracker.start()
        return tracker
    }

    private func isUpToDate(_ tracker: HistoryTracker) async throws -> Bool {
        let newest = try await container.currentToken()
        return await soon { await tracker.deliveredToken == newest }
    }

    @Test func `observers are called by entity and kind, one group at a time, in order`() async throws {
        let journal = Journal()
        let tracker = try await started(parameters()) { tracker in
            await tracker.registerObserver(entity: "Note", kind: .insert) { changes in
                journal.add("first \(changes.changes[0].kind) \(changes.changes.count)")
            }
            await tracker.registerObserver { changes in
                journal.add("any \(changes.changes[0].kind) \(changes.changes.count)")
            }
            await tracker.registerObserver(entity: "Other") { _ in journal.add("never") }
        }
        let other = container.makeContext(author: "other")
        let id = try await other.save(inserting: ["title": "a"])
        try await other.insert("Note", ["title": "b"])
        try await other.update(id, ["title": "c"])
        try await other.insert("Note", ["title": "d"])
        try await other.save()
        try await other.delete(id)
        try await other.save()
        #expect(try await isUpToDate(tracker))
        #expect(
            journal.lines == [
                "first insert 1", "any insert 1", "first insert 2", "any insert 2", "any update 1",
                "any delete 1",
            ])
        await tracker.stop()
    }

    @Test func `an observer receives the tombstone, the author, and the context's name`() async throws {
        let journal = Journal()
        let tracker = try await started(parameters()) { tracker in
            await tracker.registerObserver(kind: .delete) { changes in
                let title = changes.changes.first?.tombstone?["title"]?.textValue ?? "-"
                journal.add(
                    "\(changes.author ?? "-") \(changes.contextName ?? "-") \(title)")
            }
        }
        let other = container.makeContext(author: "other", name: "batch")
        let id = try await other.save(inserting: ["title": "retained"])
        try await other.delete(id)
        try await other.save()
        #expect(try await isUpToDate(tracker))
        #expect(journal.lines == ["other batch retained"])
        await tracker.stop()
    }

    @Test func `a removed observer is no longer called`() async throws {
        let journal = Journal()
        let tracker = try await started(parameters()) { _ in }
        let one = await tracker.registerObserver { _ in journal.add("one") }
        await tracker.registerObserver(entity: "Note", kind: .insert) { _ in journal.add("two") }
        await tracker.registerObserver { _ in journal.add("three") }
        #expect(await tracker.removeObserver(one))
        #expect(await !tracker.removeObserver(one))
        _ = try await container.makeContext(author: "other").save(inserting: ["title": "a"])
        #expect(try await isUpToDate(tracker))
        #expect(journal.lines == ["two", "three"])
        await tracker.stop()
    }

    @Test func `hooks skip the tracker's own contexts, but not another process of the same author`()
        async throws
    {
        let journal = Journal()
        let view = container.makeContext(author: "app")
        let tracker = try await started(parameters([view])) { tracker in
            await tracker.registerObserver { journal.add($0.contextName ?? "view") }
        }
        _ = try await view.save(inserting: ["title": "own"])
        let namesake = try await Notes.open(folder).makeContext(author: "app", name: "namesake")
        _ = try await namesake.save(inserting: ["title": "other"])
        #expect(try await isUpToDate(tracker))
        #expect(journal.lines == ["namesake"])
        await tracker.stop()
    }

    @Test func `a hook that saves does not trigger itself, and its save is merged`() async throws {
        let (view, journal) = (container.makeContext(author: "view"), Journal())
        let container = container
        let tracker = try await started(parameters([view])) { tracker in
            await tracker.registerObserver(kind: .insert) { changes in
                journal.add("\(changes.number)")
                // An unregistered context, as a hook would create.
                let context = container.makeContext(author: "hook")
                for change in changes.changes { try await context.update(change.objectID, ["rank": 7]) }
                try await context.insert("Note", ["title": "made by the hook"])
                try await context.save()
            }
        }
        let start = try await container.currentToken()
        let id = try await container.makeContext(author: "other").save(inserting: ["title": "a"])
        _ = try await view.object(id)
        #expect(await soon { journal.lines.count == 1 })
        #expect(
            try await soon { try await container.count(HistoryFetchRequest(.after(start))).transactions == 2 }
        )
        #expect(try await isUpToDate(tracker))
        #expect(journal.lines.count == 1)
        // An update of the object in the view would conflict unless the hook's update was merged.
        try await view.update(id, ["title": "b"])
        try await view.save()
        await tracker.stop()
    }

    @Test func `merge hooks run in sequence, before another on request, and any can finish the sequence`()
        async throws
    {
        let (view, journal) = (container.makeContext(author: "view"), Journal())
        let other = container.makeContext(author: "other")
        let id = try await other.save(inserting: ["title": "a"])
        _ = try await view.object(id)
        let tracker = HistoryTracker(container: container, parameters: parameters([view]))
        await tracker.registerMergeObserver { result, _ in journal.add("merged \(result.updated.count)") }
        try await tracker.start()
        let last = await tracker.registerMergeHook { _, contexts in
            journal.add("last \(contexts.count)")
            return .proceed
        }
        await tracker.registerMergeHook(before: last) { transactions, _ in
            journal.add("before \(transactions.count)")
            return .proceed
        }
        try await other.update(id, ["title": "b"])
        try await other.save()
        #expect(try await isUpToDate(tracker))
        #expect(journal.lines == ["before 1", "last 1", "merged 1"])
        let finishing = await tracker.registerMergeHook(before: last) { _, _ in .finish }
        try await other.update(id, ["title": "c"])
        try await other.save()
        #expect(try await isUpToDate(tracker))
        #expect(journal.lines == ["before 1", "last 1", "merged 1", "before 1"])
        #expect(await tracker.removeObserver(finishing))
        #expect(await tracker.removeObserver(last))
        try await other.update(id, ["title": "d"])
        try await other.save()
        #expect(try await isUpToDate(tracker))
        #expect(journal.lines.last == "merged 1")
        await tracker.stop()
    }

    /// Of two notes with one title, the older remains.
    struct OldestTitleStays: HistoryDeduplicator {
        let container: PersistentContainer

        func deduplicate(_ transactions: [HistoryTransaction]) async throws {
            let context = container.makeContext(author: "deduplicator")
            let notes = try await context.fetch(FetchRequest("Note"))
            for (_, same) in Dictionary(grouping: notes, by: { $0["title"] }) {
                for note in same.sorted(by: { $0.id.key < $1.id.key }).dropFirst() {
                    try await context.delete(note.id)
                }
            }
            try await context.save()
        }
    }

    @Test func `two processes that remove duplicates concurrently agree on the remaining objects`()
        async throws
    {
        let second = try await Notes.open(folder)
        var trackers: [HistoryTracker] = []
        for container in [container, second] {
            var parameters = parameters()
            parameters.deduplicator = OldestTitleStays(container: container)
            let tracker = HistoryTracker(container: container, parameters: parameters)
            try await tracker.start()
            trackers.append(tracker)
        }
        for _ in 0..<5 {
            async let one = container.makeContext(author: "one").save(inserting: ["title": "same"])
            async let two = second.makeContext(author: "two").save(inserting: ["title": "same"])
            _ = try await (one, two)
        }
        #expect(try await soon { try await container.objects().count == 1 })
        let newest = try await container.currentToken()
        for tracker in trackers { #expect(await soon { await tracker.deliveredToken == newest }) }
        let left = try await container.objects()
        #expect(left.map(\.id.key) == [1])
        for tracker in trackers { await tracker.stop() }
    }

    @Test(arguments: [TrackingStep.observer, .mergeHook, .deduplicator])
    func `a batch at which a hook always throws is parked and reported, and later ones flow`(
        step: TrackingStep
    )
        async throws
    {
        struct Throwing: HistoryDeduplicator {
            let body: @Sendable ([HistoryTransaction]) throws -> Void
            func deduplicate(_ transactions: [HistoryTransaction]) async throws { try body(transactions) }
        }
        let journal = Journal()
        let body: @Sendable ([HistoryTransaction]) throws -> Void = { transactions in
            for transaction in transactions {
                journal.add(transaction.contextName ?? "-")
                if transaction.contextName == "poison" { throw Refusal() }
            }
        }
        var parameters = parameters()
        if step == .deduplicator { parameters.deduplicator = Throwing(body: body) }
        let tracker = HistoryTracker(container: container, parameters: parameters)
        if step == .observer { await tracker.registerObserver { try body([$0]) } }
        if step == .mergeHook {
            await tracker.registerMergeHook { transactions, _ in
                try body(transactions)
                return .proceed
            }
        }
        try await tracker.start()
        await tracker.stop()
        for name in ["before", "poison", "after", "later"] {
            _ = try await container.makeContext(author: "other", name: name).save(inserting: ["title": "x"])
        }
        let poison = try await container.transactions().first { $0.contextName == "poison" }
        try await tracker.start()
        #expect(try await isUpToDate(tracker))
        #expect(journal.lines.suffix(2) == ["after", "later"])
        // Once among the others, then alone.
        #expect(journal.lines.filter { $0 == "poison" }.count == 4)
        #expect(
            await tracker.parked == [
                ParkedTransaction(number: poison?.number ?? 0, step: step, errorType: "Refusal")
            ])
        #expect(await tracker.statistics.parked == 1)
        _ = try await container.makeContext(author: "other", name: "at last").save(inserting: ["title": "x"])
        #expect(try await isUpToDate(tracker))
        #expect(journal.lines.last == "at last")
        await tracker.stop()
    }

    @Test
    func
        `a batch that a consumer always refuses is parked and reported, and the rest arrives once, in order`()
        async throws
    {
        let consumer = RecordingConsumer(refusing: { $0.contains { $0.contextName == "poison" } })
        var parameters = parameters()
        parameters.failuresBeforeParking = 3
        let tracker = HistoryTracker(container: container, parameters: parameters, consumer: consumer)
        try await tracker.start()
        await tracker.stop()
        for name in ["before", "poison", "after", "later"] {
            _ = try await container.makeContext(author: "other", name: name).save(inserting: ["title": "x"])
        }
        let poison = try await container.transactions().first { $0.contextName == "poison" }
        try await tracker.start()
        #expect(try await isUpToDate(tracker))
        #expect(consumer.seen.transactions.map(\.contextName) == ["before", "after", "later"])
        #expect(
            await tracker.parked == [
                ParkedTransaction(number: poison?.number ?? 0, step: .consumer, errorType: "Refusal")
            ])
        await tracker.stop()
    }
}
