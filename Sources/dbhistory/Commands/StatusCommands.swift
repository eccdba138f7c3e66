import FoundationEssentials
import PersistentStore
import Platform

extension Command {
    private static let writersRead = 1000

    static let status = Command(
        name: "status", summary: "Print the recorded tables, writers, consumers with their lag, and sizes",
        operands: "DATABASE", example: "dbhistory status app.db"
    ) { arguments in
        let container = try await arguments.open()
        let notes = try await container.notes()
        let lines = try await container.read { snapshot in
            var lines: [String] = []
            for table in try snapshot.attachedTables() {
                let values = ["none", "old", "rows"][table.values.rawValue]
                let key = table.key.joined(separator: ", ") + (table.hasPrimaryKey ? "" : " (no primary key)")
                let state = table.refusal.map { "not recorded: \($0)" } ?? "values \(values)"
                lines.append("table \(table.name): key \(key), \(state)")
            }
            let count = try snapshot.count(HistoryFetchRequest())
            lines.append(
                "history: \(counted(count.transactions, "transaction")), \(counted(count.changes, "change"))")
            let request = HistoryFetchRequest(.newest, limit: writersRead, includesChanges: false)
            var writers: [String: Int] = [:]
            for transaction in try snapshot.transactions(request) {
                let names = [transaction.author, transaction.program].compactMap { $0 }
                writers[names.isEmpty ? "other programs" : names.joined(separator: "/"), default: 0] += 1
            }
            for (writer, count) in writers.sorted(by: { $0.key < $1.key }) {
                lines.append("writer \(writer): \(count) of the newest transactions")
            }
            for consumer in try snapshot.consumers() {
                let lag = "\(consumer.isLagExact ? "" : "more than ")\(consumer.lag)"
                let state =
                    consumer.isRunning ? "running" : "last seen \(consumer.lastSeen.formatted(.iso8601))"
                lines.append(
                    "consumer \(consumer.name): \(lag) transaction\(lag == "1" ? "" : "s") behind, \(state)")
            }
            return lines
        }
        for line in lines { try Output().line(ChangeText.plain(line)) }
        for (consumer, parked) in notes.parked.sorted(by: { $0.key < $1.key }) {
            let numbers = parked.map(String.init).joined(separator: ", ")
            try Output().line(ChangeText.plain("parked by \(consumer): \(numbers)"))
        }
        if let retention = notes.retention { try Output().line("keep: \(age(retention.components.seconds))") }
        let space = try await container.space()
        let history = space.history.map { ", history \($0)" } ?? ""
        try Output().line(
            "size: file \(space.file), log \(space.journal), unused \(space.free)\(history) bytes")
        return 0
    }

    private static func counted(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }

    /// Returns an age in the form of --keep.
    private static func age(_ seconds: Int64) -> String {
        let unit = [(86_400, "d"), (3600, "h"), (60, "m")].first {
            seconds > 0 && seconds % $0.0 == 0
        }
        return unit.map { "\(seconds / $0.0)\($0.1)" } ?? "\(seconds)s"
    }

    static let clean = Command(
        name: "clean", summary: "Delete history older than --keep",
        operands: "DATABASE",
        options: [
            Option(
                "--keep", value: "DURATION",
                "age beyond which history is deleted (default: that of 'track', or 7d)")
        ], example: "dbhistory clean app.db --keep 30d"
    ) { arguments in
        let given = try arguments.duration("--keep")
        let container = try await arguments.open()
        let stored = try await container.notes().retention
        let kept = given ?? stored ?? .seconds(7 * 86_400)
        let result = try await container.purgeHistory(maximumAge: kept, minimumAge: kept)
        try Output().line(
            "deleted \(counted(result.transactions, "transaction")) with \(counted(result.changes, "change"))"
        )
        for consumer in result.blockedBy {
            try Output().line(ChangeText.plain("retained for consumer \(consumer)"))
        }
        return 0
    }

    static let doctor = Command(
        name: "doctor", summary: "Check the database, its recording, and the consumers",
        details: "Opening repairs triggers that a changed table lost; all positions expire then.",
        operands: "DATABASE", example: "dbhistory doctor app.db"
    ) { arguments in
        let container = try await arguments.open()
        var findings: [String] = []
        for finding in try await container.check() {
            switch finding {
            case .damaged(let reason):
                findings.append("The database is damaged: \(reason). Restore a backup.")
            case .damagedIndexes(let reason): findings.append("Indexes are damaged: \(reason). Run REINDEX.")
            case .danglingReferences(let table, let count):
                findings.append("\(count) rows of '\(table)' refer to rows that do not exist.")
            case .expiredConsumer(let name):
                findings.append(
                    "Consumer '\(name)' lost history. Follow with --snapshot to read the tables again.")
            case .laggingConsumer(let name, let count, let days):
                findings.append(
                    "Consumer '\(name)' retains \(counted(count, "transaction")) and was not seen for \(days) days."
                )
            case .noFileEvents(let reason): findings.append("Commits are found by polling: \(reason).")
            default: break
            }
        }
        for table in try await container.read({ try $0.attachedTables() }) {
            if let refusal = table.refusal { findings.append("'\(table.name)' is not recorded: \(refusal).") }
        }
        for finding in findings { try Output().line(ChangeText.plain(finding)) }
        if findings.isEmpty { try Output().line("no findings") }
        return findings.isEmpty ? 0 : 1
    }
}
