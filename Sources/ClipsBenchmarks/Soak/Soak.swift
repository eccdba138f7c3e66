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
        return soak.growth(samples) + (try soak.end(samples))
    }
}

private final class Soak {
    private let workspace: Workspace
    private let store: String
    private let seconds: Double
    private let apps: [SoakedApp]
    private let writers: [ChildProcess]
    private let helpers: [ChildProcess]
    private let container: PersistentContainer
    private let follower: SoakFollower

    init(_ workspace: Workspace) throws {
        self.workspace = workspace
        seconds = 60 * (workspace.options[number: "--minutes"] ?? (workspace.options.isQuick ? 1 : 30))
        let path = workspace.newPath("soak.db")
        store = path
        try SampleStore.make(path, clips: 0)
        container = try SampleStore.open(path)
        writers =
            try (1...8).map { try Role.soak(store: path, .write, number: $0).start() }
            + (1...2).map { try Role.soak(store: path, .external, number: $0).start() }
        follower = SoakFollower(container)
        helpers = try [SoakWork.clean, .search].map { try Role.soak(store: path, $0, number: 0).start() }
        apps = try (1...4).map {
            try SoakedApp(workspace.app(path), folder: workspace.folder, number: $0)
        }
    }

    /// Returns samples at equal intervals, and prints some of them during the run.
    func run() throws -> [SoakSample] {
        var samples: [SoakSample] = []
        var printed: SoakSample?
        let began = Moment.now
        let (distance, printInterval) = (seconds / 120, min(60, seconds / 15))
        while began.secondsSince < seconds {
            for app in apps { try app.proceed() }
            usleep(60_000)
            try follower.catchUp()
            guard began.secondsSince >= Double(samples.count + 1) * distance else { continue }
            let sample = try sample(at: began.secondsSince)
            samples.append(sample)
            guard sample.seconds - (printed?.seconds ?? 0) >= printInterval - distance / 2 else {
                continue
            }
            Output.printError(sample.text(after: printed))
            printed = sample
        }
        return samples
    }

    private func sample(at seconds: Double) throws -> SoakSample {
        let (clips, history) = try container.readBlocking {
            (try $0.count(FetchRequest(ClipModel.entity)), try $0.count(HistoryFetchRequest()))
        }
        let others = (writers + helpers).map { ProcessUsage(process: $0.id) }
        // The processes answer any byte with the number of repetitions.
        let commits = try writers.reduce(Int64(0)) {
            try $1.send([0])
            return try $0 + $1.receive()
        }
        return SoakSample(
            seconds: seconds, apps: apps.map { ($0.usage.memory, $0.usage.descriptors) },
            others: (others.reduce(0) { $0 + $1.memory }, others.reduce(0) { $0 + $1.descriptors }),
            log: SampleStore.fileSize(store + "-wal"), store: SampleStore.fileSize(store),
            transactions: history.transactions, clips: clips, commits: commits)
    }

    /// Compares the last quarter with the second.
    func growth(_ samples: [SoakSample]) -> [Measurement] {
        func growth(
            _ subject: String, _ unit: Measurement.Unit, atMost limit: Double,
            _ quantity: (SoakSample) -> Double
        ) -> Measurement {
            let (early, late) = samples.quarters(quantity)
            // Without an early value, any late one is too much.
            let comparison = Comparison(
                ours: [late], reference: [early == 0 && late > 0 ? late / 1000 : early])
            return Measurement(subject, unit, comparison, reference: "early", goal: .atMost(limit))
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
        let failures = (writers + helpers).filter { $0.wait().status != 0 }
        for app in apps { try app.returnToList() }
        let rows = try container.readBlocking {
            try $0.fetch(FetchRequest(ClipModel.entity, sort: [ClipQuery.newestFirst])).map(Clip.init)
                .filter { !$0.isArchived }.map {
                    SoakRow(isStarred: $0.isStarred, isUnread: $0.isUnread, title: $0.displayTitle)
                }
        }
        let wrong = try apps.filter { try !$0.comesToShow(rows, within: 20) }
        let unlike = try follower.differences()
        try container.closeBlocking()
        func none(_ subject: String, _ count: Int) -> Measurement {
            Measurement(subject, .count, [Double(count)], goal: .atMost(0))
        }
        let doctor = try ChildProcess(
            [workspace.clipsProgram(), "doctor", "--store", store], hasPipes: false)
        return [
            Measurement("commits of the writers", .count, [Double(samples.last?.commits ?? 0)]),
            Measurement("keys pressed", .count, [Double(apps.reduce(0) { $0 + $1.keys })]),
            none("apps that exited by themselves", apps.reduce(0) { $0 + $1.exits }),
            none("other processes that failed", failures.count),
            none("lists that differ from the \(rows.count) clips", wrong.count),
            none("clips that differ in a follower", unlike),
            none("faults that integrity_check finds", try faults()),
            none("status of clips doctor", Int(doctor.wait().status ?? -1)),
        ]
    }

    private func faults() throws -> Int {
        let connection = try Connection(path: store, access: .readOnly)
        let check = try connection.prepare("PRAGMA integrity_check")
        var faults = 0
        while try check.step() { faults += check.text(0) == "ok" ? 0 : 1 }
        return faults
    }
}

/// A follower that derives the clips of a soak from the history alone, for comparison with the table at the
/// end.
private final class SoakFollower {
    private let container: PersistentContainer
    private var cursor: HistoryToken?
    private var ids: Set<Int64> = []
    /// The number of inserts of known clips and changes of unknown ones.
    private var contradictions = 0

    init(_ container: PersistentContainer) { self.container = container }

    func catchUp() throws {
        let request = HistoryFetchRequest(cursor.map { .after($0) } ?? .beginning)
        let (changes, newest) = try container.readBlocking {
            (try $0.transactions(request).flatMap(\.changes), try $0.newestToken())
        }
        for change in changes where change.objectID.entity == ClipModel.entity {
            let isKnown = ids.contains(change.objectID.key)
            if isKnown == (change.kind == .insert) { contradictions += 1 }
            if change.kind == .delete {
                ids.remove(change.objectID.key)
            } else {
                ids.insert(change.objectID.key)
            }
        }
        cursor = newest
    }

    func differences() throws -> Int {
        try catchUp()
        let stored = try container.readBlocking {
            Set(try $0.fetch(FetchRequest(ClipModel.entity)).map(\.id.key))
        }
        return contradictions + ids.symmetricDifference(stored).count
    }
}
