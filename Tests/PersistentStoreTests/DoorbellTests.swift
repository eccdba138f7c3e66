import Foundation
import Glibc
import Platform
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import PersistentStore

/// The doorbell: which writers ring it, and what a watcher does if one of them does not.
@Suite(.serialized) struct DoorbellTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "notes.db")
    }

    private func files() throws -> WatchedFiles { try #require(WatchedFiles(store: path)) }

    @Test func `a process with the store open to write is known to ring, and no other`() async throws {
        let container = try await Notes.open(folder)
        let watched = try files()
        let own = WriterLock.Holder.process(getpid())
        #expect(watched.isRung(by: own))
        #expect(!watched.isRung(by: .unknown) && !watched.isRung(by: .free))
        let writer = try StoreWriterProcess(path, author: "other")
        let other = WriterLock.Holder.process(writer.process.identifier)
        #expect(watched.isRung(by: other))
        writer.process.killNow()
        #expect(await soon { !watched.isRung(by: other) })
        // Of two containers of a process, the closed one does not unregister the other.
        await (try Notes.open(folder)).close()
        #expect(watched.isRung(by: own))
        await container.close()
        #expect(!watched.isRung(by: own))
    }

    @Test func `a doorbell that is created or replaced is watched`() async throws {
        // Its other files exist throughout.
        let first = try await Notes.open(folder)
        let watched = try files()
        for _ in 0..<2 {
            rename(path + "-doorbell", folder.path(of: "old"))
            let container = try await Notes.open(folder)
            #expect(await soon { watched.drain() == .doorbell })
            #expect(watched.isRung(by: .process(getpid())))
            _ = watched.drain()
            Doorbell(storePath: path)?.ring()
            #expect(watched.drain() == .doorbell)
            await container.close()
        }
        await first.close()
    }

    @Test(arguments: [StoreOptions.Durability.full, .normal])
    func `only a commit that survives a power failure leaves its position`(
        durability: StoreOptions.Durability
    ) async throws {
        var options = StoreOptions()
        options.durability = durability
        let container = try await Notes.open(folder, options: options)
        _ = try await container.makeContext(author: "a").save(inserting: ["title": "a"])
        let newest = try await container.currentToken()
        let position = Doorbell.position(store: FilePath.resolved(path))
        #expect(position == (durability == .full ? newest : nil))
        await container.close()
    }

    /// The commits that a container reports, without any polling.
    private func commits() async throws -> (PersistentContainer, @Sendable () -> Int) {
        var options = StoreOptions()
        options.pollsAsFallback = false
        let container = try await Notes.open(folder, options: options)
        let count = Counter()
        let events = try await container.events()
        Task { for await event in events { if case .committed = event { count.add() } } }
        return (container, { count.value })
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func add() { count.withLock { $0 += 1 } }
    }

    @Test(arguments: ["NORMAL", "FULL"])
    func `a commit of a process that is known to ring is detected even if it does not`(mode: String)
        async throws
    {
        let (container, count) = try await commits()
        // This process is known because of the container, and this connection does not ring.
        let silent = try Connection(path: path, access: .readWrite)
        try silent.execute("PRAGMA synchronous = \(mode)")
        for round in 1...50 {
            try silent.run("INSERT INTO Note (title) VALUES ('x')")
            try #require(await soon { count() >= round }, "round \(round)")
        }
        await container.close()
    }

    @Test func `a commit that does not ring is detected after repeated rings`() async throws {
        var options = StoreOptions()
        options.pollsAsFallback = false
        let container = try await Notes.open(folder, options: options)
        let newest = Mutex<HistoryToken?>(nil)
        let events = try await container.events()
        let listening = Task {
            for await case .committed(let token) in events { newest.withLock { $0 = token } }
        }
        let writer = try StoreWriterProcess(path, author: "other")
        let silent = try Connection(path: path, access: .readWrite)
        for round in 1...50 {
            #expect(try writer.ask("burst 3") == "done")
            try silent.run("INSERT INTO Note (title) VALUES ('x')")
            let last = try await container.currentToken()
            try #require(await soon { newest.withLock { $0 } == last }, "round \(round)")
        }
        await container.close()
        await listening.value
    }

    @Test func `a writer that rings without a pause between its commits is reported while it writes`()
        async throws
    {
        let (container, count) = try await commits()
        let writer = try StoreWriterProcess(path, author: "other")
        #expect(try writer.ask("storm") == "storming")
        #expect(await soon { count() > 100 })
        writer.process.killNow()
        let newest = try await container.currentToken()
        #expect(newest.number > 0)
        await container.close()
    }

    @Test func `a file of another program that is written often does not wake the watcher`() async throws {
        await (try Notes.open(folder)).close()
        let watcher = try StoreWriterProcess(path, author: "idle")
        #expect(try watcher.ask("watch") == "watching")
        let tasks = "/proc/\(watcher.process.identifier)/task"
        func wakes() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: tasks).reduce(0) { sum, task in
                // A thread may end.
                let status = (try? String(contentsOfFile: "\(tasks)/\(task)/status", encoding: .utf8)) ?? ""
                let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary") }
                return sum + (line.flatMap { Int($0.filter(\.isNumber)) } ?? 0)
            }
        }
        let busy = open(folder.path(of: "busy.log"), O_WRONLY | O_CREAT, 0o600)
        defer { close(busy) }
        // Its creation is an event.
        #expect(try watcher.ask("count").hasPrefix("0 objects"))
        let before = try wakes()
        let start = ContinuousClock.now
        var writes = 0
        while writes < 1000 {
            writes += pwrite(busy, "x", 1, 0)
            sched_yield()
        }
        let (woken, seconds) = (try wakes() - before, Int((ContinuousClock.now - start).components.seconds))
        // Polling, once a second.
        #expect(woken <= 10 * (1 + seconds) && woken < 500, "\(woken) wake-ups by \(writes) writes")
    }
}
