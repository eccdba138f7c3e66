import Foundation
import PersistentStore
import TestSupport
import Testing

/// A consumer that is killed during a pass.
@Suite(.serialized) struct KilledConsumerTests {
    static let commits = 20
    static let steps = ["consumed", "observed", "hooked", "merged", "deduplicated"]

    let folder: TemporaryFolder
    let journal: String

    init() throws {
        folder = try TemporaryFolder()
        journal = folder.path(of: "journal")
    }

    /// The objects that each step received, in order, without repetitions.
    private func given() throws -> [String: [Int64]] {
        var given: [String: [Int64]] = [:]
        for line in try lines() {
            let words = line.split(separator: " ")
            guard words.count == 2, let key = Int64(words[1]) else { continue }
            if given[String(words[0])]?.contains(key) != true {
                given[String(words[0]), default: []].append(key)
            }
        }
        return given
    }

    private func lines() throws -> [Substring] {
        guard FileManager.default.fileExists(atPath: journal) else { return [] }
        return try String(contentsOfFile: journal, encoding: .utf8).split(separator: "\n")
    }

    private func start(_ container: PersistentContainer, dyingAt step: String, time: Int) throws
        -> StoreWriterProcess
    {
        let process = try StoreWriterProcess(container.path, author: "reader")
        process.process.send("track reader \(journal) \(step) \(time)")
        return process
    }

    private func cursor(_ container: PersistentContainer) async throws -> HistoryToken? {
        try await container.read { try $0.consumers() }.first?.token
    }

    /// A reader that has run before, and commits since it stopped.
    private func prepared() async throws -> PersistentContainer {
        let container = try await Notes.open(folder)
        let earlier = try StoreWriterProcess(container.path, author: "reader")
        #expect(try earlier.ask("register reader") == "reader")
        earlier.process.killNow()
        let context = container.makeContext(author: "writer")
        for _ in 0..<Self.commits { _ = try await context.save(inserting: ["title": "x"]) }
        return container
    }

    @Test(arguments: ["fetched"] + steps, [1, 2])
    func `no step misses a transaction after a kill at a step and a restart`(step: String, time: Int)
        async throws
    {
        let container = try await prepared()
        let before = try await cursor(container)
        let process = try start(container, dyingAt: step, time: time)
        try #require(process.process.waitsForEnd() == 128 + SIGKILL)
        // No transaction passed all steps.
        if time == 1 { #expect(try await cursor(container) == before) }
        let survivor = try start(container, dyingAt: "never", time: 1)
        #expect(try survivor.process.answer() == "tracking")
        let newest = try await container.currentToken()
        #expect(try await soon { try await cursor(container) == newest })
        let all = Array(1...Int64(Self.commits))
        #expect(try given() == Dictionary(uniqueKeysWithValues: Self.steps.map { ($0, all) }))
        #expect(try !lines().contains("refreshed"))
        #expect(try survivor.ask("quit") == "closed")
    }

    /// The cursor of the tracker itself moves only at the end of a pass.
    @Test(arguments: [1, 7, commits])
    func `work saved with the cursor is done exactly once, although the process is killed`(time: Int)
        async throws
    {
        let container = try await Notes.open(folder)
        let context = container.makeContext(author: "writer")
        for _ in 0..<Self.commits { _ = try await context.save(inserting: ["title": "x"]) }
        let newest = try await container.currentToken()
        let process = try StoreWriterProcess(container.path, author: "copier")
        process.process.send("copy copier \(time)")
        try #require(process.process.waitsForEnd() == 128 + SIGKILL)
        let survivor = try StoreWriterProcess(container.path, author: "copier")
        #expect(try survivor.ask("copy copier 0") == "copying")
        #expect(try await soon { try await cursor(container)?.precedes(newest) == false })
        #expect(try survivor.ask("quit") == "closed")
        let titles = try await container.objects().compactMap { $0["title"].textValue }.filter { $0 != "x" }
        #expect(titles == (1...Self.commits).map { "copy of \($0)" })
    }

    @Test func `no transaction is repeated after a kill that follows the cursor's commit`() async throws {
        let container = try await prepared()
        let process = try start(container, dyingAt: "never", time: 1)
        let newest = try await container.currentToken()
        #expect(try await soon { try await cursor(container) == newest })
        process.process.killNow()
        let count = try lines().count
        #expect(count == Self.commits * Self.steps.count)
        _ = try await container.makeContext(author: "writer").save(inserting: ["title": "after"])
        let survivor = try start(container, dyingAt: "never", time: 1)
        let last = try await container.currentToken()
        #expect(try await soon { try await cursor(container) == last })
        #expect(try lines().dropFirst(count) == Self.steps.map { "\($0) \(Self.commits + 1)" }[...])
        survivor.process.killNow()
    }
}
