import HistoryTracking
import PersistentStore
import TestSupport
import Testing

/// Steps of whole transactions up to a limit, and of longer ones in numbered pieces.
@Suite struct HistoryFollowerTests {
    /// The transactions of a step, and the follower after it.
    struct Batch {
        let transactions: [HistoryTransaction]
        let end: HistoryFollower
    }

    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(folder)
    }

    /// Commits once for each size, every third time as "other".
    private func commit(_ sizes: [Int]) async throws {
        for (number, size) in sizes.enumerated() {
            let context = container.makeContext(author: number % 3 == 2 ? "other" : "app")
            for _ in 0..<size { try await context.insert("Note", ["title": "x"]) }
            try await context.save()
        }
    }

    /// Returns all steps, each read in its own snapshot.
    private func batches(_ start: HistoryFollower) async throws -> [Batch] {
        var batches: [Batch] = []
        var history = container.followedHistory(start, waits: false) { step, snapshot throws(StoreError) in
            try step.transactions(in: snapshot)
        }.makeAsyncIterator()
        while let transactions = try await history.next() {
            batches.append(Batch(transactions: transactions, end: history.follower))
        }
        return batches
    }

    private func token(_ batches: [Batch]) throws -> HistoryToken { try #require(batches.last).end.token }

    @Test(arguments: 0..<6)
    func `batches hold whole transactions up to the limit, and pieces of longer ones`(seed: UInt64)
        async throws
    {
        var random = SeededRandom(seed: seed &* 97 &+ 5)
        let start = try await container.currentToken()
        try await commit(
            (0..<12).map { _ in [1, 1, 2, 3, 7, 10, 11, 20, 21, 35].randomElement(using: &random) ?? 1 })
        let whole = try await container.transactions(HistoryFetchRequest(.after(start)))
        for limit in [1, 2, 5, 10, 20, 1000] {
            let batches = try await batches(HistoryFollower(after: start, limit: .split(limit)))
            let pieces = batches.flatMap(\.transactions)
            #expect(pieces.flatMap(\.changes) == whole.flatMap(\.changes))
            #expect(batches.allSatisfy { $0.transactions.reduce(0) { $0 + $1.changes.count } <= limit })
            for transaction in whole {
                let own = pieces.filter { $0.number == transaction.number }
                let count = (transaction.changes.count + limit - 1) / limit
                #expect(own.map(\.pieceIndex) == Array(0..<count))
                #expect(own.map(\.isComplete) == Array(repeating: false, count: count - 1) + [true])
                #expect(own.allSatisfy { $0.isWhole == (count == 1) && $0.token == transaction.token })
                #expect(own.allSatisfy { $0.author == transaction.author })
            }
            // Transactions that fit together are together.
            for (batch, next) in zip(batches, batches.dropFirst()) where !batch.end.isInsideTransaction {
                let following = next.transactions.first?.number
                let size = whole.first { $0.number == following }?.changes.count ?? 0
                #expect(batch.transactions.reduce(size) { $0 + $1.changes.count } > limit)
            }
            #expect(batches.dropLast().allSatisfy { !$0.end.isAtEnd } && batches.last?.end.isAtEnd == true)
            #expect(try await token(batches) == container.currentToken())
        }
    }

    @Test func `transactions that a follower does not admit are skipped, even inside a long read`()
        async throws
    {
        let start = try await container.currentToken()
        try await commit([3, 3, 30, 3, 3, 1])
        let batches = try await batches(
            HistoryFollower(after: start, where: .author("other"), limit: .split(10)))
        #expect(batches.flatMap(\.transactions).map(\.changes.count) == [10, 10, 10, 1])
        #expect(try await token(batches) == container.currentToken())
        let none = try await self.batches(HistoryFollower(after: start, where: .authors([])))
        #expect(none.count == 1 && none[0].transactions.isEmpty && none[0].end.isAtEnd)
    }

    @Test(arguments: [nil, ["app", "other"] as Set<String?>])
    func `more changes than a refresh costs become a refresh, which reports the skipped range`(
        authors: Set<String?>?
    )
        async throws
    {
        let start = try await container.currentToken()
        try await commit([4, 4, 4])
        let newest = try await container.currentToken()
        func step(after token: HistoryToken, _ limit: Int) async throws -> (HistoryStep?, HistoryFollower) {
            try await container.read {
                var follower = HistoryFollower(
                    after: token, where: authors.map(TransactionPredicate.authors),
                    limit: .refreshBeyond(limit))
                return (try follower.next(in: $0), follower)
            }
        }
        for (limit, isRefresh) in [(0, true), (1, true), (4, true), (11, true), (12, false), (13, false)] {
            let (step, follower) = try await step(after: start, limit)
            switch step {
            case .refresh(let skipped):
                let expected = SkippedHistory(after: start, upTo: newest, reason: .tooManyChanges)
                #expect(isRefresh && skipped == expected)
            case .transactions(let transactions): #expect(!isRefresh && transactions.count == 3)
            case nil: Issue.record("nothing was read")
            }
            #expect(follower.isAtEnd && follower.token == newest)
        }
        if try await step(after: newest, 1).0 != nil { Issue.record("something follows the newest token") }
    }

    @Test func `the position of a start is before the first admitted transaction`() async throws {
        try await commit([1, 2, 3, 4, 5, 6])
        let all = try await container.transactions()
        func numbers(_ start: HistoryFetchRequest.Start, limit: Int? = nil, _ authors: Set<String?>? = nil)
            async throws -> [Int64]
        {
            let follower = try await container.read {
                try HistoryFollower(
                    from: start, count: limit, where: authors.map(TransactionPredicate.authors), in: $0)
            }
            return try await batches(follower).flatMap(\.transactions).map(\.number)
        }
        #expect(try await numbers(.beginning) == all.map(\.number))
        #expect(try await numbers(.newest) == all.map(\.number))
        #expect(try await numbers(.newest, limit: 2) == all.suffix(2).map(\.number))
        #expect(try await numbers(.newest, limit: 1, ["other"]) == [all[5].number])
        #expect(try await numbers(.newest, limit: 2, ["other"]) == [all[2].number, all[5].number])
        #expect(try await numbers(.after(all[3].token)) == all.suffix(2).map(\.number))
        #expect(try await numbers(.afterTransaction(all[3].number), ["none"]) == [])
    }

    /// Finding the end of the transaction for each piece would read all that follows the piece.
    @Test func `a piece costs no more at the start of a long transaction than at its end`() async throws {
        let start = try await container.currentToken()
        let rows = [[String: AttributeValue]](repeating: ["title": "x"], count: 100_000)
        try await container.execute(.insert("Note", rows: rows), author: "app")
        let times = try await container.read { snapshot in
            let clock = ContinuousClock()
            var (follower, times) = (HistoryFollower(after: start, limit: .split(50)), [Duration]())
            while !follower.isAtEnd {
                let began = clock.now
                _ = try follower.next(in: snapshot)
                times.append(clock.now - began)
            }
            return times
        }
        #expect(times.count == 2000)
        // The first piece also finds the end.
        let (early, late) = (times[1...200].sorted()[100], times.suffix(200).sorted()[100])
        #expect(early < late * 8, "\(early), \(late)")
    }
}
