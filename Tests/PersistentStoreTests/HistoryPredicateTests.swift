import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

/// The conditions of a request, and proof that excluded rows are not read.
@Suite struct HistoryPredicateTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open() async throws -> PersistentContainer {
        let container = try await Notes.open(folder)
        _ = try await container.makeContext(author: "app", name: "view").save(inserting: ["title": "1"])
        _ = try await container.makeContext(author: nil).save(inserting: ["title": "2"])
        try Connection(path: container.path, access: .readWrite).execute(
            "UPDATE Note SET title = 'x', rank = 3")
        return container
    }

    @Test func `a negated author admits transactions without one`() async throws {
        let container = try await open()
        func count(_ predicate: TransactionPredicate) async throws -> Int {
            try await container.count(HistoryFetchRequest(where: predicate)).transactions
        }
        #expect(try await count(.not(.author("app"))) == 3)
        #expect(try await count(.author(nil)) == 3)
        #expect(try await count(.not(.author(nil))) == 1)
        #expect(try await count(.process(nil)) == 2)
        #expect(try await count(.and([.author(nil), .not(.process(nil))])) == 1)
        #expect(try await count(.contextName("view")) == 1)
        #expect(try await count(.not(.contextName("view"))) == 3)
        #expect(try await count(.contextNamePrefix("vi")) == 1)
        #expect(try await count(.contextNamePrefix("view ")) == 0)
        #expect(try await count(.and([])) == 4)
        #expect(try await count(.or([])) == 0)
        #expect(try await count(.authors(["app", nil])) == 4)
    }

    @Test func `authors and predicate of a request must both be satisfied`() async throws {
        let container = try await open()
        let request = HistoryFetchRequest(where: .and([.authors(["app", nil]), .not(.process(nil))]))
        #expect(try await container.transactions(request).map(\.author) == ["app", nil])
    }

    @Test func `transactions contain the admitted changes only, and are omitted without any`() async throws {
        let container = try await open()
        let first = ObjectID(entity: "Note", key: 1, storeID: container.storeID)
        var request = HistoryFetchRequest(changes: .object(first))
        var transactions = try await container.transactions(request)
        #expect(transactions.map { $0.changes.map(\.objectID) } == [[first], [first]])
        request.changePredicate = .and([.updated("rank"), .not(.object(first))])
        transactions = try await container.transactions(request)
        #expect(transactions.map { $0.changes.map(\.objectID.key) } == [[2]])
        request.includesChanges = false
        transactions = try await container.transactions(request)
        #expect(transactions.count == 1 && transactions[0].changes.isEmpty)
        request.changePredicate = .or([.kind(.delete), .updated("body"), .entity("Missing")])
        #expect(try await container.count(request).transactions == 0)
    }

    @Test func `after a token, a transaction, or a date is exclusive`() async throws {
        let container = try await open()
        for transaction in try await container.transactions() {
            let starts: [HistoryFetchRequest.Start] = [
                .after(transaction.token), .afterTransaction(transaction.number),
                .afterDate(transaction.timestamp),
            ]
            for start in starts {
                let after = try await container.transactions(HistoryFetchRequest(start))
                #expect(after.allSatisfy { $0.number > transaction.number })
            }
            let dated = TransactionPredicate.or([
                .before(transaction.timestamp), .after(transaction.timestamp),
            ])
            let others = try await container.transactions(HistoryFetchRequest(where: dated))
            #expect(others.allSatisfy { $0.timestamp != transaction.timestamp })
        }
        for date in [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: .infinity)] {
            let count = try await container.count(HistoryFetchRequest(.afterDate(date)))
            #expect(count.transactions == (date == .distantPast ? 4 : 0))
            let before = try await container.count(HistoryFetchRequest(where: .before(date)))
            #expect(before.transactions == (date == .distantPast ? 0 : 4))
        }
    }

    @Test func `a transaction's own date never finds that transaction, for any millisecond`()
        async throws
    {
        var options = StoreOptions()
        let clock = ClockTests.Clock(1_795_000_000_000)
        options.clock = {
            clock.set(clock.now() + 37)
            return clock.now()
        }
        options.durability = .normal
        let container = try await Notes.open(folder, options: options)
        let context = container.makeContext(author: "app")
        for _ in 0..<200 { _ = try await context.save(inserting: [:]) }
        let all = try await container.transactions()
        for (index, transaction) in all.enumerated() {
            let after = try await container.count(HistoryFetchRequest(.afterDate(transaction.timestamp)))
            #expect(after.transactions == 199 - index)
            let before = HistoryFetchRequest(where: .before(transaction.timestamp))
            #expect(try await container.count(before).transactions == index)
        }
    }

    @Test func `retained values are read only for admitted changes`() async throws {
        let container = try await open()
        // Reading a retained value is an error from this line on.
        try Connection(path: container.path, access: .readWrite).execute(
            """
            ALTER TABLE history_values_Note RENAME TO moved;
            CREATE VIEW history_values_Note AS
            SELECT number, abs(-9223372036854775807 - min(number, 1)) AS title FROM moved;
            """)
        await #expect(throws: StoreError.self) { try await container.transactions() }
        #expect(try await container.transactions(HistoryFetchRequest(where: .author("app"))).count == 1)
        #expect(try await container.changes(HistoryFetchRequest(changes: .kind(.insert))).count == 2)
        #expect(try await container.count(HistoryFetchRequest()) == HistoryCount(transactions: 4, changes: 4))
        #expect(try await container.count(HistoryFetchRequest(offset: 2)).changes == 2)
        #expect(try await container.objectIDs(HistoryFetchRequest()).count == 2)
        var request = HistoryFetchRequest()
        request.includesChanges = false
        #expect(try await container.transactions(request).count == 4)
    }

    @Test func `a condition of thousands of parts is evaluated`() async throws {
        let container = try await open()
        let parts = (1...2000).map { ChangePredicate.object(ObjectID(entity: "Note", key: $0)) }
        #expect(try await container.count(HistoryFetchRequest(changes: .or(parts))).changes == 4)
        let ids = Set((2...20_000).map { ObjectID(entity: "Note", key: $0) })
        #expect(try await container.count(HistoryFetchRequest(changes: .objects(ids))).changes == 2)
    }

    @Test func `nested conditions are evaluated, or rejected as too deep`() async throws {
        let container = try await open()
        func changes(_ levels: Int, _ way: Int) -> HistoryFetchRequest {
            var predicate = ChangePredicate.entity("Note")
            for level in 0..<levels {
                switch (way + level) % 3 {
                case 0: predicate = .and([predicate, .kind(.insert)])
                case 1: predicate = .not(predicate)
                default: predicate = .or([.updated("rank"), predicate])
                }
            }
            return HistoryFetchRequest(changes: predicate)
        }
        func transactions(_ levels: Int) -> HistoryFetchRequest {
            let predicate = (0..<levels).reduce(TransactionPredicate.author("app")) { part, _ in .not(part) }
            return HistoryFetchRequest(where: predicate)
        }
        for levels in 1...25 {
            for way in 0..<3 {
                var request = changes(levels, way)
                let all = try await container.transactions(request)
                (request.start, request.limit) = (.newest, 4)
                #expect(try await container.transactions(request) == all)
            }
            let count = try await container.count(transactions(levels)).transactions
            #expect(count == (levels.isMultiple(of: 2) ? 1 : 3))
        }
        for levels in [26, 1001, 5000] {
            for request in [changes(levels, 0), changes(levels, 1), transactions(levels)] {
                try await expectTooComplex(request, in: container)
            }
        }
    }

    @Test func `two thousand conditions are evaluated, and more are rejected`() async throws {
        let container = try await open()
        let unknown = (1..<2000).map { ChangePredicate.updated("none \($0)") }
        let known = HistoryFetchRequest(changes: .or(unknown + [.updated("rank")]))
        #expect(try await container.count(known).transactions == 2)
        for request in [
            HistoryFetchRequest(changes: .or((0..<40_000).map { _ in .kind(.insert) })),
            HistoryFetchRequest(changes: .or((0..<1001).map { _ in .or([.and([]), .entity("Note")]) })),
            HistoryFetchRequest(where: .or((0..<40_000).map { .author("\($0)") })),
        ] {
            try await expectTooComplex(request, in: container)
        }
        let authors = TransactionPredicate.authors(Set((0..<2001).map { "\($0)" }))
        let deletion = HistoryDeleteRequest(.beforeTransaction(99), where: authors)
        await #expect(throws: StoreError.self) { try await container.deleteHistory(deletion) }
    }

    private func expectTooComplex(_ request: HistoryFetchRequest, in container: PersistentContainer)
        async throws
    {
        for newest in [false, true] {
            var request = request
            if newest { (request.start, request.limit) = (.newest, 2) }
            let error = await #expect(throws: StoreError.self) { try await container.transactions(request) }
            guard case .predicateTooComplex = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `a long transaction of an author is read in linear time`() async throws {
        _ = StatementSteps.count("")
        let container = try await open()
        let rows = [[String: AttributeValue]](repeating: ["title": "many"], count: 10_000)
        _ = try await container.execute(.insert("Note", rows: rows), author: "filler")
        let request = HistoryFetchRequest(where: .author("filler"))
        let before = StatementSteps.count(container.path)
        #expect(try await container.objectIDs(request).count == rows.count)
        // Finding the end of the transaction at each of its rows takes thousands of steps for each.
        let steps = StatementSteps.count(container.path) - before
        #expect(steps > rows.count && steps < 100 * rows.count, "\(steps)")
    }
}
