import ClipsCore
import PersistentStore
import Platform

extension Command {
    static let history = Command(
        name: "history",
        summary: "Print transactions, oldest first: their authors, programs, and changes",
        details: "'clips history clean' deletes old ones.",
        options: [
            Option(
                "--after", value: "POINT",
                "token, transaction, date such as 2026-11-21T09:00:00Z, or age such as 30d"),
            Option("--author", value: "NAME", "author of the transactions, or mcp:CLIENT"),
            Option("--limit", value: "N", "maximum number: the newest, or the first after POINT"),
            Option("--follow", "print each transaction as it is committed, until interrupted"),
        ], example: "clips history --follow --json | jq -r '.changes[].object'"
    ) { invocation in
        let arguments = invocation.arguments
        let limit = try arguments.number("--limit")
        let point = try arguments.value("--after", expected: HistoryPoint.forms, as: HistoryPoint.init)
        let start = point?.start ?? .newest
        // --author selects transactions here; the store is only read.
        let store = try await invocation.openStoreToRead()
        if case .transaction(let number) = point {
            let newest = try await store.newestTransaction()
            guard number <= newest else {
                return invocation.fail("There is no transaction \(number); the newest one is \(newest).")
            }
        }
        let follows = arguments.has("--follow")
        if follows { store.watchForHangUp(invocation.output.descriptor) { Output.endAsByBrokenPipe() } }
        var feed = try await TransactionFeed(
            of: store, from: start, limit: limit,
            where: arguments.value("--author").map(ClipAuthor.transactions(shownAs:)), follows: follows
        ) {
            invocation.remark("no file events are available; polling the store 20 times per second.")
        }
        var lines = HistoryLines(isJSON: invocation.isJSON)
        var isEmpty = true
        while let pieces = try await feed.next() {
            invocation.output.write(try await lines.text(pieces, of: store))
            try invocation.output.flush()
            isEmpty = false
        }
        guard isEmpty else { return .done }
        let isAll = point == nil && !arguments.has("--author")
        invocation.remark(isAll ? "the history is empty." : "no transaction matches.")
        return isAll ? .done : .failed
    }

    static let consumers = Command(
        name: "consumers",
        summary: "Print the programs that follow the history (its consumers), with their positions",
        example: "clips consumers"
    ) { invocation in
        let store = try await invocation.openStoreToRead()
        let records = try await store.consumers()
        for record in records { invocation.line(record.line, json: record.json) }
        if records.isEmpty { invocation.remark("no program follows the history.") }
        return .done
    }
}
