import Foundation
import MirrorTesting
import Mirroring
import Synchronization
import TestSupport

@testable import MirrorRelay

/// A folder of which each machine may have its own copy, and a synchronizer that copies file by file, in random order,
/// and cuts, duplicates, and loses files.
final class FolderRelay: TestRelay {
    private struct State {
        var random: SeededRandom
        var replicas: [String] = []
        /// The complete names that each replica had, and the sizes of complete files.
        var known: [Set<String>] = []
        var sizes: [String: Int] = [:]
        var deleted: Set<String> = []
        /// Copies of earlier files.
        var earlier: [String: Data] = [:]
        var members = 0
        var puts = 0
        var isSettled = false
        var time: Int64 = 1_700_000_000_000
    }

    let folder: TemporaryFolder
    let secret = MirrorSecret()
    let keys: KeyFiles?
    private let isCopied: Bool
    private let state: Mutex<State>

    /// - Parameters:
    ///   - isCopied: Whether each machine has a copy of the folder.
    ///   - machines: The number of machines with keys of their own; nil for one key that does not change.
    init(seed: UInt64, isCopied: Bool, machines: Int? = nil) throws {
        folder = try TemporaryFolder()
        keys = try machines.map { [secret] in try KeyFiles(secret, zone: "world", machines: $0) }
        self.isCopied = isCopied
        state = Mutex(State(random: SeededRandom(seed: seed &+ 77)))
    }

    /// The time of all machines, which passes with each look at it.
    func now() -> Int64 {
        state.withLock { state in
            state.time += 7
            return state.time
        }
    }

    static func engine(
        _ path: String, _ secret: MirrorSecret, state: String, retirement: Duration = .zero,
        now: @escaping @Sendable () -> Int64 = FolderEngine.milliseconds, ring: KeyRing? = nil
    ) throws -> FolderEngine {
        try FolderEngine(
            path, zone: "world", cipher: RecordCipher(ring ?? KeyRing(secret: secret), zone: "world"),
            state: state, retirement: retirement, polling: .milliseconds(50), now: now)
    }

    /// A machine with the folder, or with its copy.
    struct Member: TestRelay {
        let relay: FolderRelay
        let path: String
        let state: String
        let ring: (@Sendable () -> KeyRing)?

        func engine() throws -> FolderEngine {
            try FolderRelay.engine(path, relay.secret, state: state, now: relay.now, ring: ring?())
        }

        func rotate() async throws {
            let engine = try engine()
            try await engine.rotate(excluding: [])
            await engine.close()
        }

        func connect(_ nextFault: @escaping @Sendable () -> RelayFault) throws -> any MirrorEngine {
            let relay = relay
            let engine = try engine()
            var observed = RewritingEngine(engine)
            observed.stored = { relay.noteStored($1) }
            observed.received = { entries in
                relay.synchronize()
                return entries
            }
            observed.checked = { _, revision in
                relay.synchronize()
                return revision
            }
            return FaultyEngine(observed, nextFault: nextFault) { body in try? await body() }
        }

        func forget(_ random: inout SeededRandom) async throws { try await relay.forget(&random) }
        var putCount: Int { get async throws { try await relay.putCount } }
    }

    func member() throws -> any TestRelay {
        try state.withLock { state in
            let number = state.members
            state.members += 1
            if isCopied || number == 0 {
                let path = folder.path(of: "replica\(number)")
                try FileManager.default.createDirectory(
                    atPath: path + "/clips-mirror-world", withIntermediateDirectories: true)
                state.replicas.append(path + "/clips-mirror-world")
                state.known.append([])
                // As after pairing: the zone is there.
                let cipher = RecordCipher(secret, zone: "world")
                let mark = "zone-\(cipher.name(of: "folder".utf8).prefix(16)).clips"
                try Data().write(to: URL(fileURLWithPath: "\(state.replicas[number])/\(mark)"))
            }
            let path = folder.path(of: "replica\(isCopied ? number : 0)")
            return Member(
                relay: self, path: path, state: folder.path(of: "state\(number)"), ring: keys?.next())
        }
    }

    func connect(_ nextFault: @escaping @Sendable () -> RelayFault) throws -> any MirrorEngine {
        try member().connect(nextFault)
    }

    var putCount: Int { get async throws { state.withLock(\.puts) } }

    private func noteStored(_ results: [MirrorPutResult]) {
        state.withLock { $0.puts += results.count { if case .stored = $0 { true } else { false } } }
        synchronize()
    }

    func settle() async throws {
        state.withLock { $0.isSettled = true }
        synchronize()
    }

    // MARK: The synchronizer

    /// Copies and deletes a few files, or all.
    func synchronize() {
        state.withLock { state in
            Self.noteChanges(&state)
            Self.copyKeys(&state)
            guard state.replicas.count > 1 else { return }
            let pairs = state.replicas.indices.flatMap { source in
                state.known[source].sorted().flatMap { name in
                    state.replicas.indices.filter { $0 != source }.map { (source, $0, name) }
                }
            }.filter { !state.known[$1].contains($2) && !state.deleted.contains($2) }
            let count = state.isSettled ? pairs.count : 3
            for (source, target, name) in pairs.shuffled(using: &state.random).prefix(count) {
                Self.copy(name, source, target, &state)
            }
            for name in state.deleted {
                for index in state.replicas.indices
                where state.isSettled || Int.random(in: 0..<4, using: &state.random) == 0 {
                    unlink("\(state.replicas[index])/\(name)")
                    state.known[index].remove(name)
                }
            }
        }
    }

    /// Copies the files with keys that a copy of the folder lacks.
    private static func copyKeys(_ state: inout State) {
        let names = state.replicas.map { replica in
            ((try? FileManager.default.contentsOfDirectory(atPath: replica)) ?? []).filter {
                FolderEngine.keyRecord($0) != nil
            }
        }
        for source in state.replicas.indices {
            for name in names[source].sorted() {
                for target in state.replicas.indices where !names[target].contains(name) {
                    guard state.isSettled || Int.random(in: 0..<3, using: &state.random) == 0 else {
                        continue
                    }
                    let data = FileManager.default.contents(atPath: "\(state.replicas[source])/\(name)")
                    try? data?.write(to: URL(fileURLWithPath: "\(state.replicas[target])/\(name)"))
                }
            }
        }
    }

    private static func noteChanges(_ state: inout State) {
        for index in state.replicas.indices {
            let names = try? FileManager.default.contentsOfDirectory(atPath: state.replicas[index])
            var complete: Set<String> = []
            for name in names ?? [] where SegmentName(name) != nil && !state.deleted.contains(name) {
                let data = FileManager.default.contents(atPath: "\(state.replicas[index])/\(name)")
                let size = data?.count ?? 0
                if state.sizes[name] == nil { state.sizes[name] = size }
                if size == state.sizes[name] { complete.insert(name) }
                if Int.random(in: 0..<8, using: &state.random) == 0 { state.earlier[name] = data }
            }
            state.deleted.formUnion(state.known[index].subtracting(names ?? []))
            state.known[index] = complete.subtracting(state.deleted)
        }
    }

    private static func copy(_ name: String, _ source: Int, _ target: Int, _ state: inout State) {
        let folder = state.replicas[target]
        guard let data = FileManager.default.contents(atPath: "\(state.replicas[source])/\(name)") else {
            return
        }
        func write(_ data: Data, _ name: String) {
            try? data.write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        if !state.isSettled {
            switch Int.random(in: 0..<10, using: &state.random) {
            case ..<3:
                return write(data.prefix(Int.random(in: 0..<max(1, data.count), using: &state.random)), name)
            case 3: write(data, name + ".sync-conflict-20261124")
            case 4: write(data, "~" + name)
            default: break
            }
        }
        write(data, name)
        state.known[target].insert(name)
    }

    // MARK: Damage

    /// Deletes, damages, exchanges, or restores files in one copy.
    func forget(_ random: inout SeededRandom) async throws {
        let kind = Int.random(in: 0..<7, using: &random)
        state.withLock { state in
            Self.noteChanges(&state)
            guard let index = state.replicas.indices.randomElement(using: &random) else { return }
            let folder = state.replicas[index]
            let names = state.known[index].sorted()
            let chosen = names.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
            let files = FileManager.default
            func write(_ data: Data?, _ name: String) {
                unlink("\(folder)/\(name)")
                try? data?.write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            }
            switch kind {
            case 0: for name in names { unlink("\(folder)/\(name)") }
            case 1: for name in chosen { unlink("\(folder)/\(name)") }
            case 2:
                // Old files return.
                for (name, data) in state.earlier { write(data, name) }
                state.deleted.subtract(state.earlier.keys)
            case 3:
                for name in chosen { write(files.contents(atPath: "\(folder)/\(name)")?.dropLast(9), name) }
            case 4:
                // Files are exchanged, also between machines.
                guard let first = names.first, let last = names.last else { return }
                let data = files.contents(atPath: "\(folder)/\(first)")
                write(files.contents(atPath: "\(folder)/\(last)"), first)
                write(data, last)
            case 5:
                for name in chosen {
                    var data = files.contents(atPath: "\(folder)/\(name)") ?? Data()
                    if !data.isEmpty { data[data.count - 1] ^= 1 }
                    write(data, name)
                }
            default:
                let name = SegmentName(machine: .random(in: 0 ... .max, using: &random), sequence: 1).text
                switch Int.random(in: 0..<3, using: &random) {
                case 0: mkfifo("\(folder)/\(name)", 0o600)
                case 1: symlink("/dev/zero", "\(folder)/\(name)")
                default: write(Data(repeating: 7, count: 10_000), name)
                }
            }
        }
    }
}
