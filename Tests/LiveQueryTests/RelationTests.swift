import LiveQuery
import PersistentStore
import TestSupport
import Testing

/// Live queries of parents and children, which rules of deletion change.
@Suite struct RelationTests {
    struct TodoList: Record {
        var name: String

        static let entity = RecordEntity<TodoList>("TodoList") { RecordAttribute(\.name) }
    }

    struct Todo: Record {
        var title: String
        var list: RecordReference<TodoList>
        var after: RecordReference<Todo>?

        static let entity = RecordEntity<Todo>("Todo") {
            RecordAttribute(\.title)
            RecordAttribute(\.list, onDeletion: .cascade)
            RecordAttribute(\.after, onDeletion: .nullify)
        }
    }

    @Test(.timeLimit(.minutes(2))) func `live queries follow parents and children`() async throws {
        let container = try await PersistentContainer(
            inMemory: StoreModel(version: 1, records: TodoList.self, Todo.self))
        let context = container.makeContext(author: "app")
        let home = try await context.insert(TodoList(name: "home"))
        let work = try await context.insert(TodoList(name: "work"))
        let dust = try await context.insert(Todo(title: "dust", list: RecordReference(home)))
        try await context.insert(
            Todo(title: "mop", list: RecordReference(work), after: RecordReference(dust)))
        let saved = try await context.save()
        let lists = try await container.fetch(RecordRequest<TodoList>())
        let request = RecordRequest<Todo>(
            where: .isOneOf(\.list, lists.map(RecordReference.init)), sort: [.ascending(\.title)])
        var todos = try await LiveFetch(request, in: container).snapshots.makeAsyncIterator()
        #expect(try await todos.next()?.rows.map(\.title) == ["dust", "mop"])
        var parents = try await LiveFetch(RecordRequest<TodoList>(), in: container).snapshots
            .makeAsyncIterator()
        #expect(try await parents.next()?.rows.map(\.name) == ["home", "work"])
        let sizes = try await LiveValue(of: ["TodoList", "Todo"], in: container) { snapshot in
            try snapshot.valueCounts(of: \Todo.list).map {
                "\(try snapshot.find($0.value.id, of: TodoList.self)?.name ?? "") \($0.count)"
            }
        }
        var counts = sizes.values.makeAsyncIterator()
        #expect(try await counts.next() == ["home 1", "work 1"])
        try await container.write(author: "other") { try $0.delete(saved.permanentID(home)) }
        let left = try await todos.next()
        #expect(left?.rows.map(\.title) == ["mop"] && left?.rows.first?.after == nil)
        #expect(left?.rows.first?.version == 2)
        #expect(try await parents.next()?.rows.map(\.name) == ["work"])
        #expect(try await counts.next() == ["work 1"])
    }
}
