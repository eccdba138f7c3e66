import CBenchmarkProbes
import ClipsCore
import Glibc
import PersistentStore

/// A role of this program when it runs itself as a second process.
enum Role {
    case writer(store: String, StoreOptions.Durability)
    case probeWriter(store: String, StoreOptions.Durability)
    case probeScreen(store: String)
    case soak(store: String, SoakWork, Int)
    case steadyWriter(store: String)
    case grow(store: String, clips: Int)
    case probeEcho

    private static let mark = "--role"

    init?(_ words: [String]) {
        guard words.count >= 2, words[0] == Self.mark else { return nil }
        let store = words.count > 2 ? words[2] : ""
        let durability = words.count > 3 ? StoreOptions.Durability(rawValue: words[3]) ?? .full : .full
        switch words[1] {
        case "writer": self = .writer(store: store, durability)
        case "probe-writer": self = .probeWriter(store: store, durability)
        case "probe-screen": self = .probeScreen(store: store)
        case "steady-writer": self = .steadyWriter(store: store)
        case "probe-echo": self = .probeEcho
        case "grow":
            guard words.count == 4, let clips = Int(words[3]) else { return nil }
            self = .grow(store: store, clips: clips)
        case "soak":
            guard words.count == 5, let work = SoakWork(rawValue: words[3]), let number = Int(words[4]) else {
                return nil
            }
            self = .soak(store: store, work, number)
        default: return nil
        }
    }

    /// The command line for this role.
    var commandLine: [String] {
        let (name, rest) =
            switch self {
            case .writer(let store, let durability): ("writer", [store, durability.rawValue])
            case .probeWriter(let store, let durability): ("probe-writer", [store, durability.rawValue])
            case .probeScreen(let store): ("probe-screen", [store])
            case .soak(let store, let work, let number): ("soak", [store, work.rawValue, "\(number)"])
            case .steadyWriter(let store): ("steady-writer", [store])
            case .probeEcho: ("probe-echo", [])
            case .grow(let store, let clips): ("grow", [store, "\(clips)"])
            }
        return ["/proc/self/exe", Self.mark, name] + rest
    }

    func play() throws -> Int32 {
        switch self {
        case .writer(let store, let durability):
            try StoreOptions.runOnThisThread { await Self.serve(store, durability, $0, Self.converse) }
        case .probeWriter(let store, let durability):
            probe_write_clips(store, durability == .full ? 1 : 0, STDIN_FILENO, STDOUT_FILENO)
        case .probeScreen(let store): probe_show_clips(store)
        case .soak(let store, let work, let number):
            try StoreOptions.runOnThisThread { await work.serve(store, number, $0) }
        case .steadyWriter(let store):
            try StoreOptions.runOnThisThread { await Self.serve(store, .normal, $0, Self.commitSteadily) }
        case .probeEcho: probe_echo_keys()
        case .grow(let store, let clips):
            try GrownStore.grow(store, clips: clips)
        }
    }

    /// Uses the protocol of `probe_write_clips` with the library, on one thread like every command of
    /// `clips`.
    private static func serve(
        _ path: String, _ durability: StoreOptions.Durability, _ loopOptions: StoreOptions,
        _ work: (ClipStore) async throws -> Void
    ) async -> Int32 {
        var options = loopOptions
        options.durability = durability
        do {
            let store = try await ClipStore(path: path, author: "writer", options: options)
            try await work(store)
            return 0
        } catch {
            TextLine.print("the writing process failed: \(error)", on: STDERR_FILENO)
            return 1
        }
    }

    private static func converse(_ store: ClipStore) async throws {
        var stamp: Int64 = 0
        var burst: UInt8 = 0
        var number = 0
        write(STDOUT_FILENO, &stamp, 8)
        while read(STDIN_FILENO, &burst, 1) == 1 {
            for _ in 0..<burst {
                number += 1
                let draft = SampleClip.draft(number)
                stamp = probe_now()
                _ = try await store.add([draft])
            }
            write(STDOUT_FILENO, &stamp, 8)
        }
    }

    /// Commits one clip per millisecond until the end of the input, then writes the number of commits.
    private static func commitSteadily(_ store: ClipStore) async throws {
        var count: Int64 = 0
        write(STDOUT_FILENO, &count, 8)
        var due = probe_now()
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        while poll(&input, 1, 0) == 0 {
            count += 1
            _ = try await store.add([SampleClip.draft(Int(count))])
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
