import Glibc
import HistoryTracking
import PersistentStore
import TestSupport
import Testing

/// Apps that track one store, each with its own contexts.
@Suite struct SeveralAppsTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(folder)
    }

    private func parameters(_ name: String, _ contexts: [StoreContext] = []) -> TrackingParameters {
        .quiet(name, contexts: contexts)
    }

    private func hasAll(_ tracker: HistoryTracker) async throws -> Bool {
        let newest = try await container.currentToken()
        return await soon { await tracker.deliveredToken == newest }
    }

    @Test func `two apps update each other's registered objects`() async throws {
        let containers = [container, try await Notes.open(folder)]
        let views = [containers[0].makeContext(author: "app"), containers[1].makeContext(author: "widget")]
        let trackers = (0..<2).map { index in
            HistoryTracker(
                container: containers[index],
                parameters: parameters(views[index].author ?? "", [views[index]]))
        }
        let id = try await views[0].save(inserting: ["title": "a"])
        for tracker in trackers { try await tracker.start() }
        for view in views { _ = try await view.object(id) }
        // In turn, each on the other's save: without the merge it would be a conflict.
        for round in 0..<6 {
            for tracker in trackers { #expect(try await hasAll(tracker)) }
            try await views[round % 2].update(id, ["title": .text("\(round)")])
            try await views[round % 2].save()
        }
        #expect(try await container.objects().map { $0["title"] } == ["5"])
        for tracker in trackers { await tracker.stop() }
    }

    @Test func `every context of a tracker is updated, except with its own changes`() async throws {
        let contexts = ["list", "detail", "search"].map { container.makeContext(author: "app", name: $0) }
        let id = try await container.makeContext(author: "other").save(inserting: ["title": "a"])
        for context in contexts { _ = try await context.object(id) }
        let merged = Journal()
        let tracker = HistoryTracker(container: container, parameters: parameters("app", contexts))
        await tracker.registerMergeObserver { result, context in
            merged.add("\(context.name ?? "-") \(result.updated.count) \(result.inserted.count)")
        }
        try await tracker.start()
        #expect(try await hasAll(tracker))
        try await contexts[0].update(id, ["title": "from the list"])
        try await contexts[0].save()
        #expect(try await hasAll(tracker))
        #expect(merged.lines == ["detail 1 0", "search 1 0"])
        try await contexts[2].update(id, ["title": "from the search"])
        try await contexts[2].save()
        #expect(try await hasAll(tracker))
        #expect(merged.lines.dropFirst(2) == ["list 1 0", "detail 1 0"])
        await tracker.stop()
    }

    @Test func `own commits are not merged and call no hook`() async throws {
        let (view, calls) = (container.makeContext(author: "app"), Journal())
        let tracker = HistoryTracker(container: container, parameters: parameters("app", [view]))
        await tracker.registerMergeObserver { _, _ in calls.add("merged") }
        await tracker.registerObserver { _ in calls.add("observed") }
        await tracker.registerMergeHook { _, _ in
            calls.add("hooked")
            return .proceed
        }
        try await tracker.start()
        let id = try await view.save(inserting: ["title": "a"])
        for number in 0..<20 {
            try await view.update(id, ["title": .text("\(number)")])
            try await view.save()
        }
        #expect(try await hasAll(tracker))
        #expect(calls.lines.isEmpty)
        await tracker.stop()
    }

    @Test func `commits during an absence are merged and passed to the hooks at the start`() async throws {
        let view = container.makeContext(author: "app")
        let id = try await view.save(inserting: ["title": "a"])
        let first = HistoryTracker(container: container, parameters: parameters("app", [view]))
        try await first.start()
        await first.stop()
        let process = try StoreWriterProcess(container.path, author: "extension")
        #expect(try process.ask("retitle \(id.key) theirs") == "done")
        process.process.killNow()
        let calls = Journal()
        let second = HistoryTracker(container: container, parameters: parameters("app", [view]))
        await second.registerMergeObserver { result, _ in calls.add("merged \(result.updated.count)") }
        await second.registerObserver { calls.add("observed \($0.changes.count)") }
        try await second.start()
        #expect(try await hasAll(second))
        #expect(calls.lines == ["observed 1", "merged 1"])
        try await view.update(id, ["title": "mine"])
        try await view.save()
        await second.stop()
    }

    @Test func `a read-only process stores its cursor elsewhere and continues from it`() async throws {
        let writer = container.makeContext(author: "app")
        var options = StoreOptions()
        options.access = .readOnly
        let readOnly = try await Notes.open(folder, options: options)
        let shelf = TrackingParametersTests.Shelf()
        var parameters = parameters("reader")
        parameters.cursor = .external(shelf)
        for round in 0..<3 {
            _ = try await writer.save(inserting: ["title": "while away"])
            let consumer = RecordingConsumer()
            let tracker = HistoryTracker(container: readOnly, parameters: parameters, consumer: consumer)
            try await tracker.start()
            _ = try await writer.save(inserting: ["title": "while there"])
            #expect(try await hasAll(tracker))
            await tracker.stop()
            if round == 0 {
                #expect(consumer.seen.refreshes == 1)
            } else {
                #expect(consumer.seen.refreshes == 0 && consumer.changes == 2)
            }
        }
        #expect(try await container.read { try $0.consumers() }.isEmpty)
    }
}
