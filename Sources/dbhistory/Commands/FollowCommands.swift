import Glibc
import PersistentStore
import Platform

extension Command {
    private static let formatOption = Option(
        "--format", value: "FORMAT", "text (default), jsonl, or debezium",
        choices: ChangeFormat.allCases.map(\.rawValue))
    private static let sinceOption = Option(
        "--since", value: "POINT", "'beginning', a token, transaction, date, or age such as 12h")

    static let follow = Command(
        name: "follow", summary: "Print each change of the recorded tables as it is committed",
        details: """
            With --consumer, the position is in the database: changes that were not received are
            printed again after a restart, and cleaning retains them. --ack, --exec, and --post
            prove that a transaction was received. Without them, a program that reads a pipe has
            received one when it reads the next; the last one before --once ends, when it is read.
            --exec runs a shell command for each transaction, --post sends it with curl: lines of
            the format on standard input, and a key that repetitions share in DBHISTORY_KEY or
            the header Idempotency-Key. A transaction that fails --attempts times is parked.
            """,
        operands: "DATABASE [TABLE…]",
        options: [
            Option("--consumer", value: "NAME", "name of a position in the database"),
            Option("--snapshot", "print all rows first, and again if history is missing"),
            formatOption, sinceOption,
            Option("--ack", "wait for a line on standard input after each line"),
            Option("--once", "end at the newest change"),
            Option("--exec", value: "COMMAND", "shell command that receives each transaction"),
            Option("--post", value: "URL", "URL that receives each transaction"),
            Option("--attempts", value: "N", "attempts before a transaction is parked (default: 8)"),
            Option(
                "--pause", value: "DURATION", "pause before the second attempt, which doubles (default: 1s)"),
        ], example: "dbhistory follow app.db --consumer search --snapshot --format jsonl"
    ) { arguments in
        let receivers = [
            arguments.value("--exec").map(Delivery.Receiver.command),
            arguments.value("--post").map(Delivery.Receiver.url),
        ].compactMap { $0 }
        guard receivers.count < 2 else { throw UsageError("--exec and --post exclude each other.") }
        guard receivers.isEmpty || !(arguments.has("--snapshot") || arguments.has("--ack")) else {
            throw UsageError("--exec and --post exclude --snapshot and --ack.")
        }
        let consumer = arguments.value("--consumer")
        if let consumer, consumer.isEmpty || consumer.contains("\u{0}") {
            throw UsageError("A consumer requires a name.")
        }
        let delivery = try receivers.first.map {
            Delivery(
                receiver: $0, attempts: try arguments.number("--attempts") ?? 8,
                pause: try arguments.duration("--pause") ?? .seconds(1))
        }
        var follower = Follower(
            container: try await arguments.open(durability: .normal),
            format: try format(arguments, receivers.isEmpty ? .text : .jsonl))
        follower.tables = Set(arguments.rest.map { $0.lowercased() })
        follower.consumer = consumer
        follower.since = try arguments.start("--since")
        follower.copiesRows = arguments.has("--snapshot")
        follower.endsAtNewest = arguments.has("--once")
        follower.acknowledgments = arguments.has("--ack") ? Acknowledgments() : nil
        follower.delivery = delivery
        follower.pipe = follower.acknowledgments == nil && delivery == nil ? OutputPipe() : nil
        if delivery == nil {
            follower.container.watchForHangUp(STDOUT_FILENO) { exit(0) }
        }
        return try await follower.run()
    }

    private static func format(_ arguments: Arguments, _ fallback: ChangeFormat) throws -> ChangeFormat {
        arguments.value("--format").flatMap(ChangeFormat.init(rawValue:)) ?? fallback
    }

    static let log = Command(
        name: "log", summary: "Print recorded changes, oldest first: who changed what, when",
        operands: "DATABASE [TABLE]",
        options: [
            Option("--key", value: "KEY", "key of the row; parts of a composite key with commas"),
            sinceOption,
            Option("--limit", value: "N", "maximum number of changes: the newest"), formatOption,
        ], example: "dbhistory log app.db orders --key 4711 --since yesterday"
    ) { arguments in
        let container = try await arguments.open()
        let start = try arguments.start("--since") ?? .beginning
        let table = arguments.rest.first
        let (key, limit) = (arguments.value("--key"), try arguments.number("--limit") ?? .max)
        let format = try format(arguments, .text)
        let name = container.path.split(separator: "/").last.map(String.init) ?? ""
        let lines = try await container.read { snapshot in
            let tables = try snapshot.attachedTables()
            if let table, !tables.contains(where: { $0.name.lowercased() == table.lowercased() }) {
                throw Failure("'\(table)' is not recorded. Run 'dbhistory status \(arguments.path)'.")
            }
            var lines: [String] = []
            try snapshot.forEachChange(HistoryFetchRequest(start)) { change, transaction in
                let entity = change.objectID.entity
                guard table.map({ $0.lowercased() == entity.lowercased() }) ?? true else { return true }
                if let key {
                    let names = tables.first { $0.name == entity }?.key ?? []
                    let values = names.map { ChangeText.word(change.key[$0] ?? .null, isQuoted: false) }
                    guard values.joined(separator: ",") == key else { return true }
                }
                if limit < lines.count * 2, lines.count > 1000 { lines.removeFirst(lines.count - limit) }
                if limit == .max {
                    try Output().line(format.line(.change(change, transaction), database: name))
                    if lines.isEmpty { lines.append("") }
                } else {
                    lines.append(format.line(.change(change, transaction), database: name))
                }
                return true
            }
            return lines
        }
        guard limit < .max else { return lines.isEmpty ? 1 : 0 }
        for line in lines.suffix(limit) { try Output().line(line) }
        return lines.isEmpty ? 1 : 0
    }
}
