import CBenchmarkProbes
import ClipsCore
import FoundationEssentials
import Glibc
import PersistentStore

/// A role of this program when it runs itself as a second process.
enum Role: Codable {
    /// Commits clips with the current time, or the time after the newest ones of a ``LargeStore``.
    case writer(store: String, isDurable: Bool = false, areOld: Bool = false)
    case probeWriter(store: String, isDurable: Bool)
    case probeScreen(store: String)
    case probeEcho
    case probeHost(store: String)
    /// Commits clips until the end of the input, 1,000 a second or without a pause, then writes their number.
    case steadyWriter(store: String, pauses: Bool = true, limitsLog: Bool = true)
    /// Saves clips with plain statements, 500 in each transaction.
    case insert(store: String, clips: Int)

    private static let mark = "--role"

    init?(_ words: [String]) {
        guard words.count == 2, words[0] == Self.mark else { return nil }
        guard let role = try? JSONDecoder().decode(Role.self, from: Data(words[1].utf8)) else { return nil }
        self = role
    }

    /// Returns the command line for this role.
    func commandLine(of program: String = "/proc/self/exe") throws -> [String] {
        [program, Self.mark, String(decoding: try JSONEncoder().encode(self), as: UTF8.self)]
    }

    func start() throws -> ChildProcess { try ChildProcess(commandLine()) }

    /// Returns the exit status.
    func play() throws -> Int32 {
        switch self {
        case .writer(let store, let isDurable, let areOld):
            try Self.commit(to: store, isDurable: isDurable) {
                try await Self.commitOnRequest($0, areOld: areOld)
            }
        case .probeWriter(let store, let isDurable):
            probe_write_clips(store, isDurable ? 1 : 0, STDIN_FILENO, STDOUT_FILENO)
        case .probeScreen(let store): probe_show_clips(store)
        case .probeEcho: probe_echo_keys()
        case .probeHost(let store): probe_serve_browser(store, 1, STDIN_FILENO, STDOUT_FILENO)
        case .steadyWriter(let store, let pauses, let limitsLog):
            try Self.commit(to: store, limitsLog: limitsLog) {
                try await Self.commitSteadily($0, pauses: pauses)
            }
        case .insert(let store, let clips): try Self.insert(clips, into: store)
        }
    }

    /// Works with the library, on one thread like every command of `clips`.
    private static func commit(
        to path: String, isDurable: Bool = false, limitsLog: Bool = true,
        _ work: @escaping @Sendable (ClipStore) async throws -> Void
    ) throws -> Int32 {
        try StoreOptions.runOnThisThread { loopOptions in
            var options = loopOptions
            options.durability = isDurable ? .full : .normal
            options.limitsLog = limitsLog
            do {
                try await work(ClipStore(path: path, author: "writer", options: options))
                return 0
            } catch {
                Output.printError("the writing process failed: \(error)")
                return 1
            }
        }
    }

    private static func insert(_ clips: Int, into store: String) throws -> Int32 {
        try SampleStore.insert(clips, into: store)
        return 0
    }

    /// Uses the protocol of `probe_write_clips`.
    private static func commitOnRequest(_ store: ClipStore, areOld: Bool) async throws {
        var (stamp, burst, number): (Int64, UInt8, Int) = (0, 0, 0)
        write(STDOUT_FILENO, &stamp, 8)
        while read(STDIN_FILENO, &burst, 1) == 1 {
            for _ in 0..<burst {
                number += 1
                var draft = SampleClip.draft(number)
                if areOld { draft.created = LargeStore.created(at: -number) }
                stamp = probe_now()
                _ = try await store.add([draft])
            }
            write(STDOUT_FILENO, &stamp, 8)
        }
    }

    private static func commitSteadily(_ store: ClipStore, pauses: Bool) async throws {
        var count: Int64 = 0
        write(STDOUT_FILENO, &count, 8)
        var due = probe_now()
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        while poll(&input, 1, 0) == 0 {
            count += 1
            _ = try await store.add([SampleClip.draft(Int(count))])
            guard pauses else { continue }
            due += 1_000_000
            let left = due - probe_now()
            if left > 0 {
                usleep(UInt32(left / 1000))
            } else if left < -100_000_000 {
                // After a long pause of the machine, do not catch up.
                due = probe_now()
            }
        }
        write(STDOUT_FILENO, &count, 8)
    }
}
