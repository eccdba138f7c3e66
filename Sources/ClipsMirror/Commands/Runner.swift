import ClipsCore
import Dispatch
import FoundationEssentials
import Glibc
import MirrorRelay
import Mirroring
import PersistentStore
import Platform

/// Exchanges changes until the process ends, and reports the state.
actor Runner {
    private let invocation: Invocation
    private let path: String
    private let settings: MirrorSettings
    private var report = MirrorReport(.connecting, since: Date())
    private var isStandingBy = false
    private var isConnected = false

    /// The pauses after a failure, in seconds.
    private static let pauses = [1.0, 2, 4, 8, 15, 30]

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        path = try invocation.storePath()
        settings = try MirrorSettings(store: path)
    }

    func run() async throws -> Int32 {
        if invocation.has("--attached") { endWithStandardInput() }
        let store = try await invocation.openStore()
        let engine = settings.engine()
        let mirror = Mirror(container: store.container, configuration: settings.configuration, engine: engine)
        let events = try await store.container.events()
        let counting = Task { for await _ in events { await self.count(store.container) } }
        defer { counting.cancel() }
        var failures = 0
        while MirrorFiles(store: path).isConfigured {
            if let error = await exchange(mirror, store.container) {
                await note(error, store.container)
                failures = isConnected ? 0 : failures + 1
                isConnected = false
                try await Task.sleep(for: .seconds(Self.pauses[min(failures, Self.pauses.count - 1)]))
            }
        }
        return 0
    }

    /// Returns the error that ended the exchange.
    private func exchange(_ mirror: Mirror, _ container: PersistentContainer) async -> MirrorError? {
        do throws(MirrorError) {
            try await mirror.sync()
            isConnected = true
            await set(.connected, container)
            try await mirror.run()
            return nil
        } catch {
            return error
        }
    }

    private func note(_ error: MirrorError, _ container: PersistentContainer) async {
        switch error {
        case .standingBy:
            // The other process reports.
            isStandingBy = true
        case .unreachable: await set(.unreachable, container, Program.sentence(error))
        default: await set(.paused, container, Program.sentence(error))
        }
    }

    /// Reports a state. Its start is that of the first report.
    private func set(
        _ state: MirrorReport.State, _ container: PersistentContainer, _ message: String = ""
    ) async {
        isStandingBy = false
        if report.state != state || report.message != message {
            if !message.isEmpty { invocation.remark(message) }
            report.since = report.state == state ? report.since : Date()
            report.state = state
            report.message = message
        }
        await count(container, always: true)
    }

    private func count(_ container: PersistentContainer, always: Bool = false) async {
        guard !isStandingBy else { return }
        let status = try? await settings.configuration.status(in: container)
        let before = report
        let isSent = report.state == .connected
        report.waiting = status.map { $0.waiting + (isSent ? 0 : $0.retained) } ?? 0
        report.conflicts = status?.conflicts ?? 0
        guard always || report != before else { return }
        try? report.write(store: path)
    }

    /// Ends this process with the app that started it: even kill -9 closes the pipe.
    private nonisolated func endWithStandardInput() {
        DispatchQueue.global().async {
            while let bytes = try? DescriptorIO.read(STDIN_FILENO), !bytes.isEmpty {}
            exit(0)
        }
    }
}
