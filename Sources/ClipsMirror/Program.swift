import CMalloc
import ClipsCore
import Glibc
import MirrorRelay
import Mirroring
import Platform

/// The program behind `clips mirror`: the only one that requires libnats and libsodium.
@main
enum Program {
    static func main() async {
        // A write to a closed pipe is an error, not the end.
        signal(SIGPIPE, SIG_IGN)
        // Threads that work at the same time do not wait for each other's memory, at the cost of a few megabytes, and the
        // system gets large buffers back.
        mallopt(M_ARENA_MAX, 6)
        mallopt(M_MMAP_THRESHOLD, 1 << 20)
        do {
            end(try await run(Invocation(Array(CommandLine.arguments.dropFirst()))))
        } catch {
            Console.write("clips: \(sentence(error))\n", to: STDERR_FILENO)
            end(isWrongUsage(error) ? 2 : 1)
        }
    }

    /// Ends without exit handlers: that of OpenSSL releases locks that a thread of libnats may still use. No output is
    /// buffered.
    static func end(_ status: Int32) -> Never { _exit(status) }

    private static func run(_ invocation: Invocation) async throws -> Int32 {
        if invocation.has("--version") {
            invocation.line("clips-mirror \(clipsVersion)")
            return 0
        }
        switch invocation.word {
        case "add": return try await invocation.add()
        case "pair": return try await invocation.pair()
        case "status": return try await invocation.status()
        case "run": return try await Runner(invocation).run()
        case "once", "keep": return try await invocation.once()
        case "enable": return try invocation.enable()
        case "machines": return try await invocation.machines()
        case "code": return try await invocation.code()
        case "rotate", "exclude": return try await invocation.changeKey()
        case "password": return try await invocation.password()
        case "conflicts": return try await invocation.conflicts()
        case "remove", "delete-zone": return try await invocation.remove()
        case "purge": return try await invocation.purge()
        default:
            throw UsageError("Unknown operand '\(invocation.word)'.")
        }
    }

    private static func isWrongUsage(_ error: any Error) -> Bool {
        error is UsageError || error is ServerAddress.Rejection
            || (error as? ClipsLocation.Problem)?.isWrongUsage == true
    }

    static func sentence(_ error: any Error) -> String {
        switch error {
        case let error as Sentence: error.description
        case let error as UsageError: "\(error) Run 'clips mirror --help'."
        case let error as ServerAddress.Rejection: error.description
        case let error as MirrorError: sentence(error)
        case let error as ClipError: error.description
        default: error.sentence
        }
    }

    static func sentence(_ error: MirrorError) -> String {
        switch error {
        case .unreachable(let reason) where reason.hasPrefix("the folder"):
            "T\(reason.dropFirst()). Nothing is lost; changes wait in the store."
        case .unreachable(let reason):
            "The server cannot be reached: \(reason). Nothing is lost; changes wait in the store."
        case .unauthorized:
            "The server rejected the user or the password. Check both, then run 'clips mirror password'."
        case .wrongKey:
            "The zone on the server has another key; nothing was written. Pair with the code of a machine that works."
        case .excluded:
            "The other machines changed the key without this one. Nothing is lost here. To join them again, run 'clips mirror remove', then 'pair' with a new code."
        case .quotaExceeded:
            "The quota on the server is full. Nothing is lost; changes wait in the store. Raise the quota."
        case .newerFormat:
            "A newer version of clips wrote to the server. Update this program; changes wait in the store."
        case .absentTooLong:
            "This machine was absent while deletions were purged; nothing was changed. Run 'clips mirror once --yes' to join again."
        case .manyRemovals(let count):
            "Other machines deleted \(count) clips and quotes, which wait for your answer. Run 'clips mirror once' to give it."
        default: error.description
        }
    }
}
