import Foundation
import PersistentStore
import Synchronization
import TestSupport
import Testing

/// Order that never depends on the clock.
@Suite struct ClockTests {
    final class Clock: Sendable {
        private let time: Mutex<Int64>

        init(_ start: Int64) { time = Mutex(start) }

        func set(_ milliseconds: Int64) { time.withLock { $0 = milliseconds } }
        func now() -> Int64 { time.withLock { $0 } }
    }

    static let start: Int64 = 1_700_000_000_123
    let folder: TemporaryFolder
    let clock = Clock(start)

    init() throws { folder = try TemporaryFolder() }

    private func open() async throws -> PersistentContainer {
        var options = StoreOptions()
        let clock = clock
        options.clock = { clock.now() }
        options.durability = .normal
        return try await Notes.open(folder, options: options)
    }

    private func date(_ milliseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    @Test func `1,000 transactions with one timestamp, read in chunks of 7, arrive once each and in order`()
        async throws
    {
        let container = try await open()
        let contexts = [container.makeContext(author: "a"), container.makeContext(author: "b")]
        for index in 0..<1000 {
            _ = try await contexts[index % 2].save(inserting: ["title": .text("\(index)")])
        }
        var seen: [HistoryTransaction] = []
        var request = HistoryFetchRequest(.beginning, limit: 7)
        while true {
            let chunk = try await container.transactions(request)
            guard let last = chunk.last else { break }
            #expect(chunk.count <= 7)
            seen += chunk
            request.start = .after(last.token)
        }
        #expect(seen.map { $0.changes[0].objectID.key } == Array(1...1000))
        #expect(Set(seen.map(\.timestamp)).count == 1)
        #expect(seen.map(\.author) == (0..<1000).map { $0 % 2 == 0 ? "a" : "b" })
    }

    @Test func `a clock that is set back loses nothing, and timestamps never decrease`() async throws {
        let container = try await open()
        let context = container.makeContext(author: "a")
        var token = try await container.currentToken()
        for offset: Int64 in [0, 3_600_000, -3_600_000, -1, 1, 7_200_000, 0] {
            clock.set(Self.start + offset)
            _ = try await context.save(inserting: ["title": "a"])
            let new = try await container.transactions(HistoryFetchRequest(.after(token)))
            #expect(new.count == 1)
            token = try await container.currentToken()
        }
        let all = try await container.transactions()
        #expect(all.count == 7)
        #expect(all.map(\.timestamp) == all.map(\.timestamp).sorted())
        #expect(all.map(\.number) == all.map(\.number).sorted())
    }

    @Test func `a date is strict to the millisecond, for any millisecond`() async throws {
        let container = try await open()
        let context = container.makeContext(author: "a")
        for step: Int64 in 0..<60 {
            clock.set(Self.start + step)
            _ = try await context.save(inserting: ["title": "a"])
        }
        let all = try await container.transactions()
        for (index, transaction) in all.enumerated() {
            let after = try await container.transactions(
                HistoryFetchRequest(.afterDate(transaction.timestamp)))
            #expect(after.map(\.number) == all[(index + 1)...].map(\.number))
        }
        let earlier = HistoryFetchRequest(.afterDate(date(Self.start - 1)))
        #expect(try await container.transactions(earlier).count == 60)
        #expect(try await container.transactions(HistoryFetchRequest(.afterDate(.distantFuture))).isEmpty)
        #expect(try await container.transactions(HistoryFetchRequest(.afterDate(.distantPast))).count == 60)
    }

    @Test func `a clock far ahead expires unread history with an error and loses nothing that was read`()
        async throws
    {
        let container = try await open()
        let context = container.makeContext(author: "a")
        let slow = try await container.registerConsumer("slow")
        _ = try await context.save(inserting: ["title": "a"])
        _ = try await context.save(inserting: ["title": "b"])
        // Nothing unread is purged within the maximum age.
        #expect(try await container.purgeHistory(maximumAge: .seconds(3600)).transactions == 0)
        clock.set(Self.start + 30 * 24 * 3_600_000)
        #expect(try await container.purgeHistory(maximumAge: .seconds(3600)).transactions == 2)
        await #expect(throws: StoreError.self) {
            try await container.transactions(HistoryFetchRequest(.after(slow.token)))
        }
        #expect(try await container.objects().count == 2)
    }

    @Test func `a maximum age of zero purges the history of the current millisecond`() async throws {
        let container = try await open()
        _ = try await container.makeContext(author: "a").save(inserting: ["title": "a"])
        #expect(try await container.purgeHistory(maximumAge: .zero).transactions == 1)
    }
}
