import PersistentStore
import SQLite
import TestSupport
import Testing

/// Transactions that do not fit in memory.
@Suite struct HistoryPieceTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let many = 20_000

    private func open() async throws -> PersistentContainer {
        let container = try await Notes.open(folder)
        let context = container.makeContext(author: "app")
        _ = try await context.save(inserting: ["title": "first"])
        for _ in 0..<Self.many { try await context.insert("Note", ["title": "x"]) }
        try await context.save()
        _ = try await context.save(inserting: ["title": "last"])
        return container
    }

    @Test func `a giant transaction arrives in pieces that form the whole`() async throws {
        let container = try await open()
        let pieces = try await container.read { snapshot in
            var request = HistoryFetchRequest()
            request.maxChangesAtOnce = 300
            var pieces: [HistoryTransaction] = []
            try snapshot.forEachTransaction(request) {
                pieces.append($0)
                return true
            }
            return pieces
        }
        #expect(pieces.count == 2 + (Self.many + 299) / 300)
        #expect(pieces.allSatisfy { $0.changes.count <= 300 })
        let giant = pieces.dropFirst().dropLast()
        #expect(giant.dropLast().allSatisfy { !$0.isComplete } && giant.last?.isComplete == true)
        #expect(pieces.first?.isComplete == true && pieces.last?.isComplete == true)
        let whole = try await container.transactions()[1]
        #expect(whole.isComplete && whole.changes.count == Self.many)
        #expect(Set(giant.map(\.token)) == [whole.token] && Set(giant.map(\.number)) == [whole.number])
        #expect(Set(giant.map(\.author)) == [whole.author])
        #expect(Set(giant.map(\.timestamp)) == [whole.timestamp])
        let isSame = giant.flatMap(\.changes) == whole.changes
        #expect(isSame)
    }

    @Test func `iteration over changes stops when requested, and allows other requests from its body`()
        async throws
    {
        let container = try await open()
        let newest = try await container.currentToken()
        let (seen, inner) = try await container.read { snapshot in
            var (seen, inner) = (0, 0)
            try snapshot.forEachChange(HistoryFetchRequest()) { change, transaction in
                guard transaction.changes.isEmpty, change.number < transaction.number else { return false }
                seen += 1
                if seen % 1000 == 0 {
                    try snapshot.forEachChange(HistoryFetchRequest(.after(transaction.token))) { _, _ in
                        inner += 1
                        return true
                    }
                    inner += try snapshot.transactions(HistoryFetchRequest(.newest, limit: 1)).count
                }
                return seen < 5500
            }
            return (seen, inner)
        }
        #expect(seen == 5500 && inner == 10)
        #expect(try await container.currentToken() == newest)
    }

    @Test func `a position inside a transaction means its end`() async throws {
        let container = try await open()
        let all = try await container.transactions(HistoryFetchRequest(.newest, limit: 2))
        let (giant, last) = (all[0], all[1])
        for number in [giant.changes[0].number, giant.changes[77].number, giant.number - 1, giant.number] {
            let token = try #require(HistoryToken("\(container.storeID).1.\(number)"))
            for start in [HistoryFetchRequest.Start.after(token), .afterTransaction(number)] {
                let after = try await container.transactions(HistoryFetchRequest(start))
                #expect(after.map(\.number) == [last.number])
            }
            let ending = try await container.objectIDs(HistoryFetchRequest(.ending(at: token), limit: 1))
            #expect(ending.count == Self.many)
        }
    }
}
