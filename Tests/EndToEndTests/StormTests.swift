import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// The app on a terminal, while an external writer commits a thousand times per second.
@Suite struct StormTests {
    let clips: ClipsProgram

    init() throws { clips = try ClipsProgram() }

    @Test func `every key counts and the cursor stays on its clip during a storm of commits`() async throws {
        let seeds = 300
        try clips.run(
            "extension", "--jsonl",
            input: (1...seeds).map { "{\"title\":\"seed \($0).\",\"created\":\"2026-01-01T00:00:00Z\"}\n" }
                .joined())
        let terminal = try TmuxSession(
            [ClipsProgram.path], columns: 80, rows: 24, environment: clips.environment)
        #expect(try await soon { try terminal.shows("\(seeds)/", pane: 0) || terminal.shows("/\(seeds)") })
        let process = try #require(pid_t(try terminal.format("#{pane_pid}")))
        let storm = try Storm(clips.storePath, seeds: seeds)
        var random = SeededRandom(seed: 4)
        // The number of the clip at the cursor; the highest one is on top.
        var (number, marks) = (150, Set<Int>())
        try terminal.send("/seed 150.", "Enter")
        #expect(try await soon { try terminal.cursorLine().contains("seed 150.") })
        try terminal.send("Escape")
        // With a letter that follows immediately, Escape would be one key.
        #expect(try await soon { try !terminal.shows("/seed 150.") })
        #expect(try await soon { try terminal.cursorLine().contains("seed 150.") })

        var rounds = 0
        while rounds < 12 || storm.commits < 1000 {
            rounds += 1
            var keys = ""
            for _ in 0..<8 {
                switch Int.random(in: 0..<4, using: &random) {
                case 0 where number > 20: (keys, number) = (keys + "j", number - 1)
                case 1 where number < 280: (keys, number) = (keys + "k", number + 1)
                case 2 where number > 20: (keys, number) = (keys + "3j", number - 3)
                default:
                    guard number > 20 else { continue }
                    marks.formSymmetricDifference([number])
                    (keys, number) = (keys + " ", number - 1)
                }
            }
            try terminal.send(keys)
            try #require(
                try await soon { try terminal.cursorLine().contains("seed \(number).") },
                "after \(keys) not on seed \(number)")
            let row = try terminal.format("#{cursor_y}")
            let commits = storm.commits
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                kill(process, SIGSTOP)
                #expect(await soon { storm.commits > commits + 50 })
                kill(process, SIGCONT)
            case 1:
                try terminal.resize(columns: 60, rows: 30)
                #expect(try await soon { try terminal.cursorLine().contains("seed \(number).") })
                try terminal.resize(columns: 80, rows: 24)
            case 2:
                try terminal.send(":typed text")
                #expect(await soon { storm.commits > commits + 50 })
                #expect(try await soon { try terminal.shows(":typed text") })
                try terminal.send("Escape")
            default:
                #expect(await soon { storm.commits > commits + 50 })
                #expect(try terminal.format("#{cursor_y}") == row)
            }
            #expect(try await soon { try terminal.cursorLine().contains("seed \(number).") })
            if !marks.isEmpty { #expect(try await soon { try terminal.shows("\(marks.count) marked") }) }
        }
        storm.stop()
        let count = try #require(Int(try clips.sqlite3("SELECT count(*) FROM Clip")))
        if !marks.isEmpty {
            try terminal.send("Escape")
            // The number of marks may be hidden by a message; the hint of the key is not.
            #expect(try await soon { try !terminal.shows("Esc unmark") })
        }
        try terminal.send("g")
        let shown = "1/" + Self.grouped(count)
        let isShown = try await soon { try terminal.shows(shown) }
        let screen = try terminal.lines().joined(separator: "\n")
        #expect(isShown, "not \(shown): \(screen)")
        let titles = try clips.sqlite3("SELECT title FROM Clip ORDER BY created DESC, id DESC LIMIT 15")
        #expect(
            try await soon {
                let lines = try terminal.lines().dropFirst()
                return zip(titles.split(separator: "\n"), lines).allSatisfy { $1.contains($0) }
            })
        try terminal.send("q")
    }

    private static func grouped(_ number: Int) -> String {
        let digits = String(number)
        return digits.count > 3 ? "\(digits.dropLast(3)),\(digits.suffix(3))" : digits
    }
}

/// The `sqlite3` shell, which commits statements at a pace.
private final class Storm: Sendable {
    private let counted = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)
    private let ended = DispatchSemaphore(value: 0)

    var commits: Int { counted.load(ordering: .relaxed) }

    init(_ store: String, seeds: Int) throws {
        let shell = try LineProcess("sqlite3", ["-batch", store])
        _ = try shell.ask("PRAGMA busy_timeout=5000; PRAGMA synchronous=OFF;")
        Thread.detachNewThread { [self] in
            var random = SeededRandom(seed: 9)
            var number = 0
            while !isOver.load(ordering: .relaxed) {
                for _ in 0..<10 {
                    number += 1
                    shell.send(Self.statement(number, seeds, &random))
                }
                // When the shell answers, the statements are committed.
                guard (try? shell.ask("SELECT 'done';")) == "done" else { break }
                counted.add(10, ordering: .relaxed)
                _ = poll(nil, 0, 8)
            }
            ended.signal()
        }
    }

    func stop() {
        isOver.store(true, ordering: .relaxed)
        ended.wait()
    }

    /// Returns a change above or below the seeds, or one that does not move them.
    private static func statement(_ number: Int, _ seeds: Int, _ random: inout SeededRandom) -> String {
        let id = Int.random(in: 1...seeds, using: &random)
        return switch Int.random(in: 0..<6, using: &random) {
        case 0, 1: "INSERT INTO Clip (title) VALUES ('storm \(number)');"
        case 2: "INSERT INTO Clip (title, created) VALUES ('old \(number)', \(number));"
        case 3: "UPDATE Clip SET starred = NOT starred, note = \(number) WHERE id = \(id);"
        case 4: "UPDATE Clip SET unread = NOT unread, note = \(number) WHERE id = \(id);"
        default: "DELETE FROM Clip WHERE id = (SELECT min(id) FROM Clip WHERE id > \(seeds));"
        }
    }
}
