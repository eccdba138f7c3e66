import CBenchmarkProbes
import ClipsCore
import Glibc
import PersistentStore
import SQLite

extension Figure {
    static let soak = Figure(
        name: "SOAK",
        title:
            "8 writers, 2 without the library, 4 apps with random keys, a cleaner, and an indexer, for 30 minutes",
        isOnlyNamed: true
    ) { workspace in
        let soak = try Soak(workspace)
        let samples = try soak.run()
        return soak.flatness(samples) + (try soak.end(samples))
    }
}

private final class Soak {
    private let workspace: Workspace
    private let store: String
    private let seconds: Double
    private let apps: [SoakedApp]
    private let writers: [SoakProcess]
    private let helpers: [SoakProcess]
    private let container: PersistentContainer
    private let follower: SoakFollower

    /// The pause between the actions of each app, in microseconds.
    private static let pause: UInt32 = 60_000

    init(_ workspace: Workspace) throws {
        self.workspace = workspace
        seconds = 60 * (workspace.options.minutes ?? (workspace.options.isQuick ? 1 : 30))
        let path = workspace.newPath("soak.db")
        store = path
        try SmallStore.make(path, clips: 0)
        container = try blocking { try await PersistentContainer(path: path, model: ClipModel.make()) }
        writers =
            try (1...8).map { try SoakProcess(.write, $0, store: path) }
            + (1...2).map { try SoakProcess(.external, $0, store: path) }
        follower = SoakFollower(container)
        helpers = try [SoakWork.clean, .search].map { try SoakProcess($0, 0, store: path) }
        let program = try workspace.clipsProgram()
        apps = try (1...4).map { try SoakedApp(program, store: path, folder: workspace.folder, number: $0) }
    }

    /// Returns samples at equal intervals, and prints some of them during the run.
    func run() throws -> [SoakSample] {
        var samples: [SoakSample] = []
        var printed: SoakSample?
        let began = Moment.now
        let (distance, printInterval) = (seconds / 120, min(60, seconds / 15))
        TextLine.print(SoakSample.heading, on: STDERR_FILENO)
        while began.secondsSince < seconds {
            for app in apps { try app.proceed() }
            usleep(Self.pause)
            try follower.catchUp()
            guard began.secondsSince >= Double(samples.count + 1) * distance else { continue }
            let sample = try sample(at: began.secondsSince)
            samples.append(sample)
            guard sample.seconds - (printed?.seconds ?? 0) >= printInterval - distance / 2 else { continue }
            TextLine.print(sample.line(after: printed), on: STDERR_FILENO)
            printed = sample
        }
        return samples
    }

    private func sample(at seconds: Double) throws -> SoakSample {
        let container = container
        let (clips, history) = try blocking {
            try await container.read {
                (try $0.count(FetchRequest(ClipModel.entity)), try $0.count(HistoryFetchRequest()))
            }
        }
        let others = (writers + helpers).map { ProcessUsage(process: $0.process) }
        return SoakSample(
            seconds: seconds, apps: apps.map { ($0.usage.memory, $0.usage.descriptors) },
            others: (others.reduce(0) { $0 + $1.memory }, others.reduce(0) { $0 + $1.descriptors }),
            log: Self.size(store + "-wal"), store: Self.size(store), transactions: history.transactions,
            clips: clips, commits: try writers.reduce(0) { try $0 + $1.count() })
    }

    private static func size(_ path: String) -> Double {
        var status = stat()
        return stat(path, &status) == 0 ? Double(status.st_size) : 0
    }

    /// Compares the last quarter with the second.
    func flatness(_ samples: [SoakSample]) -> [Measurement] {
        func growth(
            _ what: String, _ unit: Measurement.Unit, atMost limit: Double, _ quantity: (SoakSample) -> Double
        ) -> Measurement {
            let (early, late) = samples.quarters(quantity)
            return Measurement(
                what, unit, late: late, early: early, goal: Measurement.Goal(atMost: limit))
        }
        return apps.indices.flatMap { app in
            [
                growth("memory of app \(app + 1)", .memory, atMost: 1.15) { $0.apps[app].memory },
                growth("its descriptors", .count, atMost: 1.1) { Double($0.apps[app].descriptors) },
            ]
        } + [
            growth("memory of the others", .memory, atMost: 1.15) { $0.others.memory },
            growth("their descriptors", .count, atMost: 1.1) { Double($0.others.descriptors) },
            growth("size of the -wal", .memory, atMost: 1.5) { $0.log },
            growth("size of the store", .memory, atMost: 1.15) { $0.store },
            growth("transactions in the history", .count, atMost: 1.25) { Double($0.transactions) },
        ]
    }

    /// Stops all writers, then compares the lists of the apps with the store.
    func end(_ samples: [SoakSample]) throws -> [Measurement] {
        let failures = (writers + helpers).filter { $0.stop() != 0 }
        for app in apps { try app.leaveAlone() }
        let container = container
        let rows = try blocking {
            let clips = try await container.read {
                try $0.fetch(FetchRequest(ClipModel.entity, sort: ClipQuery.newestFirst)).map(Clip.init)
            }
            return clips.map {
                SoakRow(isStarred: $0.isStarred, isUnread: $0.isUnread, title: $0.displayTitle)
            }
        }
        let wrong = try apps.filter { try !$0.comesToShow(rows, within: 20) }
        let unlike = try follower.differences()
        try blocking { await container.close() }
        let zero = Measurement.Goal(atMost: 0)
        return [
            Measurement("commits of the writers", .count, [Double(samples.last?.commits ?? 0)]),
            Measurement("keys pressed", .count, [Double(apps.reduce(0) { $0 + $1.keys })]),
            Measurement(
                "apps that ended by themselves", .count, [count(apps.reduce(0) { $0 + $1.endings })],
                goal: zero),
            Measurement("other processes that failed", .count, [count(failures.count)], goal: zero),
            Measurement(
                "lists that differ from the \(rows.count) clips", .count, [count(wrong.count)], goal: zero),
            Measurement("clips that differ in a follower", .count, [count(unlike)], goal: zero),
            Measurement("faults that integrity_check finds", .count, [count(try faults())], goal: zero),
            Measurement("status of clips doctor", .count, [count(try doctor())], goal: zero),
        ]
    }

    private func count(_ number: Int) -> Double { Double(number) }

    private func doctor() throws -> Int {
        var took: Int64 = 0
        let command = [try workspace.clipsProgram(), "doctor", "--store", store]
        return Int(withCStrings(command) { probe_run($0, &took) })
    }

    private func faults() throws -> Int {
        let connection = try Connection(path: store, access: .readOnly)
        let check = try connection.prepare("PRAGMA integrity_check")
        var faults = 0
        while try check.step() { faults += check.text(0) == "ok" ? 0 : 1 }
        return faults
    }
}
