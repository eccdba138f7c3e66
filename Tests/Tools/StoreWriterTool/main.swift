import Glibc
import PersistentStore
import SQLite
import TestSupport

/// Opens the store, then obeys lines and answers each with one.
func run() async throws {
    let arguments = CommandLine.arguments
    var options = StoreOptions()
    options.durability = arguments[3] == "full" ? .full : .normal
    let container = try await PersistentContainer(path: arguments[1], model: Notes.model(), options: options)
    let context = container.makeContext(author: arguments[2], name: "tool")
    var held: [WriteLock] = []
    var events: AsyncStream<StoreEvent>?
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
        case "register":
            answer(try await container.registerConsumer(words.count > 1 ? String(words[1]) : "").name)
        case "quit":
            await container.close()
            answer("closed")
            return
        default: answer("unknown")
        }
    }
}

/// Keeps every other writer out for as long as it lives.
final class WriteLock {
    private let connection: Connection

    init(store: String) throws {
        connection = try Connection(path: store, access: .readWrite)
        try connection.execute("BEGIN IMMEDIATE")
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
