import Glibc
import PersistentStore
import Synchronization
import TestSupport
import Testing

/// Events of an open store for commits by other connections.
@Suite(.serialized) struct StoreWatchTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    final class Listener: Sendable {
        private let heard = Mutex<[StoreEvent]>([])
        private let task: Mutex<Task<Void, Never>?> = Mutex(nil)
        var all: [StoreEvent] { heard.withLock { $0 } }

        init(_ container: PersistentContainer) async throws {
            let events = try await container.events()
            let task = Task { [weak self] in
                for await event in events { self?.add(event) }
            }
            self.task.withLock { $0 = task }
        }

        deinit { task.withLock { $0?.cancel() } }

        private func add(_ event: StoreEvent) { heard.withLock { $0.append(event) } }
    }

    private func shell(_ container: PersistentContainer, _ sql: String) throws {
        #expect(try Shell.run("sqlite3", [container.path], input: sql).errors == "")
    }

    @Test func `polling detects commits without file events, and the watcher reports that it polls`()
        async throws
    {
        var options = StoreOptions()
        options.usesFileEvents = false
        let container = try await Notes.open(folder, options: options)
        let listener = try await Listener(container)
        #expect(await soon { listener.all == [.watchingByPolling] })
        for round in 1...5 {
            try shell(container, "INSERT INTO Note (title) VALUES ('x')")
            #expect(await soon { listener.all.count == round + 1 })
        }
        #expect(listener.all.last == .committed(try await container.currentToken()))
    }

    @Test func `a commit of another connection of this process is reported without polling`() async throws {
        var options = StoreOptions()
        options.pollsAsFallback = false
        let container = try await Notes.open(folder, options: options)
        let second = try await Notes.open(folder)
        let listener = try await Listener(container)
        _ = try await second.makeContext(author: "app").save(inserting: ["title": "a"])
        let newest = try await second.currentToken()
        #expect(await soon { listener.all.contains(.committed(newest)) })
    }

    @Test func `a rollback is not reported as a commit`() async throws {
        let container = try await Notes.open(folder)
        let listener = try await Listener(container)
        try shell(container, "BEGIN; INSERT INTO Note (title) VALUES ('x'); ROLLBACK;")
        try shell(container, "INSERT INTO Note (title) VALUES ('x')")
        #expect(await soon { !listener.all.isEmpty })
        #expect(listener.all == [.committed(try await container.currentToken())])
    }

    @Test(arguments: ["replaced", "moved", "deleted", "folder moved"])
    func `a store that disappears is reported, and nothing is written to the old file`(
        how: String
    ) async throws {
        let inner = folder.path(of: "inner")
        mkdir(inner, 0o700)
        let path = inner + "/notes.db"
        let container = try await PersistentContainer(path: path, model: Notes.model())
        let context = container.makeContext(author: "app")
        _ = try await context.save(inserting: ["title": "a"])
        let listener = try await Listener(container)
        // To see writes to the opened files. Closing them drops the locks of this process, so this comes
        // last; a second name would itself be reported.
        let descriptors = [path, path + "-wal"].map { (name: String) in open(name, O_RDONLY | O_CLOEXEC) }
        defer { for descriptor in descriptors { close(descriptor) } }
        let opened = descriptors.map { "/proc/\(getpid())/fd/\($0)" }
        switch how {
        case "replaced":
            let copy = try Shell.run("sqlite3", [path, ".backup \(folder.path(of: "copy.db"))"])
            #expect(copy.status == 0)
            rename(folder.path(of: "copy.db"), path)
        case "moved": rename(path, inner + "/elsewhere.db")
        case "deleted": unlink(path)
        default: rename(inner, folder.path(of: "outer"))
        }
        #expect(await soon { listener.all.contains(.replaced) })
        let before = try Shell.run("cksum", opened).output
        try await context.insert("Note", ["title": "lost"])
        await #expect(throws: StoreError.replaced(path: path)) { try await context.save() }
        #expect(await context.hasChanges)
        #expect(try Shell.run("cksum", opened).output == before)
    }

    @Test func `thousands of foreign commits produce a bounded number of events and an exact end`()
        async throws
    {
        let container = try await Notes.open(folder)
        let listener = try await Listener(container)
        let commits = LongProof.count(3000, of: 10_000, "foreign commits")
        try shell(
            container,
            "PRAGMA synchronous = OFF;"
                + String(repeating: "INSERT INTO Note (title) VALUES ('x');", count: commits))
        let count = try await container.read { try $0.count(FetchRequest("Note")) }
        #expect(count == commits)
        let newest = try await container.currentToken()
        #expect(await soon { listener.all.last == .committed(newest) })
        #expect(listener.all.count <= commits)
    }

    @Test func `the doorbell never grows`() async throws {
        let container = try await Notes.open(folder)
        let context = container.makeContext(author: "app")
        for _ in 0..<50 { _ = try await context.save(inserting: ["title": "a"]) }
        var status = stat()
        #expect(stat(container.path + "-doorbell", &status) == 0)
        #expect(status.st_size == 77)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func `an idle watcher costs next to nothing`() async throws {
        let container = try await Notes.open(folder)
        let process = try StoreWriterProcess(container.path, author: "idle")
        #expect(try process.ask("watch") == "watching")
        let folder = "/proc/\(process.process.identifier)/"
        func ticks() throws -> Int {
            let text = try Shell.run("cat", [folder + "stat"]).output
            let fields = text.split(separator: " ")
            return (Int(fields[13]) ?? 0) + (Int(fields[14]) ?? 0)
        }
        /// The number of times that a thread began to wait.
        func waits() throws -> Int {
            try Shell.run("sh", ["-c", "cat \(folder)task/*/status"]).output
                .matches(of: /\nvoluntary_ctxt_switches:\s*(\d+)/).reduce(0) { $0 + (Int($1.1) ?? 0) }
        }
        let (before, waited, begin) = (try ticks(), try waits(), ContinuousClock.now)
        // The test measures load, so time must pass: two polls.
        #expect(await soon { ContinuousClock.now - begin >= .seconds(2) })
        let (woken, seconds) = (try waits() - waited, (ContinuousClock.now - begin).components.seconds)
        #expect(woken > 0 && woken <= 2 * seconds + 4, "\(woken) in \(seconds) s")
        // A tick is 10 ms.
        #expect(try ticks() - before <= 2)
    }

    @Test func `events that are requested while the container closes end, or report that it is closed`()
        async throws
    {
        for round in 1...200 {
            let container = try await Notes.open(folder)
            let request = Task { try await container.events() }
            if round.isMultiple(of: 2) { await Task.yield() }
            await container.close()
            let hasEnded = Mutex(false)
            let reading = Task {
                if let events = try? await request.value { for await _ in events {} }
                hasEnded.withLock { $0 = true }
            }
            try #require(await soon { hasEnded.withLock { $0 } }, "round \(round)")
            await reading.value
        }
    }

    @Test func `a request to a closed store fails`() async throws {
        let container = try await Notes.open(folder)
        let context = container.makeContext(author: "app")
        let events = try await container.events()
        await container.close()
        await #expect(throws: StoreError.closed) { try await context.save(inserting: ["title": "a"]) }
        await #expect(throws: StoreError.closed) { try await container.objects() }
        await #expect(throws: StoreError.closed) { _ = try await container.events() }
        for await _ in events {}
    }
}
