import ClipsCore
import Dispatch
import FoundationEssentials
import Glibc
import Mirroring
import PersistentStore
import Platform

/// Exchanges changes until the process ends, and reports the state.
actor Runner {
    private let invocation: Invocation
    private let path: String
    private var settings: MirrorSettings
    private var report = MirrorReport(.connecting, since: Date())
    private var isStandingBy = false
    private var isConnected = false
    /// The records that the server forgot before; nil until the first count.
    private var knownForgotten: Int?
    /// The time at which a deletion may be old enough to be purged, which no lost connection defers.
    private var nextPurge = ContinuousClock.now

    /// The pauses after a failure, in seconds.
    private static let pauses = [1.0, 2, 4, 8, 15, 30]
    /// The pause after a question, which only its answer or another machine's change makes obsolete.
    private static let questionPause = 300.0
    private var pause: Task<Void, any Error>?
    /// The pause after counting, as a multiple of its time.
    private static let countingPause = 10
    private var isConfirmed = false
    /// The mirror that exchanges, for the answer to its question.
    private var mirror: Mirror?

    /// The signal by which other commands end the pause of this process, and confirm its question.
    static let wakeUp = SIGUSR1
    /// The signal by which another command retains the clips that other machines deleted.
    static let keepClips = SIGUSR2

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        path = try invocation.storePath()
        settings = try MirrorSettings(store: path)
    }

    func run() async throws -> Int32 {
        if invocation.has("--attached") { endWithStandardInput() }
        // What a power failure takes from the mirror's commits returns: imports come again from the server, and
        // clocks from the history. It takes no commit of another program.
        let store = try await invocation.openStore(durability: .normal)
        var mirror = try mirror(of: store)
        let sources = [
            source(of: Self.wakeUp) { await $0.confirm() },
            source(of: Self.keepClips) { await $0.keepClips() },
        ]
        defer { for source in sources { source.cancel() } }
        await count(store.container)
        try await store.deleteOrphans()
        let events = try await store.container.events()
        let orphans = OrphanRemoval(in: store)
        let counting = Task {
            var position: HistoryToken?
            for await _ in events {
                let start = ContinuousClock.now
                await self.count(store.container)
                // The next commit repeats what failed.
                if let next = try? await orphans.run(after: position) { position = next }
                // Counting after each commit of a long exchange would need more time than the exchange.
                try? await Task.sleep(for: (.now - start) * Self.countingPause)
            }
        }
        defer { counting.cancel() }
        var failures = 0
        while MirrorFiles(store: path).isConfigured {
            let before = mirror.progress
            if let error = await exchange(mirror, store.container) {
                await note(error, store.container)
                // A line that ends often transfers something between two ends.
                failures = isConnected || mirror.progress != before ? 0 : failures + 1
                isConnected = false
                // The answer came during the exchange.
                guard !isConfirmed else { continue }
                let pauses = report.state.isQuestion ? [Self.questionPause] : Self.pauses
                let seconds = pauses[min(failures, pauses.count - 1)]
                let pause = Task { try await Task.sleep(for: .seconds(seconds)) }
                self.pause = pause
                _ = await pause.result
                if let current = try? MirrorSettings(store: path), current != settings {
                    settings = current
                    mirror = try self.mirror(of: store)
                }
            }
        }
        return 0
    }

    private func mirror(of store: ClipStore) throws -> Mirror {
        Mirror(
            container: store.container, configuration: settings.configuration,
            engine: try settings.engine(store: path))
    }

    /// The age in days at which a running mirror purges deletions.
    static let deletionDays = 365

    static func purgeDate(days: Int) -> Date { Date(timeIntervalSinceNow: Double(days) * -86_400) }

    /// Returns the error that ended the exchange.
    private func exchange(_ mirror: Mirror, _ container: PersistentContainer) async -> MirrorError? {
        do throws(MirrorError) {
            if isConfirmed, report.state == .absentTooLong { try await mirror.rejoin() }
            isConfirmed = false
            self.mirror = mirror
            let before = mirror.progress
            let reporting = Task {
                while true {
                    try await Task.sleep(for: .seconds(1))
                    await self.noteProgress(mirror.progress, since: before, container)
                }
            }
            defer { reporting.cancel() }
            // Deletions that wait for an answer hold back nothing else.
            do { try await mirror.sync() } catch .manyRemovals {}
            reporting.cancel()
            // The mirror was removed during the exchange.
            guard MirrorFiles(store: path).isConfigured else {
                try await mirror.detach()
                return nil
            }
            isConnected = true
            await set(.connected, container)
            let purging = Task {
                while true {
                    try await Task.sleep(until: nextPurge)
                    do { try await purge(mirror) } catch  where !Task.isCancelled {
                        nextPurge = .now + .seconds(3600)
                    }
                }
            }
            defer { purging.cancel() }
            try await mirror.run()
            return nil
        } catch {
            return error
        }
    }

    /// Purges deletions if the oldest one is old enough. Until then, and without deletions, nothing is sent.
    private func purge(_ mirror: Mirror) async throws(MirrorError) {
        let (day, limit) = (Duration.seconds(86_400), Self.purgeDate(days: Self.deletionDays))
        guard let oldest = try await mirror.oldestDeletion() else {
            nextPurge = .now + day
            return
        }
        if oldest < limit { try await mirror.purgeDeletions(before: limit) }
        // The clock can be wrong now.
        nextPurge = .now + min(max(day, .seconds(oldest.timeIntervalSince(limit))), .seconds(30 * 86_400))
    }

    private func note(_ error: MirrorError, _ container: PersistentContainer) async {
        // The other process reports.
        guard error != .standingBy else {
            isStandingBy = true
            return
        }
        await set(MirrorReport.State(error), container, Program.sentence(error))
    }

    /// Reports a state. Its start is that of the first report.
    private func set(
        _ state: MirrorReport.State, _ container: PersistentContainer, _ message: String = ""
    ) async {
        isStandingBy = false
        report.attempts += 1
        (report.sent, report.received, report.share) = (0, 0, nil)
        if report.state != state || report.message != message {
            if !message.isEmpty { invocation.remark(message) }
            report.since = report.state == state ? report.since : Date()
            report.state = state
            report.message = message
        }
        await count(container, always: true)
    }

    /// Reports an exchange that takes longer than a second.
    private func noteProgress(
        _ progress: MirrorProgress, since before: MirrorProgress, _ container: PersistentContainer
    ) async {
        // The exchange ended, and its state was reported.
        guard !Task.isCancelled else { return }
        report.sent = progress.sent - before.sent
        report.received = progress.received - before.received
        report.share = progress.share
        if progress != before, report.state == .unreachable {
            (report.state, report.message, report.since) = (.connecting, "", Date())
        }
        await count(container)
    }

    private func count(_ container: PersistentContainer, always: Bool = false) async {
        guard !isStandingBy else { return }
        let status = try? await settings.configuration.status(in: container)
        let before = report
        report.waiting = status?.waiting ?? 0
        report.conflicts = status?.conflicts ?? 0
        report.removals = status?.removals ?? 0
        report.tooLarge = status?.tooLarge ?? 0
        report.unreadable = status?.unreadable ?? 0
        (report.older, report.olderAt) = (status?.older ?? 0, status?.olderAt)
        report.clockOffset = status?.clockOffset ?? 0
        noteForgotten(status?.forgotten ?? 0)
        guard always || report != before else { return }
        try? report.write(store: path)
    }

    private nonisolated func source(
        of number: CInt, _ handle: @escaping @Sendable (Runner) async -> Void
    ) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler { Task { await handle(self) } }
        source.resume()
        return source
    }

    private func confirm() async {
        if report.state.isQuestion { isConfirmed = true }
        await mirror?.allowRemovals(report.removals)
        pause?.cancel()
    }

    private func keepClips() async { await mirror?.keepRemovals(report.removals) }

    private func noteForgotten(_ total: Int) {
        defer { knownForgotten = total }
        guard let known = knownForgotten, total > known else { return }
        // A large number is noticed in parts.
        report.forgotten += total - known
        report.forgotAt = Date()
    }

    /// Ends this process with the app that started it: even kill -9 closes the pipe.
    private nonisolated func endWithStandardInput() {
        DispatchQueue.global().async {
            while let bytes = try? DescriptorIO.read(STDIN_FILENO), !bytes.isEmpty {}
            Program.end(0)
        }
    }
}
