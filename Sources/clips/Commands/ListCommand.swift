import ClipsCore
import FoundationEssentials
import PersistentStore
import SearchIndex
import Terminal

extension Command {
    static let list = Command(
        name: "list", summary: "Prints the clips, newest first; with a query, what it finds (see 'search').",
        operands: "[QUERY…]",
        options: [
            Option("--limit", value: "N", "at most so many"),
            Option(
                "--sort", value: "KEY", "created, updated, title, url, author, starred or unread",
                choices: ["created", "updated", "title", "url", "author", "starred", "unread"]),
        ], example: "clips list swift --limit 10 --json | jq -r .url"
    ) { invocation in
        let arguments = invocation.arguments
        let sortName = arguments.value("--sort") ?? "created"
        guard let sort = ClipQuery.sort(named: sortName) else {
            throw UsageError(
                "Clips cannot be sorted by '\(sortName)': created, updated, title, url, author, starred, unread."
            )
        }
        let query = ClipQuery(filter: arguments.operands.joined(separator: " "), sort: sort)
        let limit = try arguments.number("--limit") ?? .max
        invocation.remark(problemsOf: query.search)
        let store = try await invocation.openStoreToRead()
        let lines = ClipLines(isJSON: invocation.isJSON)
        if query.search.needsIndex { try await invocation.prepareSearch(store) }
        try await store.forEachClip(query, limit: limit) { clip in
            invocation.output.line(try lines.line(clip))
        }
        return .done
    }

    static let show = Command(
        name: "show", summary: "Prints clips with everything in them.", operands: "ID…", options: [],
        example: "clips show 12"
    ) { invocation in
        guard !invocation.arguments.operands.isEmpty else { throw UsageError("Which clip? Give its id.") }
        let store = try await invocation.openStoreToRead()
        var status = ExitStatus.done
        for (index, name) in invocation.arguments.operands.enumerated() {
            do {
                let clip = try await store.clip(named: name)
                if invocation.isJSON {
                    invocation.output.line(try ClipLines(isJSON: true).line(clip))
                } else {
                    if index > 0 { invocation.output.line("") }
                    invocation.output.write(ClipLines.page(clip))
                }
            } catch let error as ClipError {
                invocation.fail("\(error)")
                status = .failed
            }
        }
        return status
    }

    static let delete = Command(
        name: "delete", summary: "Deletes clips; the history keeps them for a while.", operands: "ID…",
        options: [], example: "clips delete 12 13"
    ) { invocation in
        guard !invocation.arguments.operands.isEmpty else { throw UsageError("Which clip? Give its id.") }
        let store = try await invocation.openStore(author: "cli", mayCreate: false)
        let (ids, status) = try await invocation.ids(invocation.arguments.operands, in: store)
        guard !ids.isEmpty else { return status }
        try await store.delete(ids)
        invocation.remark("clips: deleted \(Self.clips(ids.count)).")
        return status
    }
}
