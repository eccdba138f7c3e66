import PersistentStore
import TestSupport
import Testing

/// The results of conflicting changes under each merge policy.
@Suite struct MergePolicyTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    let context: StoreContext
    let other: StoreContext

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(folder)
        context = container.makeContext(author: "app")
        other = container.makeContext(author: "other")
    }

    /// A note that this context has read and another has since changed, or deleted if nil.
    private func note(changedTo theirs: [String: AttributeValue]?) async throws -> ObjectID {
        let id = try await other.save(inserting: ["title": "base", "body": "base", "rank": 1])
        _ = try await context.object(id)
        if let theirs { try await other.update(id, theirs) } else { try await other.delete(id) }
        try await other.save()
        return id
    }

    private func stored(_ id: ObjectID) async throws -> [String: AttributeValue]? {
        let found = try await container.objects(FetchRequest("Note", where: .keys([id.key]))).first
        return found.map { $0.values.filter { $0.key != "created" } }
    }

    private func conflicts(_ body: () async throws -> Void) async -> [SaveConflict] {
        do { try await body() } catch StoreError.conflict(let conflicts) { return conflicts } catch {
            Issue.record("\(error)")
        }
        return []
    }

    @Test(
        arguments: [
            (MergePolicy.storeTrumps, ["title": "theirs", "body": "base", "rank": 7]),
            (.objectTrumps, ["title": "ours", "body": "ours", "rank": 1]),
            (.byPropertyStoreTrumps, ["title": "theirs", "body": "ours", "rank": 7]),
            (.byPropertyObjectTrumps, ["title": "ours", "body": "ours", "rank": 7]),
        ] as [(MergePolicy, [String: AttributeValue])])
    func `changed on both sides`(policy: MergePolicy, wanted: [String: AttributeValue]) async throws {
        let id = try await note(changedTo: ["title": "theirs", "rank": 7])
        await context.setMergePolicy(policy)
        try await context.update(id, ["title": "ours", "body": "ours"])
        let result = try await context.save()
        #expect(try await stored(id) == wanted)
        #expect(result.resolvedConflicts.map(\.clashing) == [["title"]])
        // The context knows the result: its next change is no conflict.
        await context.setMergePolicy(.error)
        #expect(try await result.versions[id] == container.objects().first?.version)
        try await context.update(id, ["rank": 9])
        try await context.save()
        #expect(try await stored(id)?["rank"] == 9)
    }

    @Test(
        arguments: [
            (MergePolicy.storeTrumps, nil),
            (.objectTrumps, ["title": "ours", "body": "base", "rank": 1]),
            (.byPropertyStoreTrumps, nil),
            (.byPropertyObjectTrumps, ["title": "ours", "body": "base", "rank": 1]),
        ] as [(MergePolicy, [String: AttributeValue]?)])
    func `changed here, deleted there`(policy: MergePolicy, wanted: [String: AttributeValue]?) async throws {
        let id = try await note(changedTo: nil)
        await context.setMergePolicy(policy)
        try await context.update(id, ["title": "ours"])
        let result = try await context.save()
        #expect(try await stored(id) == wanted)
        #expect(result.resolvedConflicts.map(\.stored) == [nil])
        #expect(await !context.hasChanges)
    }

    @Test(arguments: [
        (MergePolicy.storeTrumps, true), (.objectTrumps, false), (.byPropertyStoreTrumps, true),
        (.byPropertyObjectTrumps, false),
    ])
    func `deleted here, changed there`(policy: MergePolicy, survives: Bool) async throws {
        let id = try await note(changedTo: ["title": "theirs"])
        await context.setMergePolicy(policy)
        try await context.delete(id)
        #expect(try await context.save().resolvedConflicts.first?.clashing == ["title"])
        #expect(try await (stored(id) != nil) == survives)
    }

    @Test func `a save reports all its conflicts, with both sides`() async throws {
        let changed = try await note(changedTo: ["title": "theirs", "rank": 2])
        let gone = try await note(changedTo: nil)
        let deleted = try await note(changedTo: ["body": "theirs"])
        try await context.update(changed, ["title": "ours", "body": "ours"])
        try await context.update(gone, ["title": "ours"])
        try await context.delete(deleted)
        let fresh = try await context.insert("Note", ["title": "fresh"])
        let conflicts = await conflicts { try await context.save() }
        #expect(conflicts.map(\.objectID) == [changed, gone, deleted])
        #expect(conflicts.map(\.base?.version) == [1, 1, 1])
        #expect(conflicts.map(\.stored?.version) == [2, nil, 2])
        #expect(conflicts.map(\.isDeletion) == [false, false, true])
        #expect(conflicts.map(\.clashing) == [["title"], ["title"], ["body"]])
        #expect(conflicts.first?.base?["title"] == "base")
        #expect(conflicts.first?.stored?["title"] == "theirs")
        #expect(conflicts.first?.changes == ["title": "ours", "body": "ours"])
        #expect(try await container.read { try $0.count(FetchRequest("Note")) } == 2)
        // Nothing is lost: with a policy the same changes are saved.
        await context.setMergePolicy(.byPropertyObjectTrumps)
        let result = try await context.save()
        #expect(try await stored(changed)?["rank"] == 2)
        #expect(result.permanentID(fresh).isPermanent)
        #expect(try await container.read { try $0.count(FetchRequest("Note")) } == 3)
    }

    @Test func `a conflict on an object that was never read has only the change`() async throws {
        let id = try await other.save(inserting: ["title": "theirs", "body": "theirs"])
        try await context.update(id, ["title": "ours"])
        #expect(try await context.save().resolvedConflicts.isEmpty)
        #expect(try await stored(id)?["body"] == "theirs")
        let third = container.makeContext(author: "third")
        try await third.delete(id)
        try await third.save()
        let other = container.makeContext(author: "other")
        for policy in [MergePolicy.error, .objectTrumps, .byPropertyObjectTrumps] {
            await other.setMergePolicy(policy)
            try await other.update(id, ["title": "ours"])
            let conflicts = await conflicts { try await other.save() }
            #expect(conflicts.map(\.expectedVersion) == [nil] && conflicts.map(\.stored) == [nil])
        }
        await other.setMergePolicy(.byPropertyStoreTrumps)
        #expect(try await other.save().token == nil)
        #expect(try await stored(id) == nil)
    }

    @Test func `equal values from both sides are not a conflict`() async throws {
        let id = try await note(changedTo: ["title": "same"])
        await context.setMergePolicy(.byPropertyStoreTrumps)
        try await context.update(id, ["title": "same", "rank": 3])
        #expect(try await context.save().resolvedConflicts.map(\.clashing) == [[]])
        #expect(try await stored(id)?["rank"] == 3)
    }

    @Test func `an object inserted again under its ID has a new version`() async throws {
        let id = try await other.save(inserting: ["title": "1"])
        _ = try await context.object(id)
        for title in ["2", "3"] as [AttributeValue] {
            try await other.update(id, ["title": title])
            try await other.save()
        }
        try await other.delete(id)
        try await other.save()
        let back = container.makeContext(author: "undo")
        try await back.restore(id, ["title": "back"])
        let version = try #require(try await back.save().versions[id])
        #expect(version > 3)
        try await context.update(id, ["title": "blind"])
        let conflicts = await conflicts { try await context.save() }
        #expect(conflicts.map(\.stored?.version) == [version])
        #expect(try await context.object(id)?.version == version)
    }

    @Test func `two encodings of an accent are different values`() async throws {
        let id = try await context.save(inserting: ["title": "\u{E9}"])
        try await context.update(id, ["title": "e\u{301}"])
        try await context.save()
        #expect(try await stored(id)?["title"]?.textValue.map { Array($0.utf8) } == Array("e\u{301}".utf8))
    }

    /// The policies again, as a table of the resulting attributes.
    private static func expected(
        _ policy: MergePolicy, base: [String: AttributeValue], theirs: [String: AttributeValue]?,
        mine: [String: AttributeValue]?
    ) -> [String: AttributeValue]? {
        let isMine = policy == .objectTrumps || policy == .byPropertyObjectTrumps
        guard let mine else { return isMine ? nil : theirs }
        guard let theirs else { return isMine ? base.merging(mine) { $1 } : nil }
        switch policy {
        case .error, .storeTrumps: return theirs
        case .objectTrumps: return base.merging(mine) { $1 }
        case .byPropertyStoreTrumps:
            return theirs.merging(mine.filter { theirs[$0.key] == base[$0.key] }) { $1 }
        case .byPropertyObjectTrumps: return theirs.merging(mine) { $1 }
        }
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `random changes of two sides produce the values of the table`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        func changes() -> [String: AttributeValue] {
            var changes: [String: AttributeValue] = [:]
            for name in ["title", "body"] where Bool.random(using: &random) {
                changes[name] = ["a", "b", "c"].randomElement(using: &random)
            }
            if Bool.random(using: &random) { changes["rank"] = .integer(.random(in: 0...2, using: &random)) }
            return changes
        }
        for round in 0..<60 {
            let policy = MergePolicy.allCases.filter { $0 != .error }.randomElement(using: &random)
            let base: [String: AttributeValue] = ["title": "a", "body": "b", "rank": 1]
            let id = try await other.save(inserting: base)
            _ = try await context.object(id)
            let theirChanges = changes()
            let theirs = Int.random(in: 0..<4, using: &random) > 0 ? base.merging(theirChanges) { $1 } : nil
            if theirs != nil { try await other.update(id, theirChanges) } else { try await other.delete(id) }
            try await other.save()
            // Assigning the current value is no change.
            let mine =
                Int.random(in: 0..<4, using: &random) > 0
                ? changes().filter { base[$0.key] != $0.value } : nil
            if let mine { try await context.update(id, mine) } else { try await context.delete(id) }
            await context.setMergePolicy(try #require(policy))
            try await context.save()
            // Without a conflict the context's deletion or change is saved, under any policy; without a
            // change the stored one remains.
            let isConflict = theirs != base
            let wanted =
                mine?.isEmpty == true || (mine == nil && theirs == nil)
                ? theirs
                : isConflict
                    ? Self.expected(try #require(policy), base: base, theirs: theirs, mine: mine)
                    : mine.map { base.merging($0) { $1 } }
            let known = try await context.object(id)?.values.filter { $0.key != "created" }
            let found = try await stored(id)
            try #require(
                found == wanted,
                "seed \(seed), round \(round), \(String(describing: policy)): \(String(describing: mine))")
            #expect(known == wanted)
        }
    }
}
