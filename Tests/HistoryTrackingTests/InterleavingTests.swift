import Foundation
import HistoryTracking
import PersistentStore
import Synchronization
import TestSupport
import Testing

/// Any interleaving of writers, consumers in other processes, cleaning, kills, and clock steps, which must
/// deliver each transaction to each consumer at least once and in order, or as a full refresh.
@Suite(.serialized) struct InterleavingTests {
    final class Clock: Sendable {
        private let time = Mutex<Int64>(1_700_000_000_000)
        var now: Int64 { time.withLock { $0 } }
        func step(_ milliseconds: Int64) { time.withLock { $0 += milliseconds } }
    }

    /// A consumer in its own process, which may be killed and restarted.
    struct Follower {
        let name: String
        let journal: String
        var process: StoreWriterProcess?

        /// Its position after the entries of its journal; a gap is an issue.
        func position(among committed: [Int64], _ comment: Comment) -> Int64 {
            let text = (try? String(contentsOfFile: journal, encoding: .utf8)) ?? ""
            var position: Int64 = 0
            for line in text.split(separator: "\n") {
                let words = line.split(separator: " ")
                guard let number = Int64(words.last ?? "") else { continue }
                if words.count == 2 {
                    position = number
                } else {
                    let missed = committed.filter { $0 > position && $0 < number }
                    #expect(missed.isEmpty, comment)
                    #expect(committed.contains(number), comment)
                    position = max(position, number)
                }
            }
            return position
        }
    }

    @Test(arguments: 1...6)
    func `each consumer gets every transaction at least once and in order, or a full refresh`(
        seed: UInt64
    ) async throws {
        var random = SeededRandom(seed: seed)
        let (folder, clock) = (try TemporaryFolder(), Clock())
        var options = StoreOptions()
        options.clock = { clock.now }
        options.durability = .normal
        let container = try await Notes.open(folder, options: options)
        let contexts = ["app", "extension", nil].map { container.makeContext(author: $0) }
        var committed: [Int64] = []
        var followers = (1...2).map {
            Follower(name: "follower\($0)", journal: folder.path(of: "journal\($0)"))
        }
        for _ in 0..<60 {
            let index = Int.random(in: 0..<followers.count, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<6:
                for _ in 0...Int.random(in: 0..<9, using: &random) {
                    let context = contexts[Int.random(in: 0..<3, using: &random)]
                    try await context.insert("Note", ["title": "x"])
                    if let token = try await context.save().token { committed.append(token.number) }
                }
            case 6: clock.step(Int64.random(in: -3_600_000...3_600_000, using: &random))
            case 7:
                let age = Duration.seconds(Int.random(in: -600...3600, using: &random))
                _ = try await container.purgeHistory(maximumAge: age)
            case 8: _ = try await container.purgeHistory(maximumAge: .seconds(100 * 24 * 3600))
            case 9:
                followers[index].process?.process.killNow()
                followers[index].process = nil
            case 10:
                if let process = followers[index].process { #expect(try process.ask("quit") == "closed") }
                followers[index].process = nil
            default: try start(&followers[index], container.path)
            }
        }
        let newest = try await container.currentToken().number
        for index in followers.indices {
            try start(&followers[index], container.path)
            let follower = followers[index]
            let comment: Comment = "seed \(seed), \(follower.name)"
            #expect(await soon { follower.position(among: committed, comment) == newest }, comment)
            #expect(try follower.process?.ask("quit") == "closed")
        }
    }

    private func start(_ follower: inout Follower, _ store: String) throws {
        guard follower.process == nil else { return }
        let process = try StoreWriterProcess(store, author: follower.name)
        #expect(try process.ask("follow \(follower.name) \(follower.journal)") == "following")
        follower.process = process
    }
}
