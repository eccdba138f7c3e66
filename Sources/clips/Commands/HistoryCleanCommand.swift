import ClipsCore
import PersistentStore
import Terminal

extension Command {
    static let historyClean = Command(
        name: "history clean",
        summary: "Delete old history, except transactions that a consumer has not read",
        details: "The clips do not change.",
        options: [
            Option("--before", value: "POINT", "token, transaction, date, or age (default: 7d)"),
            Option("--dry-run", "only report"),
        ], example: "clips history clean --before 30d"
    ) { invocation in
        let end: HistoryDeleteRequest.End =
            switch try invocation.arguments.point("--before") ?? .days(7) {
            case .token(let token): .token(token)
            case .transaction(let number): .transaction(number)
            case .date(let date): .date(date)
            }
        let request = HistoryDeleteRequest(before: end)
        let isDry = invocation.arguments.has("--dry-run")
        let store = try await invocation.openExistingStore()
        let result =
            isDry
            ? try await store.container.previewDeletion(request)
            : try await store.container.deleteHistory(request)
        let report = CleaningReport(result: result, isDry: isDry)
        try invocation.line(report.text, json: report)
        return .done
    }
}

/// The effect of a cleaning, or of one to come.
struct CleaningReport: Encodable {
    let result: PurgeResult
    let isDry: Bool

    var text: String {
        var sentences: [String] = []
        if result.transactions == 0 {
            sentences.append(isDry ? "Nothing would be deleted." : "Nothing was deleted.")
        } else {
            let verb = isDry ? "would be" : result.transactions == 1 ? "was" : "were"
            let changes = Message.count(result.changes, "change")
            sentences.append(
                "\(Message.count(result.transactions, "transaction")) with \(changes) \(verb) deleted.")
        }
        if result.retained > 0 {
            let names = result.blockedBy.joined(separator: ", ")
            let verb = result.retained == 1 ? "is" : "are"
            sentences.append(
                "\(Message.count(result.retained, "transaction")) \(verb) retained for \(names).")
        }
        return SafeText.line(sentences.joined(separator: " "))
    }

    private enum Key: String, CodingKey { case transactions, changes, retained, blockedBy, dryRun }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(result.transactions, forKey: .transactions)
        try container.encode(result.changes, forKey: .changes)
        try container.encode(result.retained, forKey: .retained)
        try container.encode(result.blockedBy, forKey: .blockedBy)
        try container.encode(isDry, forKey: .dryRun)
    }
}
