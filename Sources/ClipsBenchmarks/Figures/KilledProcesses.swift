import ClipsCore
import Glibc
import PersistentStore
import SearchIndex

extension Figure {
    static let killedProcesses = Figure(
        name: "Z1",
        title: "processes killed at random moments: state of the store, and waits of another process"
    ) { workspace in
        let rounds = workspace.count(200, quick: 20)
        return try KilledProcesses.Kind.allCases.flatMap {
            try KilledProcesses($0, workspace).measure(rounds: rounds)
        }
    }
}

/// A series of killed processes and a surviving writer that saves after each.
private struct KilledProcesses {
    enum Kind: CaseIterable { case `extension`, app, `import`, indexing, cleaning }

    private let kind: Kind
    private let store: String
    private let lines: String
    private let program: String
    private let survivor: ClipStore

    /// The number of clips of an import, which takes two transactions.
    private static let imported = 1_000

    init(_ kind: Kind, _ workspace: Workspace) throws {
        self.kind = kind
        program = try workspace.clipsProgram()
        let path = workspace.newPath("killed.db")
        (store, lines) = (path, workspace.newPath("lines.jsonl"))
        try SampleStore.make(path, clips: kind == .indexing ? 5_000 : 100)
        survivor = try blocking { try await ClipStore(path: path, author: "survivor") }
    }

    func measure(rounds: Int) throws -> [Measurement] {
        let whole = try wholeTime()
        var (killed, torn) = (0, 0)
        var saved: Set<Int64> = []
        var waits: [Double] = []
        for round in 0..<rounds {
            let before = try state(after: nil)
            try prepare(round)
            let victim = try start(round)
            try victim.run(seconds: .random(in: 0...whole * 1.1))
            if victim.kill() { killed += 1 }
            saved.formUnion(victim.ids)
            let began = Moment.now
            let ids = try blocking { [survivor] in try await survivor.add([SampleClip.draft(round)]) }
            waits.append(began.secondsSince)
            saved.formUnion(ids)
            torn += try state(after: before).torn
        }
        let lost = saved.subtracting(try state(after: nil).clips).count
        let findings = try findings()
        try survivor.container.closeBlocking()
        return [
            Measurement("\(kind): killed before its end, of \(rounds)", .count, [Double(killed)]),
            Measurement("\(kind): torn transactions", .count, [Double(torn)], goal: .atMost(0)),
            Measurement(
                "\(kind): lost of \(saved.count) saved clips", .count, [Double(lost)], goal: .atMost(0)),
            Measurement("\(kind): findings of the doctor", .count, [Double(findings)], goal: .atMost(0)),
            Measurement("\(kind): a save by another process after each", .time, waits),
        ]
    }

    private struct State: Sendable {
        let token: HistoryToken
        let clips: Set<Int64>
        /// Torn transactions, and differences between history and clips.
        var torn = 0
    }

    private func state(after earlier: State?) throws -> State {
        try survivor.container.readBlocking { snapshot in
            let clips = Set(try snapshot.fetch(FetchRequest(ClipModel.entity)).map(\.id.key))
            var state = State(token: try snapshot.newestToken(), clips: clips)
            guard let earlier else { return state }
            var expected = earlier.clips
            do {
                try snapshot.forEachTransaction(HistoryFetchRequest(.after(earlier.token))) { transaction in
                    for change in transaction.changes where change.objectID.entity == ClipModel.entity {
                        switch change.kind {
                        case .insert: expected.insert(change.objectID.key)
                        case .delete: expected.remove(change.objectID.key)
                        case .update: if !expected.contains(change.objectID.key) { state.torn += 1 }
                        }
                    }
                    let isWhole =
                        transaction.author != "import" || transaction.changes.count == Self.imported / 2
                    if !isWhole { state.torn += 1 }
                    return true
                }
            } catch StoreError.tokenExpired {
                // The requested cleaning deleted it.
                return state
            }
            if expected != clips { state.torn += 1 }
            return state
        }
    }

    private func prepare(_ round: Int) throws {
        switch kind {
        case .indexing: for end in ["", "-wal", "-shm"] { unlink(store + "-search" + end) }
        case .import:
            let lines = (0..<Self.imported).map { "{\"url\":\"https://example.org/\(round)/\($0)\"}\n" }
            try Output.write(lines.joined(), to: self.lines)
        case .cleaning:
            try blocking { [survivor] in _ = try await survivor.add((0..<300).map(SampleClip.draft)) }
        default: break
        }
    }

    private func start(_ round: Int) throws -> Victim {
        let keys = (0..<5).map { "ahttps://example.org/\(round)/\($0)\rj*" }.joined() + "u"
        return switch kind {
        case .extension:
            try Victim([program, "extension", "--title", "clip \(round)", "--text", "", "--store", store])
        case .app: try Victim([program, "--store", store], keys: keys)
        case .import: try Victim([program, "import", lines, "--store", store])
        case .indexing: try Victim([program, "search", "clip", "--store", store])
        case .cleaning: try Victim([program, "history", "clean", "--before", "0d", "--store", store])
        }
    }

    /// Returns the time of a process that is not killed.
    private func wholeTime() throws -> Double {
        guard kind != .app else { return 0.1 }
        try prepare(-1)
        let began = Moment.now
        guard try start(-1).wait() == 0 else { throw BenchmarkError("the process for '\(kind)' failed") }
        return began.secondsSince
    }

    /// Returns the number of findings, except consumers of killed windows, which the next cleaning
    /// unregisters.
    private func findings() throws -> Int {
        try blocking { [survivor] in
            let found = try await survivor.container.check().count {
                if case .staleConsumer = $0 { false } else { true }
            }
            let index = SearchIndex(survivor.container, ClipModel.searched)
            return found + (await index.problem() == nil ? 0 : 1)
        }
    }
}

/// A process to kill, with pipes or on a terminal.
private final class Victim {
    private let process: ChildProcess?
    private let terminal: TerminalProgram?
    private var printed: [UInt8] = []

    init(_ command: [String], keys: String? = nil) throws {
        process = try keys == nil ? ChildProcess(command, isQuiet: true) : nil
        terminal = try keys == nil ? nil : TerminalProgram(command)
        if let keys { terminal?.press(keys) }
        process?.closeInput()
    }

    func run(seconds: Double) throws {
        if let terminal { try terminal.read(seconds: seconds) } else { usleep(UInt32(seconds * 1_000_000)) }
    }

    /// Kills the process; returns whether it was still running.
    func kill() -> Bool {
        if let terminal { Glibc.kill(terminal.process, SIGKILL) }
        process?.kill()
        return wait() == nil
    }

    /// Returns the exit status; nil if the process was killed.
    func wait() -> Int32? {
        printed += process?.readAll() ?? []
        return process?.wait().status
    }

    /// The IDs on the complete lines of its output.
    var ids: [Int64] {
        printed.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
            .compactMap { Int64(String(decoding: $0, as: UTF8.self)) }
    }
}
