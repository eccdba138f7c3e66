import Platform
import Synchronization

/// The mirror of a store in an open app: started and watched as soon as the store has one.
final class SessionMirror: Sendable {
    private struct State: ~Copyable {
        var isAttached = false
        var watch: MirrorWatch?
        /// The process runs until the pipe closes.
        var process: Pipe?
    }

    private let state = Mutex(State())
    private let path: String
    private let starts: Bool
    private let report: @Sendable (_ summary: String, _ conflicts: Int) -> Void

    /// - Parameters:
    ///   - starts: Whether to start the program that exchanges changes.
    ///   - report: A closure that is called on another thread.
    init(
        store path: String, starts: Bool,
        report: @escaping @Sendable (_ summary: String, _ conflicts: Int) -> Void
    ) {
        (self.path, self.starts, self.report) = (path, starts, report)
    }

    /// Attaches to a mirror that was added, and detaches from one that was removed.
    func update() {
        let isConfigured = MirrorFiles(store: path).isConfigured
        let wasAttached = state.withLock { state in
            defer { state.isAttached = isConfigured }
            return state.isAttached
        }
        guard isConfigured != wasAttached else { return }
        guard isConfigured else {
            end()
            return report("", 0)
        }
        let process = starts ? MirrorProgram.path.flatMap { start($0) } : nil
        let watch = MirrorWatch(store: path, report: report)
        state.withLock { state in
            (state.watch, state.process) = (watch, process)
        }
    }

    private func start(_ program: String) -> Pipe? {
        ChildProcess.attached([program, "run", "--attached", "--quiet", "--store", path])
    }

    func end() {
        state.withLock { state in
            (state.watch, state.process) = (nil, nil)
        }
    }
}
