import Glibc
import Platform
import Terminal

/// Programs that run next to the app, such as a browser. Each is reaped, and success is reported only when it
/// is known.
struct Launches {
    struct Report: Hashable {
        let sentence: String
        let isFailure: Bool
        /// The clips of which pages were opened.
        let clips: [Int64]
    }

    private struct Child {
        let process: pid_t
        /// A pidfd, readable once the process has ended; nil if the system has none.
        let descriptor: CInt?
        let launch: Int
    }

    /// The commands that one key started.
    private struct Launch {
        let number: Int
        let program: String
        let subject: String
        let clips: [Int64]
        /// The words before the subject, of what was done.
        let verb: String
        /// The advice after a failure.
        let hint: String
        /// The advice about commands that could not be started.
        let startHint: String
        let count: Int
        let deadline: ContinuousClock.Instant
        var running = 0
        var unstarted = 0
        var failures: [Int32] = []
    }

    /// A launcher ends within this time; a browser that still runs by then has started.
    static let patience = Duration.seconds(1)

    private var children: [Child] = []
    private var launches: [Launch] = []
    private var lastNumber = 0

    var isEmpty: Bool { children.isEmpty }

    var descriptors: [CInt] { children.compactMap(\.descriptor) }

    /// The time by which the next report is due.
    var deadline: ContinuousClock.Instant? { launches.map(\.deadline).min() }

    /// Starts commands of one program, each with the text for its standard input.
    mutating func start(
        _ commands: [(words: [String], input: String?)], on subject: String, of clips: [Int64] = [],
        verb: String? = nil, hint: String, startHint: String? = nil
    ) {
        guard let program = commands.first?.words.first else { return }
        lastNumber += 1
        var launch = Launch(
            number: lastNumber, program: program, subject: subject, clips: clips,
            verb: verb ?? "Ran \(program) on", hint: hint, startHint: startHint ?? hint,
            count: commands.count, deadline: .now + Self.patience)
        for command in commands {
            guard let process = ChildProcess.detached(command.words, input: command.input) else {
                launch.unstarted += 1
                continue
            }
            launch.running += 1
            children.append(
                Child(process: process, descriptor: descriptor(ofChild: process), launch: lastNumber))
        }
        launches.append(launch)
    }

    /// Reaps ended children, and reports each launch once all of it has ended or at its deadline.
    mutating func collect(at now: ContinuousClock.Instant) -> [Report] {
        guard !children.isEmpty || !launches.isEmpty else { return [] }
        var left: [Child] = []
        for child in children {
            var ending: Int32 = 0
            do {
                guard let status = try ChildStatus.wait(for: child.process, options: WNOHANG) else {
                    left.append(child)
                    continue
                }
                ending = status.exitStatus
            } catch {
                // Reaped already: how it ended is unknown.
            }
            if let descriptor = child.descriptor { close(descriptor) }
            guard let index = launches.firstIndex(where: { $0.number == child.launch }) else { continue }
            launches[index].running -= 1
            if ending != 0 { launches[index].failures.append(ending) }
        }
        children = left
        let due = launches.filter { $0.running == 0 || $0.deadline <= now }
        launches.removeAll { $0.running == 0 || $0.deadline <= now }
        return due.map(Self.report)
    }

    private static func report(_ launch: Launch) -> Report {
        func failed(_ what: String, _ count: Int, _ hint: String) -> Report {
            let some = launch.count == 1 ? " on \(launch.subject)" : " for \(count) of \(launch.subject)"
            let sentence = "'\(launch.program)' \(what)\(some). \(hint)"
            return Report(sentence: sentence, isFailure: true, clips: launch.clips)
        }
        if launch.unstarted > 0 {
            let hint = ChildProcess.problem(of: launch.program) ?? launch.startHint
            return failed("could not be started", launch.unstarted, hint)
        }
        if let status = launch.failures.first {
            return failed("ended with status \(status)", launch.failures.count, launch.hint)
        }
        let verb = launch.running > 0 ? "Started \(launch.program) for" : launch.verb
        return Report(sentence: "\(verb) \(launch.subject)", isFailure: false, clips: launch.clips)
    }
}
