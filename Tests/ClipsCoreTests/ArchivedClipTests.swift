import ClipsCore
import PersistentStore
import TestSupport
import Testing

struct ArchivedClipTests {
    let folder: TemporaryFolder
    let store: ClipStore

    init() async throws {
        folder = try TemporaryFolder()
        store = try await ClipStore(path: folder.path(of: "clips.db"), author: "app")
    }

    private func add(_ title: String) async throws -> Int64 {
        var draft = ClipDraft()
        draft.title = title
        return try await store.add(draft).id
    }

    private func titles(_ query: ClipQuery) async throws -> [String] {
        var titles: [String] = []
        try await store.forEachClip(query) { titles.append($0.title) }
        return titles
    }

    @Test(arguments: ["created", "title", "url", "updated"])
    func `an archived clip is omitted without a filter, found by one, and restored by undo`(sort: String)
        async throws
    {
        let sort = try #require(ClipQuery.sort(named: sort))
        let id = try await add("old swift")
        _ = try await add("new swift")
        let archived = try #require(try await store.toggle(.archived, of: [id]).token)
        #expect(try await store.clip(id).isArchived)
        #expect(try await titles(ClipQuery(sort: sort)) == ["new swift"])
        #expect(try await titles(ClipQuery(filter: "is:archived", sort: sort)) == ["old swift"])
        #expect(try await titles(ClipQuery(filter: "-is:archived", sort: sort)) == ["new swift"])
        #expect(try await Set(titles(ClipQuery(filter: "swift", sort: sort))).count == 2)
        #expect(try await Set(titles(ClipQuery(sort: sort, includesArchived: true))).count == 2)
        _ = try await store.undo(archived)
        #expect(try await Set(titles(ClipQuery(sort: sort))).count == 2)
    }

    @Test func `a deleted clip is restored as archived`() async throws {
        let id = try await add("old")
        _ = try await store.toggle(.archived, of: [id])
        try await store.delete([id])
        #expect(try await store.restore([id]).restored == [id])
        #expect(try await store.clip(id).isArchived)
    }

    @Test func `an index has the clips that are archived, and one those that are not`() throws {
        for (condition, index) in [("IS 0", "Clip_where_not_archived"), ("IS NOT 0", "Clip_where_archived")] {
            let sql =
                "EXPLAIN QUERY PLAN SELECT * FROM Clip WHERE archived \(condition) ORDER BY created DESC, id DESC"
            let plan = try Shell.run("sqlite3", [store.path, sql]).output
            #expect(plan.contains(index) && !plan.contains("TEMP B-TREE"), "\(plan)")
        }
    }

    @Test func `a store of the previous version opens, and its deleted clips can be restored`() async throws {
        let path = folder.path(of: "old.db")
        let entity = try #require(try ClipModel.make().entity(ClipModel.entity))
        let model = try StoreModel(
            version: 2,
            entities: [
                EntityDescription(
                    entity.name,
                    attributes: entity.attributes.filter { $0.name != ClipAttribute.archived.rawValue })
            ])
        let old = try await PersistentContainer(path: path, model: model)
        let context = old.makeContext(author: "app")
        for title in ["kept", "deleted"] {
            _ = try await context.insert(ClipModel.entity, ["title": .text(title)])
        }
        try await context.save()
        try await context.delete(ClipModel.objectID(2))
        try await context.save()
        await old.close()
        let new = try await ClipStore(path: path, author: "app")
        #expect(try await !new.clip(1).isArchived)
        #expect(try await new.restore([2]).restored == [2])
        #expect(try await new.clip(2).title == "deleted")
        #expect(try await new.count() == 2)
    }
}
