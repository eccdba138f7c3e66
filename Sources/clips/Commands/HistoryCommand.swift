import ClipsCore
import FoundationEssentials
import PersistentStore

extension Command {
    static let history = Command(
        name: "history",
        summary: "Prints who committed what, oldest first; with --follow, goes on with it.\n"
            + "'clips history clean' deletes old history; see 'clips history clean --help'.",
        operands: "",
        options: [
            Option(
                "--after", value: "POINT",
                "what follows a token, a transaction, or a date as 2026-11-21T09:00:00Z"),
            Option("--author", value: "NAME", "only this author's"),
            Option("--limit", value: "N", "the newest so many; with --after, the first"),
            Option("--follow", "print each transaction as it is committed, until interrupted"),
        ], example: "clips history --follow --json | jq -r '.changes[].object'"
    ) { invocation in
        let arguments = invocation.arguments
        try invocation.refuseOperands()
        let limit = try arguments.number("--limit")
        let start: HistoryFetchRequest.Start =
            if let point = arguments.value("--after") { try start(after: point) } else { .newest }
        // Reading only: --author is whose history, not who is writing.
        let store = try await invocation.openStoreToRead()
        var feed = HistoryFeed(
            container: store.container, invocation: invocation,
            where: arguments.value("--author").map(TransactionPredicate.author))
        return try await feed.run(start, limit: limit, follows: arguments.has("--follow"))
    }

    static let consumers = Command(
        name: "consumers", summary: "Prints who reads the history, and how far each has come.", operands: "",
        options: [], example: "clips consumers"
    ) { invocation in
        try invocation.refuseOperands()
        let store = try await invocation.openStoreToRead()
        let records = try await store.container.read { try $0.consumers() }
        for record in records {
            invocation.output.line(try ConsumerLine(isJSON: invocation.isJSON).text(record))
        }
        if records.isEmpty { invocation.remark("clips: nobody reads the history.") }
        return .done
    }

    private static func start(after point: String) throws(UsageError) -> HistoryFetchRequest.Start {
        switch try HistoryPoint(point) {
        case .token(let token): .token(token)
        case .transaction(let number): .transaction(number)
        case .date(let date): .date(date)
        }
    }
}
