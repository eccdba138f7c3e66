import ClipsCore
import Glibc
import MirrorRelay
import Mirroring

extension Invocation {
    /// Exchanges all changes; asks before many clips are deleted.
    func exchange(_ mirror: Mirror) async throws {
        while let problem = await Self.problem(of: mirror) {
            switch problem {
            case .manyRemovals(let count):
                if try keepsClips(count) {
                    await mirror.keepRemovals(count)
                } else {
                    await mirror.allowRemovals(count)
                }
            case .absentTooLong:
                try confirmJoining()
                try await mirror.rejoin()
            default: throw problem
            }
        }
    }

    private static func problem(of mirror: Mirror) async -> MirrorError? {
        do throws(MirrorError) {
            try await mirror.sync()
            return nil
        } catch {
            return error
        }
    }

    /// Whether to retain the clips that other machines deleted.
    ///
    /// - Throws: ``Sentence`` without an answer.
    private func keepsClips(_ count: Int) throws -> Bool {
        if word == "keep" { return true }
        let question =
            "Other machines deleted \(count) clips and quotes. Delete them here too? ('clips mirror keep' returns them to all machines.)"
        guard try confirms(question) else {
            throw Sentence(
                "Nothing was deleted, and all else was exchanged. 'clips mirror keep' retains the clips."
            )
        }
        return false
    }

    private func confirmJoining() throws {
        let question =
            "This machine was absent while deletions were purged. Delete the clips here that the server lacks?"
        guard try confirms(question) else { throw Sentence("Nothing was changed.") }
    }

    func once() async throws -> Int32 {
        let path = try storePath()
        let settings = try MirrorSettings(store: path)
        if let report = MirrorReport(store: path), report.isCurrent { return try await answer(report) }
        let store = try await openStore()
        let engine = try settings.engine(store: path)
        try await store.deleteOrphans()
        try await exchange(
            Mirror(container: store.container, configuration: settings.configuration, engine: engine))
        await engine.close()
        return try await end(store, settings)
    }

    /// Answers the question of a running mirror, which exchanges the changes itself, or lets it try again at once.
    private func answer(_ report: MirrorReport) async throws -> Int32 {
        switch report.state {
        case .connected where report.removals > 0:
            let keeps = try keepsClips(report.removals)
            guard MirrorReport(store: try storePath())?.removals == report.removals else {
                throw Sentence("Other machines deleted or restored clips since then. Repeat the command.")
            }
            kill(report.process, keeps ? Runner.keepClips : Runner.wakeUp)
            remark("\(keeps ? "retained" : "confirmed"); the running mirror continues.")
            return 0
        case .connecting, .connected:
            remark("a running mirror exchanges the changes.")
            return 0
        case .absentTooLong: try confirmJoining()
        default:
            kill(report.process, Runner.wakeUp)
            return try answer(with: await next(after: report))
        }
        kill(report.process, Runner.wakeUp)
        remark("confirmed; the running mirror continues.")
        return 0
    }

    private func answer(with next: MirrorReport) throws -> Int32 {
        guard next.state == .connected || next.state == .connecting else { throw Sentence(next.message) }
        remark("the running mirror exchanges the changes again.")
        return 0
    }

    /// Returns the report of the next attempt; the last one if the process ends or needs more than a minute.
    private func next(after report: MirrorReport) async throws -> MirrorReport {
        let end = ContinuousClock.now + .seconds(60)
        while report.isCurrent, ContinuousClock.now < end {
            if let next = MirrorReport(store: try storePath()), next.attempts != report.attempts {
                return next
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        return report
    }
}
