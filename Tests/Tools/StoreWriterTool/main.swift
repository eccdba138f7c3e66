import Glibc
import HistoryTracking
import PersistentStore
import SQLite
import TestSupport

/// Opens the store, then executes each line and answers it with one line.
func run() async throws {
    let arguments = CommandLine.arguments
    var options = StoreOptions()
    options.durability = arguments[3] == "full" ? .full : .normal
    if arguments[3] == "readonly" { options.access = .readOnly }
    let version = arguments.count > 4 ? arguments[4] : "1"
    if version == "migrated" { options.migrationSteps = Notes.migrationSteps }
    let model = try version == "migrated" ? Notes.migratedModel() : Notes.model(version: Int(version) ?? 1)
    let container = try await PersistentContainer(path: arguments[1], model: model, options: options)
    let context = container.makeContext(author: arguments[2], name: "tool")
    var held: [WriteLock] = []
    var events: AsyncStream<StoreEvent>?
    var tracker: HistoryTracker?
    answer("ready")
    while let line = readLine() {
        let words = line.split(separator: " ")
        let number = words.count > 1 ? Int(words[1]) ?? 1 : 1
        switch words.first {
        case "insert":
            for index in 0..<number { try await context.insert("Note", ["title": .text("\(index)")]) }
            answer("\(try await context.save().token?.number ?? 0)")
        case "burst":
            for _ in 0..<number {
                try await context.insert("Note", ["title": "burst"])
                try await context.save()
            }
            answer("done")
        case "retitle":
            let id = ObjectID(entity: "Note", key: Int64(number))
            try await context.update(id, ["title": .text(words.count > 2 ? String(words[2]) : "")])
            try await context.save()
            answer("done")
        case "storm":
            answer("storming")
            var round = 0
            while true {
                round += 1
                for _ in 0..<3 { try await context.insert("Note", ["title": .text("\(round)")]) }
                try await context.save()
            }
        case "hold":
            held.append(try WriteLock(store: arguments[1]))
            answer("holding")
        case "release":
            held.removeAll()
            answer("released")
        case "watch":
            events = try await container.events()
            answer(events == nil ? "blind" : "watching")
        case "next":
            guard let events else { return answer("blind") }
            for await event in events {
                answer("\(event)")
                break
            }
        case "count":
            let counts = try await container.read { snapshot in
                (
                    objects: try snapshot.count(FetchRequest("Note")),
                    transactions: try snapshot.transactions(HistoryFetchRequest()).count
                )
            }
            answer("\(counts.objects) objects, \(counts.transactions) transactions")
        case "register":
            answer(try await container.registerConsumer(words.count > 1 ? String(words[1]) : "").name)
        case "follow":
            let journal = Journal(file: LineFile(path: words.count > 2 ? String(words[2]) : ""))
            var parameters = TrackingParameters(name: words.count > 1 ? String(words[1]) : "")
            (parameters.cleaning, parameters.logger) = (.none, nil)
            if words.count > 3 { parameters.start = .beginning }
            parameters.retryPause = .milliseconds(5)
            tracker = HistoryTracker(container: container, parameters: parameters, consumer: journal)
            try await tracker?.start()
            answer("following")
        case "copy":
            guard words.count == 3 else { return answer("unknown") }
            tracker = await copyingTracker(
                name: String(words[1]), dyingAfter: Int(words[2]) ?? 1, container)
            try await tracker?.start()
            answer("copying")
        case "track":
            guard words.count == 5, let step = DyingStep(rawValue: String(words[3])) else {
                return answer("unknown")
            }
            let steps = DyingSteps(
                file: LineFile(path: String(words[2])), step: step, time: Int(words[4]) ?? 1)
            tracker = await steps.tracker(name: String(words[1]), container: container)
            try await tracker?.start()
            answer("tracking")
        case "quit":
            await tracker?.stop()
            await container.close()
            answer("closed")
            return
        default: answer("unknown")
        }
    }
}

/// Blocks every other writer during its lifetime.
final class WriteLock {
    private let connection: Connection

    init(store: String) throws {
        connection = try Connection(path: store, access: .readWrite)
        try connection.execute("BEGIN IMMEDIATE")
    }
}

/// Records each transaction on a line, so that even a killed process's deliveries are known.
struct Journal: HistoryConsumer {
    let file: LineFile
    var batchLimit: BatchLimit { .split(7) }

    func refresh(from snapshot: borrowing StoreSnapshot) throws {
        file.add("refreshed \(try snapshot.newestToken().number)")
    }

    func consume(_ transactions: [HistoryTransaction], in snapshot: borrowing StoreSnapshot) throws {
        for transaction in transactions { file.add("\(transaction.number)") }
    }
}

func answer(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}

do {
    try await run()
} catch {
    answer("error: \(error)")
    exit(1)
}
