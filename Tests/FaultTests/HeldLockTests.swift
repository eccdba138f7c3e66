import Foundation
import Glibc
import PersistentStore
import Synchronization
import TestSupport
import Testing

/// A process stopped in the middle of its commit, with the write lock.
@Suite(.serialized) struct HeldLockTests {
    /// Waits until a process is stopped: it writes its note before, and a SIGCONT until then would be lost.
    private func isStopped(_ process: pid_t) async -> Bool {
        await soon {
            let status = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
            return status.split(separator: ")").last?.split(separator: " ").first == "T"
        }
    }

    @Test
    func `during a stopped commit other processes read, and a save reports the lock holder`()
        async throws
    {
        let clips = try Situation.someClips.make()
        let saved = try clips.ids()
        // Wide enough for the path of the retained text and the reason.
        let app = try AppSession(clips, columns: 260)
        #expect(app.shows("live"))
        let note = clips.folder.path(of: "note")
        // The third write into the log is part of its commit.
        let fault = Fault(calls: "w", kind: .stop)
        let holder = try Victim(
            clips, ["extension", "--title", "clip of the stopped"],
            with: fault.environment(at: 3, path: clips.storePath + "-wal", note: note))
        #expect(await soon { FileManager.default.fileExists(atPath: note) })
        #expect(await isStopped(holder.process))

        let list = try clips.run("list")
        #expect(list.status == 0 && list.output.split(separator: "\n").count == Situation.clips)
        #expect(try clips.run("search", "clip", "--limit", "1000").status == 0)
        #expect(try clips.run("history").status == 0)

        // A running app, and one that starts now.
        app.type("ahttps://example.org/by-hand\r")
        #expect(app.shows("saving…"))
        app.type("jjj")
        #expect(app.shows("4/\(Situation.clips)"))
        app.type("/clip 17\r")
        #expect(app.shows(" 1/1 ") && app.shows("saving…"))
        let late = try AppSession(clips)
        #expect(late.shows("1/\(Situation.clips)"))
        late.type("*")
        let run = try clips.run("extension", "--title", "clip in vain", input: "hard to come by")
        #expect(
            run.errors.contains("was locked for 5")
                && run.errors.contains("by clips (process \(holder.process)). Nothing was saved; try again."),
            "\(run.errors)")
        #expect(try run.status == 1 && clips.unsaved().contains("hard to come by"))
        #expect(app.shows("was locked for 5") && app.shows("Your text is in "))
        #expect(late.shows("Not saved: starred “clip "), "\(late.lines)")

        kill(holder.process, SIGCONT)
        #expect(holder.wait() == 0)
        let own = try clips.ids().subtracting(saved)
        #expect(own.count == 1)
        #expect(late.shows("live") && late.shows("clip of the stopped"))
        #expect(await Oracle(clips: clips).complaints(saved: saved.union(own)) == [])
    }

    @Test func `a commit whose frames were written before the watch is detected without polling`()
        async throws
    {
        let folder = try TemporaryFolder()
        var options = StoreOptions()
        options.pollsAsFallback = false
        let container = try await Notes.open(folder, options: options)
        // Stopped between its frames and their publication, after which no file is written.
        let note = folder.path(of: "note")
        let fault = Fault(calls: "s", kind: .stop)
        let writer = try LineProcess(
            "sqlite3", [container.path],
            environment: fault.environment(at: 1, path: container.path + "-wal", note: note))
        writer.send("PRAGMA synchronous = FULL; INSERT INTO Note (title) VALUES ('x');")
        #expect(await soon { FileManager.default.fileExists(atPath: note) })
        #expect(await isStopped(writer.identifier))
        let events = try await container.events()
        let isDetected = Mutex(false)
        let listening = Task {
            for await case .committed in events { isDetected.withLock { $0 = true } }
        }
        writer.signal(SIGCONT)
        #expect(await soon { isDetected.withLock { $0 } })
        #expect(try await container.read { try $0.count(FetchRequest("Note")) } == 1)
        await container.close()
        await listening.value
    }

    @Test func `an app that starts during a stopped commit shows the process for which a save waits`()
        async throws
    {
        let clips = try Situation.someClips.make()
        let saved = try clips.ids()
        let holder = try LineProcess("sqlite3", [clips.storePath])
        #expect(try holder.ask("BEGIN IMMEDIATE; DELETE FROM Clip; SELECT 'held';") == "held")
        holder.signal(SIGSTOP)
        let app = try AppSession(clips)
        #expect(app.shows("1/\(Situation.clips)"))
        app.type("*")
        #expect(app.shows("saving… waiting for sqlite3 (process \(holder.identifier))"))
        holder.signal(SIGCONT)
        #expect(try holder.ask("ROLLBACK; SELECT 'free';") == "free")
        #expect(app.shows("Starred") && app.hides("waiting for"))
        #expect(await Oracle(clips: clips).complaints(saved: saved) == [])
    }
}
