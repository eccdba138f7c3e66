import Foundation
import PersistentStore
import TestSupport
import Testing

/// The knowledge of a context about objects that it has read.
@Suite struct RegisteredObjectTests {
    let container: PersistentContainer
    let context: StoreContext
    let other: StoreContext

    init() async throws {
        container = try await PersistentContainer(inMemory: Notes.model())
        context = container.makeContext(author: "app")
        other = container.makeContext(author: "other")
    }

    /// Inserts notes and reads them in a context.
    private func read(_ count: Int) async throws -> [ObjectID] {
        for index in 0..<count { try await other.insert("Note", ["title": .text("\(index)")]) }
        try await other.save()
        return try await context.fetch(FetchRequest("Note")).map(\.id)
    }

    private func change(_ id: ObjectID, _ title: AttributeValue, in context: StoreContext) async throws {
        try await context.update(id, ["title": title])
        try await context.save()
    }

    private func isConflict(_ body: () async throws -> Void) async -> Bool {
        do { try await body() } catch StoreError.conflict { return true } catch { Issue.record("\(error)") }
        return false
    }

    @Test func `a context that has read many objects retains few, and detects conflicts with all`()
        async throws
    {
        let ids = try await read(5000)
        let known = try await ids.asyncCount { try await context.registeredObject(for: $0) != nil }
        #expect((1000...2000).contains(known))
        for id in [ids[0], ids[2500], ids[4999]] {
            try await change(id, "theirs", in: other)
            #expect(await isConflict { try await change(id, "ours", in: context) })
            await context.rollback()
            try await context.delete(id)
            #expect(await isConflict { try await context.save() })
            await context.rollback()
        }
        // An object that no one else changed is saved.
        try await change(ids[1], "ours", in: context)
        #expect(try await context.registeredObject(for: ids[1])?["title"] == "ours")
    }

    @Test func `memory grows by a few bytes for each object that is read`() async throws {
        let count = 100_000
        let text = AttributeValue.text(String(repeating: "x", count: 200))
        let rows = (0..<count).lazy.map { _ in ["title": text] }
        _ = try await container.execute(.insert("Note", rows: Array(rows)), author: "other")
        func read(_ keys: ClosedRange<Int64>) async throws {
            for start in stride(from: keys.lowerBound, through: keys.upperBound, by: 500) {
                let page = ObjectPredicate.keys(Array(start..<start + 500))
                #expect(try await context.fetch(FetchRequest("Note", where: page)).count == 500)
            }
        }
        try await read(1...5000)
        let before = try residentBytes()
        try await read(5001...Int64(count))
        #expect(try residentBytes() - before < 6_000_000)
    }

    private func residentBytes() throws -> Int {
        let numbers = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return try #require(Int(numbers[1])) * Int(getpagesize())
    }

    @Test func `a merge updates what is known of all objects`() async throws {
        let ids = try await read(5000)
        let token = try await container.currentToken()
        for id in [ids[0], ids[4999]] { try await change(id, "merged", in: other) }
        try await other.delete(ids[1])
        try await other.save()
        _ = try await context.merge(container.transactions(HistoryFetchRequest(.after(token))))
        for id in [ids[0], ids[4999]] {
            try await change(id, "ours", in: context)
            try await change(id, "later", in: container.makeContext(author: "third"))
        }
        for id in [ids[0], ids[4999]] {
            #expect(await isConflict { try await change(id, "ours again", in: context) })
            await context.rollback()
        }
        await context.fullRefresh()
        for id in [ids[0], ids[4999]] { try await change(id, "ours again", in: context) }
    }

    @Test func `versions of any size are known`() async throws {
        let ids = try await read(1100)
        for round in 1...300 { try await change(ids[0], .text("\(round)"), in: other) }
        #expect(try await context.object(ids[0])?.version == 301)
        _ = try await context.fetch(FetchRequest("Note", where: .not(.keys([ids[0].key]))))
        try await change(ids[0], "theirs", in: other)
        #expect(await isConflict { try await change(ids[0], "ours", in: context) })
    }

    @Test func `a registered object includes unsaved changes, and none is read`() async throws {
        let ids = try await read(2)
        try await change(ids[0], "theirs", in: other)
        #expect(try await context.registeredObject(for: ids[0])?["title"] == "0")
        try await context.update(ids[0], ["rank": 3])
        #expect(try await context.registeredObject(for: ids[0])?["rank"] == 3)
        try await context.delete(ids[1])
        #expect(try await context.registeredObject(for: ids[1]) == nil)
        let fresh = container.makeContext(author: "app")
        #expect(try await fresh.registeredObject(for: ids[0]) == nil)
    }

    @Test func `a refresh bases unsaved changes on the new state, or discards them`() async throws {
        let ids = try await read(2)
        for id in ids {
            try await change(id, "theirs", in: other)
            try await context.update(id, ["rank": 5])
        }
        #expect(await isConflict { try await context.save() })
        let first = try #require(try await context.refresh(ids[0]))
        #expect(first["title"] == "theirs" && first["rank"] == 5)
        let second = try #require(try await context.refresh(ids[1], keepsChanges: false))
        #expect(second["title"] == "theirs" && second["rank"] == 0)
        try await context.save()
        #expect(try await container.objects().map { $0["rank"] } == [5, 0])

        try await context.update(ids[1], ["rank": 6])
        try await other.delete(ids[1])
        try await other.save()
        #expect(try await context.refresh(ids[1]) == nil)
        #expect(await isConflict { try await context.save() })
        #expect(try await context.refresh(ids[1], keepsChanges: false) == nil)
        #expect(await !context.hasChanges)
    }

    @Test func `a reset discards changes and knowledge, but no temporary ID`() async throws {
        let temporary = try await context.insert("Note", ["title": "a"])
        let id = try await context.save().permanentID(temporary)
        try await change(id, "theirs", in: other)
        try await context.insert("Note", ["title": "b"])
        await context.reset()
        #expect(await !context.hasChanges)
        #expect(try await context.registeredObject(for: id) == nil)
        // Nothing is known of the object, so a change applies to any version.
        try await change(temporary, "ours", in: context)
        #expect(try await container.objects().map { $0["title"] } == ["ours"])
    }
}

extension Array {
    fileprivate func asyncCount(where isIncluded: (Element) async throws -> Bool) async rethrows -> Int {
        var count = 0
        for element in self where try await isIncluded(element) { count += 1 }
        return count
    }
}
