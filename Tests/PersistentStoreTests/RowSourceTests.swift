import PersistentStore
import Synchronization
import TestSupport
import Testing

/// Row sources of batches that throw, and the typed values that the history retains.
@Suite struct RowSourceTests {
    struct BadLine: Error, Equatable { let number: Int }

    struct Task: Record, Equatable {
        var title = ""
        var due: Int?
        var rank = 0

        static let entity = RecordEntity<Task>("Task") {
            RecordAttribute(\.title, history: [.preservesValueOnDeletion, .recordsOldValue])
            RecordAttribute(\.due, history: .preservesValueOnDeletion)
            RecordAttribute(\.rank)
        }
    }

    /// A record of the same entity whose attributes all survive a deletion.
    struct Brief: Record, Equatable {
        var title = ""
        var due: Int?

        static let entity = RecordEntity<Brief>("Task") {
            RecordAttribute(\.title)
            RecordAttribute(\.due)
        }
    }

    let container: PersistentContainer
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(folder, model: StoreModel(version: 1, records: Task.self))
    }

    private static func counting<Row: Sendable>(
        _ row: @escaping @Sendable (Int) -> Row
    ) -> @Sendable () throws -> Row? {
        let lines = Counter()
        return {
            let number = lines.next()
            if number == 1500 { throw BadLine(number: number) }
            return row(number)
        }
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)
        func next() -> Int {
            count.withLock {
                $0 += 1; return $0
            }
        }
    }

    @Test func `an error of the row source ends the batch, arrives unchanged, and nothing is saved`()
        async throws
    {
        let untyped = BatchInsertRequest(
            "Task", next: Self.counting { ["title": .text("\($0)"), "rank": 0] })
        let typed = BatchInsertRequest(next: Self.counting { Task(title: "\($0)") })
        for request in [untyped, typed] {
            let error = await #expect(throws: StoreError.self) {
                try await container.execute(request, author: "importer")
            }
            guard case .rowSourceFailed("Task", let thrown) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(thrown.error as? BadLine == BadLine(number: 1500))
            #expect(
                error.map { "\($0)" } == """
                    The source of the new objects of Task threw BadLine. Nothing was saved; \
                    correct the source, then try again.
                    """)
        }
        #expect(try await container.count(FetchRequest("Task")) == 0)
        #expect(try await container.changes(HistoryFetchRequest()).isEmpty)
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
        #expect(changes.map { $0.oldValues(of: Task.self)?[\.title] } == [nil, "a", nil])
        #expect(changes.map { $0.isUpdated(\Task.title) } == [false, true, false])
        #expect(changes.map { $0.isUpdated(\Task.rank) } == [false, false, false])
        let tombstone = try #require(changes.last?.tombstone(of: Task.self))
        #expect(tombstone[\.title] == "b" && tombstone[\.due] == 3 && tombstone[\.rank] == nil)
        #expect(changes[1].tombstone(of: Task.self) == nil)
        let missing = StoreError.invalidValue(
            attribute: "rank", entity: "Task", reason: "the history does not retain it")
        #expect(throws: missing) { try tombstone.record() }
        #expect(try changes[2].tombstone(of: Brief.self)?.record() == Brief(title: "b", due: 3))
    }
}
