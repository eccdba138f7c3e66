import ClipsCore
import PersistentStore
import Platform
import Terminal

extension Command {
    static let historyClean = Command(
        name: "history clean",
        summary: "Delete old history, except transactions that another program has yet to read",
        details: """
            The clips do not change. The text of deleted clips is then overwritten in the files of the store and of its \
            search index, which rewrites both.
            """,
        options: [
            Option("--before", value: "POINT", "token, transaction, date, or age (default: 7d)"),
            Option("--dry-run", "only report"),
        ], example: "clips history clean --before 30d"
    ) { invocation in
        let point = try invocation.arguments.value(
            "--before", expected: HistoryPoint.forms, as: HistoryPoint.init)
        let end: HistoryEnd =
            switch point ?? .age(.seconds(7 * 86_400)) {
            case .token(let token): .before(token)
            case .transaction(let number): .beforeTransaction(number)
            case .date(let date): .beforeDate(date)
            }
        let isDry = invocation.arguments.has("--dry-run")
        let store = try await invocation.openExistingStore()
        let request = HistoryDeleteRequest(end)
        if isDry {
            invocation.report(try await store.previewDeletion(request), isDry: true)
            return .done
        }
        let (result, remains) = try await store.deleteHistory(request)
        invocation.report(result, isDry: false)
        guard let remains else { return .done }
        return invocation.fail("The files may still contain deleted text: \(remains). Run the command again.")
    }
}

extension Invocation {
    /// Prints the effect of a cleaning, or of one to come.
    fileprivate func report(_ result: PurgeResult, isDry: Bool) {
        line(
            result.sentence(isDry: isDry),
            json: [
                "blockedBy": result.blockedBy, "changes": result.changes, "dryRun": isDry,
                "retained": result.retained, "transactions": result.transactions,
            ])
    }
}

extension PurgeResult {
    fileprivate func sentence(isDry: Bool) -> String {
        let deleted =
            transactions == 0
            ? "Nothing"
            : "\(transactions.counted("transaction")) with \(changes.counted("change"))"
        let verb = isDry ? "would be" : transactions > 1 ? "were" : "was"
        let sentence = "\(deleted) \(verb) deleted."
        guard retained > 0 else { return sentence }
        let rest = "\(retained.counted("transaction")) \(retained == 1 ? "is" : "are") retained"
        let names = blockedBy.map { AuthorName.shown(consumer: $0) }.joined(separator: ", ")
        return SafeText.line("\(sentence) \(rest) for \(names).")
    }
}
