import CBenchmarkProbes
import ClipsCore
import FoundationEssentials
import Glibc
import PersistentStore
import SearchIndex

extension Figure {
    static let killedProcesses = Figure(
        name: "Z1",
        title: "processes killed at random moments: state of the store, and waits of another process"
    ) { workspace in
        let rounds = workspace.count(200, quick: 20)
        var measurements: [Measurement] = []
        for kind in KilledProcesses.Kind.allCases {
            measurements += try KilledProcesses(kind, workspace).measure(rounds: rounds)
        }
        return measurements
    }
}

/// A series of killed processes and a surviving writer that saves concurrently with each.
private struct KilledProcesses {
    enum Kind: String, CaseIterable {
        case `extension`, app, `import`, indexing, cleaning

        /// The initial number of clips in its store.
        var clips: Int { self == .indexing ? 5_000 : 100 }
    }

    private let kind: Kind
    private let store: String
    private let lines: String
    private let program: String

    init(_ kind: Kind, _ workspace: Workspace) throws {
        self.kind = kind
        program = try workspace.clipsProgram()
        store = workspace.newPath("killed.db")
        lines = workspace.newPath("lines.jsonl")
        try SmallStore.make(store, clips: kind.clips)
        let text = (0..<Self.imported).map { "{\"title\":\"clip \($0)\"}\n" }.joined()
        try Data(text.utf8).write(to: URL(filePath: lines))
    }

    /// The number of clips, which take two transactions.
    private static let imported = 1_000

    func measure(rounds: Int) throws -> [Measurement] {
        let path = store
        let survivor = try blocking { try await ClipStore(path: path, author: "survivor") }
        let whole = try wholeTime(survivor)
        var (killed, torn) = (0, 0)
        var saved: Set<Int64> = []
        var waits: [Double] = []
        for round in 0..<rounds {
            let before = try blocking { try await Self.look(survivor, after: nil) }
            try prepare(survivor)
            let victim = try start(round)
            try victim.letRun(seconds: .random(in: 0...whole * 1.1))
            if victim.kill() { killed += 1 }
            saved.formUnion(victim.ids())
            let began = Moment.now
            saved.insert(try blocking { try await survivor.add([SampleClip.draft(round)]) }[0])
            waits.append(began.secondsSince)
            torn += try blocking { try await Self.look(survivor, after: before) }.torn
        }
        let present = try blocking { try await Self.look(survivor, after: nil) }.clips
        let findings = try blocking { try await Self.findings(survivor) }
        try blocking { await survivor.container.close() }
        let zero = Measurement.Goal(atMost: 0)
        return [
            Measurement("\(kind): killed before its end, of \(rounds)", .count, [Double(killed)]),
            Measurement("\(kind): transactions not whole", .count, [Double(torn)], goal: zero),
            Measurement(
                "\(kind): of \(saved.count) saved clips lost", .count,
                [Double(saved.subtracting(present).count)],
                goal: zero),
            Measurement("\(kind): findings of the doctor", .count, [Double(findings)], goal: zero),
            Measurement("\(kind): a save by another process after each", .time, waits),
        ]
    }

    private struct Look: Sendable {
        let token: HistoryToken
        let clips: Set<Int64>
        /// Torn transactions, and differences between history and clips.
        var torn = 0
    }

    private static func look(_ store: ClipStore, after earlier: Look?) async throws -> Look {
        try await store.container.read { snapshot in
            let clips = Set(try snapshot.fetch(FetchRequest(ClipModel.entity)).map(\.id.key))
            var look = Look(token: try snapshot.newestToken(), clips: clips)
            guard let earlier else { return look }
            var expected = earlier.clips
            do {
                try snapshot.forEachTransaction(HistoryFetchRequest(.token(earlier.token))) { transaction in
                    for change in transaction.changes where change.objectID.entity == ClipModel.entity {
                        switch change.kind {
                        case .insert: expected.insert(change.objectID.key)
                        case .delete: expected.remove(change.objectID.key)
                        case .update: if !expected.contains(change.objectID.key) { look.torn += 1 }
                        }
                    }
                    let isWhole = transaction.author != "import" || transaction.changes.count == imported / 2
                    if !isWhole { look.torn += 1 }
                    return true
                }
            } catch StoreError.tokenExpired {
                // The requested cleaning deleted it.
                return look
            }
            if expected != clips { look.torn += 1 }
            return look
        }
    }

    private func prepare(_ survivor: ClipStore) throws {
        switch kind {
        case .indexing: for end in ["", "-wal", "-shm"] { unlink(store + "-search" + end) }
        case .cleaning: _ = try blocking { try await survivor.add((0..<300).map(SampleClip.draft)) }
        default: break
        }
    }

    private func start(_ round: Int) throws -> Victim {
        switch kind {
        case .extension:
            try Victim([program, "extension", "--title", "clip \(round)", "--text", "", "--store", store])
        case .import: try Victim([program, "import", lines, "--store", store])
        case .indexing: try Victim([program, "search", "clip", "--store", store])
        case .cleaning: try Victim([program, "history", "clean", "--before", "0d", "--store", store])
        case .app:
            try Victim(
                onTerminal: [program, "--store", store],
                keys: (0..<5).map { "ahttps://example.org/\(round)/\($0)\rj*" }.joined() + "u")
        }
    }

    /// Returns the time of a process that is not killed.
    private func wholeTime(_ survivor: ClipStore) throws -> Double {
        guard kind != .app else { return 0.1 }
        try prepare(survivor)
        let began = Moment.now
        try start(-1).wait()
        return began.secondsSince
    }

    /// Returns the number of findings, except consumers of killed windows, which the next cleaning
    /// unregisters.
    private static func findings(_ store: ClipStore) async throws -> Int {
        let found = try await store.container.check().count {
            if case .staleConsumer = $0 { false } else { true }
        }
        return found + (await SearchIndex(store.container, ClipModel.searched).problem() == nil ? 0 : 1)
    }
}

/// A process to kill.
private final class Victim {
    private let process: Int32
    /// Its standard output, or its terminal.
    private var output: Int32 = -1
    private let terminal: TerminalProgram?
    private var printed: [UInt8] = []

    init(_ command: [String]) throws {
        var (input, output) = (Int32(-1), Int32(-1))
        terminal = nil
        process = withCStrings(command) { probe_start($0, &input, &output) }
        guard process > 0 else { throw BenchmarkError("cannot start '\(command[0])'") }
        close(input)
        self.output = output
    }

    init(onTerminal command: [String], keys: String) throws {
        let program = try TerminalProgram(command)
        terminal = program
        process = program.process
        program.press(keys)
    }

    deinit { if output >= 0 { close(output) } }

    func letRun(seconds: Double) throws {
        guard let terminal else {
            usleep(UInt32(seconds * 1_000_000))
            return
        }
        try terminal.read(seconds: seconds)
    }

    /// Kills the process; returns whether it was still running.
    func kill() -> Bool {
        Glibc.kill(process, SIGKILL)
        guard terminal == nil else { return true }
        readAll()
        var status: Int32 = 0
        waitpid(process, &status, 0)
        return status & 0x7f == SIGKILL
    }

    func wait() {
        readAll()
        waitpid(process, nil, 0)
    }

    private func readAll() {
        var buffer: [UInt8] = Array(repeating: 0, count: 65_536)
        while true {
            let count = read(output, &buffer, buffer.count)
            guard count > 0 else { return }
            printed += buffer[..<count]
        }
    }

    /// Returns the IDs on the complete lines of its output.
    func ids() -> [Int64] {
        printed.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
            .compactMap { Int64(String(decoding: $0, as: UTF8.self)) }
    }
}
