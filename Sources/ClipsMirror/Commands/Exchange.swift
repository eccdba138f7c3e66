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
                try confirmRemovals(count)
                await mirror.allowRemovals(count)
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

    private func confirmRemovals(_ count: Int) throws {
        guard try confirms("Other machines deleted \(count) clips. Delete them here too?") else {
            throw Sentence("Nothing was deleted. The mirror continues after 'clips mirror once --yes'.")
        }
    }

    private func confirmJoining() throws {
        let question =
            "This machine was absent while deletions were purged. Delete the clips here that the server lacks?"
        guard try confirms(question) else { throw Sentence("Nothing was changed.") }
    }

    func once() async throws -> Int32 {
        let path = try storePath()
        let settings = try MirrorSettings(store: path)
        if let report = MirrorReport(store: path), report.isCurrent { return try answer(report) }
        let store = try await openStore()
        let engine = settings.engine()
        try await exchange(
            Mirror(container: store.container, configuration: settings.configuration, engine: engine))
        await engine.close()
        await store.close()
        return 0
    }

    /// Answers the question of a running mirror, which exchanges the changes itself.
    private func answer(_ report: MirrorReport) throws -> Int32 {
        switch report.state {
        case .connecting, .connected:
            remark("a running mirror exchanges the changes.")
            return 0
        case .manyRemovals:
            try confirmRemovals(report.removals)
            guard MirrorReport(store: try storePath())?.removals == report.removals else {
                throw Sentence("Other machines deleted more clips meanwhile. Repeat the command.")
            }
        case .absentTooLong: try confirmJoining()
        default: throw Sentence(report.message)
        }
        kill(report.process, Runner.confirmation)
        remark("confirmed; the running mirror continues.")
        return 0
    }
}
