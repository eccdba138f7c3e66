import ClipsCore
import PersistentStore
import Platform
import SearchIndex

extension Command {
    static let list = Command(
        name: "list", summary: "Print the clips, newest first, or those that match QUERY (see 'search')",
        details: "Without QUERY, archived clips are omitted; 'is:archived' lists them.",
        operands: "[QUERY…]",
        options: [
            .limit,
            Option(
                "--sort", value: "KEY",
                choices: ["created", "updated", "title", "url", "author", "tags", "starred", "unread"]),
        ], example: "clips list swift --limit 10 --json | jq -r .url", takesSignedWords: true
    ) { invocation in
        let arguments = invocation.arguments
        let sort = try arguments.value("--sort", as: ClipQuery.sort(named:)) ?? ClipQuery.newestFirst
        let limit = try arguments.number("--limit") ?? .max
        let query = ClipQuery(filter: arguments.operands.joined(separator: " "), sort: sort)
        invocation.remark(problemsOf: query.search)
        let store = try await invocation.openStoreToRead()
        if query.search.needsIndex { try await invocation.prepareSearch(store) }
        let lines = try await invocation.clipLines(of: store)
        var isEmpty = true
        try await store.forEachClip(query, limit: limit) { clip in
            invocation.output.line(lines.line(clip))
            isEmpty = false
        }
        return isEmpty && !query.admitsAll
            ? try await invocation.nothingMatches(query.search, in: store) : .done
    }

    static let show = Command(
        name: "show", summary: "Print clips with all fields", operands: "ID…", example: "clips show 12"
    ) { invocation in
        let store = try await invocation.openStoreToRead()
        var (status, isFirst) = (ExitStatus.done, true)
        for name in invocation.arguments.operands {
            do {
                let clip = try await store.clip(named: name)
                if invocation.isJSON {
                    invocation.output.line(ClipLines(isJSON: true).line(clip))
                } else {
                    if !isFirst { invocation.output.line("") }
                    invocation.output.write(
                        ClipLines.page(clip, isOnTerminal: invocation.output.isTerminal))
                }
                isFirst = false
            } catch let error as ClipError {
                status = invocation.fail(error)
            }
        }
        return status
    }
}

extension Option {
    static let limit = Option("--limit", value: "N", "maximum number of clips")
}
