import ClipsCore
import PersistentStore
import Terminal

extension Command {
    static let historyClean = Command(
        name: "history clean",
        summary: """
            Deletes old history, and says what went, what stayed, and who needs it.
            What a consumer has not read yet stays; the clips themselves are not touched.
            """,
        operands: "",
        options: [
            Option(
                "--before", value: "POINT", "a token, a transaction, a date, or 30d: 30 days ago (else 7d)"),
            Option("--dry-run", "only say what would go"),
        ], example: "clips history clean --before 30d"
    ) { invocation in
        try invocation.refuseOperands()
        let end: HistoryDeleteRequest.End =
            switch try HistoryPoint(invocation.arguments.value("--before") ?? "7d") {
            case .token(let token): .token(token)
            case .transaction(let number): .transaction(number)
            case .date(let date): .date(date)
            }
        let request = HistoryDeleteRequest(before: end)
        let isDry = invocation.arguments.has("--dry-run")
        let store = try await invocation.openStore(author: "cli", mayCreate: false)
        let result =
            isDry
            ? try await store.container.previewDeletion(request)
            : try await store.container.deleteHistory(request)
        let report = CleaningReport(result: result, isDry: isDry)
        invocation.output.line(try invocation.isJSON ? JSONLine.text(report) : report.text)
        return .done
    }
}

/// What a cleaning did, or would do.
struct CleaningReport: Encodable {
    let result: PurgeResult
    let isDry: Bool

    var text: String {
        var sentences: [String] = []
        if result.transactions == 0 {
            sentences.append(isDry ? "Nothing would be deleted." : "Nothing was deleted.")
        } else {
            let verb = isDry ? "would be" : result.transactions == 1 ? "was" : "were"
            sentences.append(
                "\(transactions(result.transactions)) with \(count(result.changes, "change")) \(verb) deleted."
            )
        }
        if result.retained > 0 {
            let names = result.blockedBy.joined(separator: ", ")
            sentences.append(
                "\(transactions(result.retained)) \(result.retained == 1 ? "stays" : "stay"), needed by \(names)."
            )
        }
        return SafeText.line(sentences.joined(separator: " "))
    }

    private func transactions(_ number: Int) -> String { count(number, "transaction") }

    private func count(_ number: Int, _ word: String) -> String {
        "\(number) \(word)\(number == 1 ? "" : "s")"
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
