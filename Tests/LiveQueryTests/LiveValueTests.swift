import LiveQuery
import PersistentStore
import TestSupport
import Testing

@Suite struct LiveValueTests {
    struct NoteRecord: Record {
        var title = ""
        var rank = 0

        static let entity = RecordEntity<NoteRecord>("Note") {
            RecordAttribute(\.title)
            RecordAttribute(\.rank)
        }
    }

    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(folder)
    }

    private func insert(rank: Int64) async throws {
        try await container.write(author: "app") { _ = try $0.insert("Note", ["rank": .integer(rank)]) }
    }

    @Test func `an aggregate follows the commits of every writer`() async throws {
        let sum = try await LiveValue(of: NoteRecord.self, in: container) {
            try $0.sum(of: \NoteRecord.rank) ?? 0
        }
        var values = sum.values.makeAsyncIterator()
        #expect(try await values.next() == 0)
        try await insert(rank: 3)
        #expect(try await values.next() == 3)
        let insert = "INSERT INTO Note (title, rank) VALUES ('theirs', 4)"
        let shell = try Shell.run("sqlite3", ["-cmd", ".timeout 5000", folder.path(of: "notes.db"), insert])
        #expect(shell.status == 0)
        #expect(try await values.next() == 7)
        // The module's name, which no type of the module has.
        let _: LiveQuery.WindowPosition = .start
    }

    @Test func `a value that did not change is not delivered, and a stop ends the iteration`() async throws {
        let count = try await LiveValue(of: ["Note"], in: container) {
            try $0.count(FetchRequest("Note")) > 0
        }
        var values = count.values.makeAsyncIterator()
        #expect(try await values.next() == false)
        try await insert(rank: 1)
        #expect(try await values.next() == true)
        try await insert(rank: 2)
        await count.stop()
        #expect(try await values.next() == nil)
        var later = count.values.makeAsyncIterator()
        #expect(try await later.next() == true)
        #expect(try await later.next() == nil)
    }

    @Test func `an error of the closure ends the iteration`() async throws {
        let value = try await LiveValue(of: ["Note"], in: container) { try $0.count(FetchRequest("None")) }
        await #expect(throws: StoreError.unknownEntity("None")) {
            for try await _ in value.values {}
        }
        await #expect(throws: StoreError.unknownEntity("None")) {
            try await LiveValue(of: ["None"], in: container) { _ in 1 }
        }
    }
}
