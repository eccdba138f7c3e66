import Foundation
import Glibc
import TestSupport
import Testing

/// Hosts that are killed, stores that cannot be used, and input from an attacker.
@Suite struct HostRobustnessTests {
    private let clips: ClipsProgram

    init() throws { clips = try ClipsProgram() }

    @Test func `the host exits with 0 at the end of its input, also within a message and while it watches`()
        throws
    {
        for part in [[], [5, 0, 0, 0, 0x7B], [5, 0]] as [[UInt8]] {
            let host = try HostProcess(clips)
            try host.ask("watch")
            host.process.send(part)
            host.process.closeInput()
            #expect(host.process.waitsForEnd() == 0)
        }
    }

    @Test func `requests before the end of the input are carried out`() throws {
        let host = try HostProcess(clips)
        for number in 0..<50 {
            try host.request("save", ["clips": [HostProcess.clip("https://a.org/\(number)")]])
        }
        host.process.closeInput()
        #expect(host.process.waitsForEnd() == 0)
        #expect(try clips.sqlite3("SELECT count(*) FROM Clip") == "50")
    }

    @Test func `SIGTERM ends the host`() throws {
        let host = try HostProcess(clips)
        try host.ask("watch")
        host.process.signal(SIGTERM)
        #expect(host.process.waitsForEnd() == 128 + SIGTERM)
    }

    @Test func `the host has no child processes, and ends when its reader has closed the connection`()
        async throws
    {
        let host = try HostProcess(clips, wrapper: ["sh", "-c", "\"$@\" | head -c 1 >/dev/null; echo", "sh"])
        try host.request("hello", ["version": 1])
        try host.request("list")
        // The shell prints once the pipe's programs have ended.
        #expect(
            await soon { (try? host.request("list")) != nil && host.process.waitsForEnd(within: 0.2) != nil })
        let other = try HostProcess(clips)
        try other.ask("search", ["query": "x"])
        let children = try Shell.run("pgrep", ["-P", "\(other.process.identifier)"])
        #expect(children.output.isEmpty)
    }

    @Test func `a host that is killed between its commit and its answer has saved, and a replay answers it`()
        async throws
    {
        let host = try HostProcess(clips)
        // The answer is larger than a pipe, so that the host waits in the middle of it.
        let batch = (0..<300).map {
            HostProcess.clip("https://a.org/\($0)", ["text": String(repeating: "x", count: 500)])
        }
        try host.request("save", ["clips": batch])
        #expect(try await soon { try clips.sqlite3("SELECT count(*) FROM Clip") == "300" })
        host.process.killNow()
        let again = try HostProcess(clips)
        let saved = try again.save(batch)
        #expect(saved.map { $0.number("id") } == Array(1...300))
        #expect(saved.allSatisfy { $0.flag("isNew") == false })
        #expect(try clips.sqlite3("SELECT count(*) FROM Clip; PRAGMA integrity_check") == "300\nok")
    }

    @Test func `hosts that are killed at any moment lose no answered clip, and save none twice`() throws {
        var answered: Set<String> = []
        var all: [HostProcess.Message] = []
        for round in 0..<8 {
            let host = try HostProcess(clips)
            for number in 0..<20 {
                let clip = HostProcess.clip("https://a.org/\(round)/\(number)")
                all.append(clip)
                let id = try host.request("save", ["clips": [clip]])
                if number <= round * 2, try host.answer(to: id).errorCode == nil {
                    answered.insert(clip["uuid"] as? String ?? "")
                }
            }
            host.process.killNow()
        }
        let stored = Set(try clips.sqlite3("SELECT uuid FROM Clip").split(separator: "\n").map(String.init))
        #expect(answered.isSubset(of: stored) && !answered.isEmpty)
        let host = try HostProcess(clips)
        try host.save(all)
        #expect(try clips.sqlite3("SELECT count(*), count(DISTINCT uuid) FROM Clip") == "160|160")
    }

    @Test
    func `a store that another process holds is busy, reads continue, and the same request succeeds later`()
        throws
    {
        let host = try HostProcess(clips)
        try host.save([HostProcess.clip("https://a.org")])
        let holder = try LineProcess("sqlite3", [clips.storePath])
        #expect(try holder.ask("BEGIN IMMEDIATE; SELECT 1;") == "1")
        let clip = HostProcess.clip("https://b.org")
        let busy = try host.ask("save", ["clips": [clip]])
        #expect(busy.errorCode == "busy" && busy.sentence.contains("sqlite3 (process"), "\(busy)")
        #expect(try host.ask("list").number("count") == 1)
        #expect(try holder.ask("COMMIT; SELECT 2;") == "2")
        #expect(try host.save([clip])[0].flag("isNew") == true)
        // The extension retains its clips itself.
        let names = try FileManager.default.contentsOfDirectory(atPath: clips.folder.path)
        #expect(!names.contains { $0.contains("unsaved") })
    }

    @Test func `the host does not wait for a store after its input has ended`() throws {
        let host = try HostProcess(clips)
        try host.ask("hello", ["version": 1])
        let holder = try LineProcess("sqlite3", [clips.storePath])
        #expect(try holder.ask("BEGIN IMMEDIATE; SELECT 1;") == "1")
        try host.request("save", ["clips": [HostProcess.clip("https://a.org")]])
        let began = ContinuousClock.now
        host.process.closeInput()
        #expect(host.process.waitsForEnd() == 0)
        #expect(ContinuousClock.now - began < .seconds(1.5))
    }

    @Test func `a full disk is an error, and the host continues`() throws {
        try clips.run("add", "--title", "first")
        let host = try HostProcess(clips, wrapper: ["bash", "-c", "ulimit -f 2000; exec \"$@\"", "bash"])
        let large = HostProcess.clip("https://a.org", ["text": String(repeating: "x", count: 4_000_000)])
        let full = try host.ask("save", ["clips": [large]])
        #expect(full.errorCode == "full" && full.sentence.contains("No space left"), "\(full)")
        #expect(try host.save([HostProcess.clip("https://b.org")])[0].flag("isNew") == true)
    }

    @Test func `a store that may only be read is listed, and a save fails with the reason`() throws {
        try clips.run("add", "--title", "first")
        for end in ["", "-wal", "-shm"] { chmod(clips.storePath + end, 0o644) }
        let wrapper = UnprivilegedProcess.words(ClipsProgram.path, []).dropLast()
        let reader = try HostProcess(clips, wrapper: Array(wrapper))
        let list = try reader.ask("list")
        #expect(list.number("count") == 1, "\(list)")
        let failed = try reader.ask("save", ["clips": [HostProcess.clip("https://a.org")]])
        #expect(failed.errorCode == "failed", "\(failed)")
        #expect(try reader.ask("list").number("count") == 1)
    }

    @Test func `a replaced store is an error, and ends the host, so that the next one opens the new store`()
        throws
    {
        let host = try HostProcess(clips)
        try host.ask("watch")
        let backup = clips.folder.path(of: "backup.db")
        try clips.run("backup", backup)
        try clips.run("backup", "restore", backup)
        let push = try host.push()
        #expect(push.errorCode == "failed" && push.sentence.contains("was replaced"), "\(push)")
        #expect(host.process.waitsForEnd() == 1)
        #expect(try HostProcess(clips).ask("hello", ["version": 1]).errorCode == nil)
    }

    @Test func `a store that cannot be opened is an error for each request, until it can`() throws {
        mkdir(clips.storePath, 0o700)
        let host = try HostProcess(clips)
        for type in ["list", "watch", "tags"] {
            let answer = try host.ask(type)
            #expect(answer.errorCode == "failed" && answer.sentence.contains("clips.db"), "\(answer)")
        }
        rmdir(clips.storePath)
        #expect(try host.ask("list").number("count") == 0)
    }

    @Test func `other extensions and other arguments are not served`() throws {
        for arguments in [
            ["chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/"],
            [HostProcess.firefox[0], "other@example.org"], ["chrome-extension://"],
        ] {
            let run = try Shell.run(ClipsProgram.path, arguments, environment: clips.environment)
            #expect(run.status == 2 && run.output.isEmpty && run.errors.hasPrefix("clips: Another browser"))
        }
        for arguments in [[HostProcess.firefox[0]], ["org.clips.host.json", "clips@clips.org"]] {
            let run = try Shell.run(ClipsProgram.path, arguments, environment: clips.environment)
            #expect(run.status == 2 && run.errors.hasPrefix("clips: Unknown command"), "\(run)")
        }
        #expect(!FileManager.default.fileExists(atPath: clips.storePath))
    }

    @Test func `messages that are not requests have an error, and the next one has its answer`() throws {
        let host = try HostProcess(clips)
        let garbage: [[UInt8]] = [
            [], [0], Array("{".utf8), Array("[[[[".utf8), [0xFF, 0xFE],
            Array(repeating: 0x5B, count: 100_000),
            Array(#"{"id":{"id":1}}"#.utf8),
        ]
        for bytes in garbage {
            host.process.send(HostProcess.framed(bytes))
            let answer = try host.push()
            #expect(answer.errorCode == "protocol" && answer["id"] == nil, "\(answer)")
        }
        #expect(try host.ask("list").number("count") == 0)
    }

    @Test func `a message of more than 64 MiB is discarded, and memory stays small`() throws {
        let host = try HostProcess(clips)
        let length = 80 << 20
        host.process.send(withUnsafeBytes(of: UInt32(length)) { Array($0) })
        let piece = [UInt8](repeating: 0x20, count: 1 << 20)
        for _ in 0..<80 { host.process.send(piece) }
        let answer = try host.push()
        #expect(answer.errorCode == "tooBig" && answer["id"] == nil)
        #expect(try host.ask("list").number("count") == 0)
        let status = try String(contentsOfFile: "/proc/\(host.process.identifier)/status", encoding: .utf8)
        let peak = status.firstMatch(of: /VmHWM:\s+(\d+) kB/).flatMap { Int($0.1) } ?? .max
        #expect(peak < 72 << 10, "\(peak) kB")
    }

    @Test func `hostile text is saved and answered unchanged`() throws {
        let host = try HostProcess(clips)
        let texts = [
            "\u{1B}]0;x\u{7}", "'; DROP TABLE Clip; --", "<script>alert(1)</script>", "\u{202E}abc\u{2066}",
            "a\u{0}b", "\u{FFFF}\u{10FFFF}", "\u{D7FF}\u{E000}", "\\u0000\\", "e\u{301}",
            "\r\t\u{8}\u{C}\u{7F}\u{85}",
        ]
        let saved = try host.save(texts.map { HostProcess.clip("https://a.org/", ["note": $0, "text": $0]) })
        for (text, clip) in zip(texts, saved) {
            #expect(Array(clip.object("clip").text("note")?.utf8 ?? "".utf8) == Array(text.utf8))
            #expect(Array(clip.object("clip").text("text")?.utf8 ?? "".utf8) == Array(text.utf8))
        }
        // Half of a surrogate pair, as in a cut title, is not an error.
        host.process.send(
            HostProcess.framed(
                #"{"id":99,"type":"save","clips":[{"uuid":"00000000-0000-4000-8000-000000000000","title":"a\ud83d"}]}"#
                    .utf8))
        #expect(try host.answer(to: 99).objects("clips")[0].object("clip").text("title") == "a\u{FFFD}")
    }

    @Test func `two hosts that save the same URLs with ifAbsent leave one clip of each`() throws {
        let hosts = [try HostProcess(clips), try HostProcess(clips, HostProcess.firefox)]
        for host in hosts { try host.ask("hello", ["version": 1]) }
        for number in 0..<30 {
            let ids = try hosts.map {
                try $0.request(
                    "save", ["clips": [HostProcess.clip("https://a.org/\(number)", ["ifAbsent": true])]])
            }
            let answers = try zip(hosts, ids).map { try $0.answer(to: $1).objects("clips")[0] }
            #expect(answers[0].number("id") == answers[1].number("id"))
        }
        #expect(try clips.sqlite3("SELECT count(*), count(DISTINCT url) FROM Clip") == "30|30")
    }
}
