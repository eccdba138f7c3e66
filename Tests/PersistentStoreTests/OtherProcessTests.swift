import Glibc
import PersistentStore
import TestSupport
import Testing

/// Other processes that write, stop, and die.
@Suite(.serialized) struct OtherProcessTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `two processes of one author see each other's work`() async throws {
        let container = try await Notes.open(folder)
        let context = container.makeContext(author: "app")
        let id = try await context.save(inserting: ["title": "a"])
        _ = try await context.object(id)
        let token = try await container.currentToken()
        let process = try StoreWriterProcess(container.path, author: "app")
        #expect(try process.ask("retitle \(id.key) theirs") == "done")
        let transactions = try await container.transactions(HistoryFetchRequest(.after(token)))
        #expect(transactions.map(\.author) == ["app"])
        #expect(transactions.first?.program == "StoreWriterTool")
        #expect(transactions.first?.process == process.process.identifier)
        #expect(try await context.merge(transactions).updated == [id])
    }

    @Test func `a writer killed at 100 moments leaves whole transactions and a sound store`() async throws {
        let container = try await Notes.open(folder)
        let context = container.makeContext(author: "survivor")
        var random = SeededRandom(seed: 13)
        for round in 0..<2000 {
            // A slow disk has fewer commits between two kills.
            let hasEnough = try await container.transactions().count { $0.author == "victim" } > 100
            if round >= 100, hasEnough { break }
            let process = try StoreWriterProcess(container.path, author: "victim")
            #expect(try process.ask("storm") == "storming")
            _ = poll(nil, 0, Int32.random(in: 0...Int32(6 + round / 20), using: &random))
            process.process.killNow()
            if round % 10 == 0 { _ = try await context.save(inserting: ["title": "alive"]) }
        }
        #expect(try Shell.run("sqlite3", [container.path, "PRAGMA integrity_check"]).output == "ok\n")
        let transactions = try await container.transactions()
        let victims = transactions.filter { $0.author == "victim" }
        #expect(victims.count > 100)
        #expect(victims.allSatisfy { $0.changes.count == 3 })
        let survivors = transactions.count { $0.author == "survivor" }
        #expect(survivors >= 10)
        let count = try await container.read { try $0.count(FetchRequest("Note")) }
        #expect(count == victims.count * 3 + survivors)
    }

    @Test
    func `a writer stopped while it holds the lock is named, reads continue, and saves resume after it`()
        async throws
    {
        var options = StoreOptions()
        options.busyTimeout = .milliseconds(50)
        let container = try await Notes.open(folder, options: options)
        let context = container.makeContext(author: "app")
        _ = try await context.save(inserting: ["title": "a"])
        let process = try StoreWriterProcess(container.path, author: "other")
        #expect(try process.ask("hold") == "holding")
        process.process.signal(SIGSTOP)
        #expect(try await container.objects().count == 1)
        try await context.insert("Note", ["title": "waiting"])
        let error = await #expect(throws: StoreError.self) { try await context.save() }
        guard case .busy(_, let holder, let milliseconds) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(holder == "StoreWriterTool (process \(process.process.identifier))")
        #expect(milliseconds >= 49)
        #expect(await context.hasChanges)
        process.process.signal(SIGCONT)
        #expect(try process.ask("release") == "released")
        try await context.save()
        #expect(try await container.objects().count == 2)
    }

    @Test func `a process with an open store opens its files only through SQLite`() async throws {
        let path = folder.path(of: "notes.db")
        let log = folder.path(of: "calls")
        guard try Shell.run("strace", ["-V"]).status == 0 else {
            Issue.record("strace is missing, so the system calls cannot be watched: install it")
            return
        }
        let process = try LineProcess(
            "strace",
            [
                "-f", "-o", log, "-e", "trace=open,openat,close,unlink", StoreWriterProcess.path, path, "a",
                "full",
            ])
        #expect(try process.answer() == "ready")
        for line in ["watch", "insert 3", "burst 5", "retitle 1 x", "register reader", "insert 1"] {
            #expect(try !process.ask(line).hasPrefix("error"))
        }
        #expect(try process.ask("quit") == "closed")
        var calls: [Substring] = []
        #expect(
            try await soon {
                calls = try Shell.run("cat", [log]).output.split(separator: "\n")
                return calls.contains { $0.contains("exited with") }
            })
        func opens(_ suffix: String) -> [Substring] {
            calls.filter { $0.contains("open") && $0.contains("\"\(path)\(suffix)\"") }
        }
        // SQLite passes O_NOFOLLOW; a call without it is ours.
        let ours = (opens("") + opens("-shm")).filter { !$0.contains("O_NOFOLLOW") }
        #expect(!opens("").isEmpty && opens("-shm").count >= 2)
        #expect(ours.count == 1)
        let probe = try #require(ours.first)
        #expect(probe.contains("-shm\""))
        let descriptor = try #require(Self.result(of: probe, in: calls))
        let opened = try #require(calls.firstIndex(of: probe))
        let removed = calls.firstIndex { $0.contains("unlink(\"\(path)-shm\"") } ?? calls.endIndex
        #expect(!calls[opened..<removed].contains { $0.contains("close(\(descriptor))") })
    }

    /// The result of a call; another thread's line may come between its two halves.
    private static func result(of call: Substring, in calls: [Substring]) -> Substring? {
        guard call.contains("unfinished"), let begun = calls.firstIndex(of: call) else {
            return call.split(separator: " ").last
        }
        let thread = call.prefix { $0 != " " }
        let resumed = calls[begun...].first { $0.hasPrefix(thread + " ") && $0.contains("resumed") }
        return resumed?.split(separator: " ").last
    }
}
