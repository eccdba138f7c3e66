import PersistentStore
import TestSupport
import Testing

/// The values of records that the history retains.
@Suite struct RetainedPropertiesTests {
    struct Task: Record, Equatable {
        var title = ""
        var due: Int?
        var rank = 0

        static let entity = RecordEntity<Task>("Task") {
            RecordAttribute(\.title, history: [.preservesValueOnDeletion, .recordsOldValue])
            RecordAttribute(\.due, history: [.preservesValueOnDeletion])
            RecordAttribute(\.rank)
        }
    }

    let container: PersistentContainer
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(folder, model: StoreModel(version: 1, records: Task.self))
    }

    @Test func `retained values are read by property`() async throws {
        let context = container.makeContext(author: "app")
        try await context.insert(Task(title: "a", due: 3, rank: 1))
        try await context.save()
        let task = try #require(try await context.fetch(RecordRequest<Task>()).first)
        try await context.update(task) { $0.title = "b" }
        try await context.save()
        try await context.delete(task.id)
        try await context.save()
        let changes = try await container.changes(HistoryFetchRequest())
        #expect(changes.map { $0.oldValue(\Task.title) } == [nil, "a", "b"])
        #expect(changes.map { $0.oldValue(\Task.due) } == [nil, nil, 3])
        #expect(changes.map { $0.oldValue(\Task.rank) } == [nil, nil, nil])
        #expect(changes.map { $0.oldValues(of: Task.self)?[\.title] } == [nil, "a", nil])
        #expect(changes.map { $0.isUpdated(\Task.title) } == [false, true, false])
        #expect(changes.map { $0.isUpdated(\Task.rank) } == [false, false, false])
        let tombstone = try #require(changes.last?.tombstone(of: Task.self))
        #expect(tombstone[\.title] == "b" && tombstone[\.due] == 3 && tombstone[\.rank] == nil)
        #expect(changes[1].tombstone(of: Task.self) == nil)
    }
}
