import HistoryTracking
import PersistentStore
import TestSupport
import Testing

/// Following a store: a sequence of steps that waits for commits.
@Suite struct FollowedHistoryTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder()
        container = try await Notes.open(folder)
    }

    private func commit(_ count: Int = 1) async throws {
        let context = container.makeContext(author: "writer")
        for _ in 0..<count { try await context.insert("Note", ["title": "x"]) }
        try await context.save()
    }

    private func insert(_ count: Int) async throws {
        let rows = [[String: AttributeValue]](repeating: ["title": "x"], count: count)
        try await container.execute(.insert("Note", rows: rows), author: "writer")
    }

    /// A description of each step: the number of changes of each transaction, or "refresh".
    private func follow(
        after token: HistoryToken, limit: BatchLimit = .split(1000)
    ) -> (Task<StoreError?, Never>, Journal) {
        let journal = Journal()
        let container = container
        let task = Task<StoreError?, Never> {
            do throws(StoreError) {
                for try await step in container.follow(after: token, limit: limit) {
                    switch step {
                    case .transactions(let transactions):
                        for piece in transactions { journal.add("\(piece.changes.count)") }
                    case .refresh(let skipped): journal.add("\(skipped.reason)")
                    }
                }
                return nil
            } catch {
                return error
            }
        }
        return (task, journal)
    }

    @Test func `a follower gets each commit once, and ends by cancellation`() async throws {
        let start = try await container.currentToken()
        try await commit(2)
        let (task, journal) = follow(after: start)
        #expect(await soon { journal.lines == ["2"] })
        for count in 3...6 {
            try await commit(count)
            #expect(await soon { journal.lines.last == "\(count)" })
        }
        #expect(journal.lines == ["2", "3", "4", "5", "6"])
        task.cancel()
        #expect(await task.value == nil)
        try await commit(7)
        #expect(journal.lines.count == 5)
    }

    @Test func `a follower that is cancelled before it begins, or whose store closes, ends`() async throws {
        let token = try await container.currentToken()
        try await commit()
        let container = container
        try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            for try await _ in container.follow(after: token) { Issue.record("a step") }
        }.value
        let (follower, journal) = follow(after: token)
        #expect(await soon { journal.lines == ["1"] })
        await container.close()
        #expect(await follower.value == nil)
    }

    @Test func `two followers get all, each with its own limit, and a refresh only where it is needed`()
        async throws
    {
        let start = try await container.currentToken()
        let (first, pieces) = follow(after: start, limit: .split(100))
        let (second, refreshes) = follow(after: start, limit: .refreshBeyond(100))
        try await commit(3)
        #expect(await soon { pieces.lines == ["3"] && refreshes.lines == ["3"] })
        try await insert(250)
        #expect(await soon { pieces.lines.count == 4 && refreshes.lines.count == 2 })
        try await commit(5)
        #expect(await soon { pieces.lines == ["3", "100", "100", "50", "5"] })
        #expect(await soon { refreshes.lines == ["3", "tooManyChanges", "5"] })
        for task in [first, second] {
            task.cancel()
            #expect(await task.value == nil)
        }
    }

    @Test func `a follower whose position expired, or is of another store, gets a refresh, then continues`()
        async throws
    {
        let expired = container.beginningToken
        try await commit(3)
        try await commit(4)
        _ = try await container.purgeHistory(maximumAge: .seconds(-60))
        let otherFolder = try TemporaryFolder()
        let other = try await Notes.open(otherFolder).currentToken()
        for token in [expired, other] {
            let (task, journal) = follow(after: token)
            #expect(await soon { journal.lines == ["unusableCursor"] })
            try await commit(5)
            #expect(await soon { journal.lines == ["unusableCursor", "5"] })
            task.cancel()
            #expect(await task.value == nil)
        }
    }

    @Test func `history that is purged inside a long transaction becomes a refresh`() async throws {
        let start = try await container.currentToken()
        try await insert(250)
        var history = container.followedHistory(HistoryFollower(after: start, limit: .split(100)))
            .makeAsyncIterator()
        guard case .transactions(let pieces) = try await history.next() else {
            Issue.record("no step")
            return
        }
        #expect(pieces.map(\.changes.count) == [100] && history.follower.isInsideTransaction)
        try await commit(1)
        _ = try await container.purgeHistory(maximumAge: .seconds(-60))
        guard case .refresh(let skipped) = try await history.next() else {
            Issue.record("no refresh")
            return
        }
        #expect(skipped.after == start && skipped.reason == .unusableCursor)
        #expect(!history.follower.isInsideTransaction && history.follower.isAtEnd)
    }

    @Test func `an element is read from the snapshot of its step`() async throws {
        let start = try await container.currentToken()
        var counts = container.follow(after: start) {
            step, snapshot throws(StoreError) -> Int? in
            guard case .transactions(let transactions) = step else { return nil }
            let count = try snapshot.count(FetchRequest("Note"))
            // Every third state only.
            return transactions.contains { $0.changes.count == 3 } ? count : nil
        }.makeAsyncIterator()
        for count in [1, 2, 3] { try await commit(count) }
        #expect(try await counts.next() == 6)
        for count in [1, 3] { try await commit(count) }
        #expect(try await counts.next() == 10)
    }

    @Test func `a follower that does not wait ends at the newest transaction`() async throws {
        let start = try await container.currentToken()
        for count in [1, 2] { try await commit(count) }
        var read: [Int] = []
        for try await step in container.follow(after: start, waits: false) {
            guard case .transactions(let transactions) = step else { continue }
            read += transactions.map(\.changes.count)
        }
        #expect(read == [1, 2])
    }
}
