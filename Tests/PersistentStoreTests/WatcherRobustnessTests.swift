import Foundation
import Glibc
import PersistentStore
import Synchronization
import TestSupport
import Testing

/// The watcher when something that it depends on is missing, disappears, or breaks.
@Suite(.serialized) struct WatcherRobustnessTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "notes.db")
    }

    /// With file events alone, so that a commit that they miss is never found.
    private static var withoutPolling: StoreOptions {
        var options = StoreOptions()
        options.pollsAsFallback = false
        return options
    }

    private final class Count: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func add() { count.withLock { $0 += 1 } }
    }

    /// Counts the commits that a container reports until the task is cancelled.
    private func count(_ container: PersistentContainer) async throws -> (Count, Task<Void, Never>) {
        let count = Count()
        let events = try await container.events()
        let task = Task { for await event in events where Self.isCommit(event) { count.add() } }
        return (count, task)
    }

    private static func isCommit(_ event: StoreEvent) -> Bool { "\(event)".hasPrefix("committed") }

    /// The descriptors of this process whose target's name contains these words.
    private func descriptors(_ words: String) throws -> Set<CInt> {
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return Set(
            names.compactMap { name in
                let target = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/self/fd/" + name)
                return target.map { words.isEmpty || $0.contains(words) } == true ? CInt(name) : nil
            })
    }

    @Test func `events requested after the store was replaced end immediately with replaced`() async throws {
        let container = try await Notes.open(folder, options: Self.withoutPolling)
        let first = try await replacements(container)
        rename(path, folder.path(of: "elsewhere.db"))
        #expect(await soon { first.value == 1 })
        let second = try await replacements(container)
        #expect(await soon { second.value == 1 })
        await container.close()
    }

    @Test(arguments: ["notes.db", "notes.db-wal"])
    func `an emptied store or log is reported as replaced`(name: String) async throws {
        let container = try await Notes.open(folder)
        _ = try await container.makeContext(author: "a").save(inserting: ["title": "a"])
        let replaced = try await replacements(container)
        #expect(truncate(folder.path(of: name), 0) == 0)
        #expect(await soon { replaced.value == 1 })
        await container.close()
    }

    @Test func `a log that SQLite truncates is whole`() async throws {
        let container = try await Notes.open(folder)
        let replaced = try await replacements(container)
        let (commits, task) = try await count(container)
        let size = { try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int }
        _ = try await container.makeContext(author: "a").save(inserting: ["title": "a"])
        #expect(await soon { commits.value > 0 })
        _ = try Shell.run("sqlite3", [path, "PRAGMA wal_checkpoint(TRUNCATE)"])
        #expect(try size() == 0)
        // Longer than an interval of polling.
        #expect(await !soon(within: 1.5) { replaced.value > 0 })
        let before = commits.value
        _ = try await container.makeContext(author: "a").save(inserting: ["title": "b"])
        #expect(await soon { commits.value > before })
        #expect(replaced.value == 0)
        task.cancel()
        await container.close()
    }

    /// Counts reports that the container's file was replaced, until the container is closed.
    private func replacements(_ container: PersistentContainer) async throws -> Count {
        let count = Count()
        let events = try await container.events()
        Task { for await event in events where event == .replaced { count.add() } }
        return count
    }

    @Test func `a container released without closing ends its events and closes all its descriptors`() async {
        // A process of its own, in which no other test opens files.
        await #expect(processExitsWith: .success) {
            let tests = try WatcherRobustnessTests()
            // Descriptors that the process opens once and caches are open before counting.
            await (try Notes.open(tests.folder)).close()
            func all() throws -> Int { try tests.descriptors("").count }
            let before = try all()
            for _ in 0..<5 {
                var container: PersistentContainer? = try await Notes.open(tests.folder)
                let events = try #require(try await container?.events())
                let ended = Count()
                let task = Task {
                    for await _ in events {}
                    ended.add()
                }
                defer { task.cancel() }
                _ = try await container?.makeContext(author: "a").save(inserting: ["title": "a"])
                #expect(try all() > before)
                container = nil
                #expect(await soon { ended.value == 1 })
            }
            #expect(try await soon { try tests.descriptors(tests.folder.path).isEmpty })
            #expect(try await soon { try all() <= before })
        }
    }

    @Test func `the write lock's file is found if it is created after the watch began`() async throws {
        await (try Notes.open(folder)).close()
        var options = Self.withoutPolling
        options.access = .readOnly
        let container = try await Notes.open(folder, options: options)
        #expect(access(path + "-shm", F_OK) != 0)
        let (commits, task) = try await count(container)
        defer { task.cancel() }
        // An external writer that does not ring the doorbell: without the lock, only polling would find its
        // commit at "full".
        let shell = try LineProcess("sqlite3", [path])
        for round in 1...12 {
            #expect(
                try shell.ask("PRAGMA synchronous = FULL; INSERT INTO Note (title) VALUES ('x'); SELECT 1;")
                    == "1")
            #expect(await soon { commits.value >= round }, "round \(round)")
        }
    }

    @Test func `polling still detects every commit after events stop`() async {
        // A process of its own, in which no other test watches.
        await #expect(processExitsWith: .success) {
            let tests = try WatcherRobustnessTests()
            let container = try await Notes.open(tests.folder)
            let (commits, task) = try await tests.count(container)
            defer { task.cancel() }
            let watch = try tests.descriptors("inotify")
            #expect(watch.count == 2)
            // A pipe that is never written to replaces the events.
            var ends: [CInt] = [-1, -1]
            try #require(pipe(&ends) == 0)
            _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
            for descriptor in watch { dup2(ends[0], descriptor) }
            let writer = try StoreWriterProcess(tests.path, author: "other")
            for round in 1...3 {
                #expect(try Int(writer.ask("insert 1")) != nil)
                #expect(await soon { commits.value >= round })
            }
        }
    }

    @Test func `a process without inotify polls, and says so`() throws {
        let words = [
            "-Ur", "sh", "-c", "echo 0 > /proc/sys/user/max_inotify_instances && exec \"$@\"", "sh",
            StoreWriterProcess.path, path, "limited", "normal",
        ]
        guard try Shell.run("unshare", ["-Ur", "true"]).status == 0 else {
            Issue.record("user namespaces are not allowed here, so inotify cannot be disabled")
            return
        }
        let process = try LineProcess("unshare", words)
        #expect(try process.answer() == "ready")
        #expect(try process.ask("watch") == "watching")
        #expect(try process.ask("next") == "watchingByPolling")
        let shell = try LineProcess("sqlite3", [path])
        for _ in 1...3 {
            #expect(try shell.ask("INSERT INTO Note (title) VALUES ('x'); SELECT 1;") == "1")
            #expect(try process.ask("next").hasPrefix("committed"))
        }
    }

    @Test func `a store opened through a symbolic link detects commits made under its own name`()
        async throws
    {
        await (try Notes.open(folder)).close()
        let links = folder.path(of: "links")
        mkdir(links, 0o700)
        symlink(path, links + "/link.db")
        let container = try await PersistentContainer(
            path: links + "/link.db", model: Notes.model(), options: Self.withoutPolling)
        let (commits, task) = try await count(container)
        defer { task.cancel() }
        let direct = try await Notes.open(folder)
        for round in 1...5 {
            _ = try await direct.makeContext(author: "a").save(inserting: ["title": "a"])
            #expect(await soon { commits.value >= round })
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: links) == ["link.db"])
    }

    @Test func `the log stays small under any number of commits with a reader and a watcher`() async throws {
        let container = try await Notes.open(folder)
        let (commits, task) = try await count(container)
        defer { task.cancel() }
        let shell = try LineProcess("sqlite3", [path])
        shell.send("PRAGMA synchronous = OFF; PRAGMA busy_timeout = 5000;")
        #expect(try shell.answer() == "5000")
        var largest = 0
        var reads = 0
        func read() async throws {
            _ = try await container.read { try $0.count(FetchRequest("Note")) }
            reads += 1
            var status = stat()
            if stat(path + "-wal", &status) == 0 { largest = max(largest, Int(status.st_size)) }
        }
        // The log of the smaller number is restarted three times.
        let rounds = LongProof.count(3, of: 20, "thousands of commits with a reader and a watcher")
        for _ in 0..<rounds {
            let insert = "INSERT INTO Note (title) VALUES ('x');\n"
            shell.send(String(repeating: insert, count: 500))
            try await read()
            shell.send(String(repeating: insert, count: 499))
            shell.send("INSERT INTO Note (title) VALUES ('x'); SELECT 'done';")
            let answered = Count()
            let answer = Task.detached {
                defer { answered.add() }
                return try shell.answer(within: 60)
            }
            repeat { try await read() } while answered.value == 0
            #expect(try await answer.value == "done")
        }
        #expect(try await container.read { try $0.count(FetchRequest("Note")) } == rounds * 1000)
        #expect(commits.value > 0 && reads > rounds)
        // SQLite restarts the log every 1,000 pages of 4 KiB unless a reader is active.
        #expect(largest < 12 << 20, "the log grew to \(largest) bytes")
    }
}
