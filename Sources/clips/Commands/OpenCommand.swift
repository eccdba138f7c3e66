import ClipsCore
import ClipsTerminal
import PersistentStore
import Platform

extension Command {
    static let open = Command(
        name: "open", summary: "Open the page of a clip in your browser ($BROWSER), and mark it as read",
        details: "QUERY consists of IDs, or of words of which the best match is opened (see 'search').",
        operands: "QUERY…", options: [Option("--keep-unread", "do not mark it as read")],
        example: "clips open swift concurrency"
    ) { invocation in
        let arguments = invocation.arguments
        let store = try await invocation.openStoreToRead()
        var ids: [Int64] = []
        var status = ExitStatus.done
        if arguments.operands.allSatisfy({ Int64($0) != nil }) {
            (ids, status) = await invocation.named(arguments.operands, in: store)
        } else {
            let query = ClipQuery(filter: arguments.operands.joined(separator: " "))
            invocation.remark(problemsOf: query.search)
            try await invocation.prepareSearch(store)
            guard let clip = try await store.bestMatch(query.filter) else {
                return try await invocation.nothingMatches(query.search, in: store)
            }
            ids = [clip.id]
        }
        var (urls, opened): ([String], [Int64]) = ([], [])
        for id in ids {
            let clip = try await store.clip(id)
            guard !clip.url.isEmpty else {
                status = invocation.fail("Clip \(id) has no URL.")
                continue
            }
            if let rejection = PageOpening.rejection(of: clip.url) {
                status = invocation.fail("Clip \(id) is not opened: \(rejection)")
                continue
            }
            urls.append(clip.url)
            opened.append(id)
            if !invocation.isJSON { invocation.remark("opening clip \(id): \(clip.displayTitle)") }
        }
        guard !urls.isEmpty else { return status }
        if let failure = PageOpening.failure(opening: urls, with: .environment()) {
            return invocation.fail(failure)
        }
        if !arguments.has("--keep-unread"), ConfigFile.read().readsOnOpen, store.readOnlyReason == nil {
            try await store.set(.unread, false, of: opened)
        }
        try await invocation.printJSON(opened, of: store)
        return status
    }

    static let random = Command(
        name: "random", summary: "Print random clips, of all or of those that match QUERY",
        operands: "[QUERY…]", options: [Option("--limit", value: "N", "number of clips (default: 1)")],
        example: "clips random is:unread"
    ) { invocation in
        let query = ClipQuery(filter: invocation.arguments.operands.joined(separator: " "))
        let limit = try invocation.arguments.number("--limit") ?? 1
        invocation.remark(problemsOf: query.search)
        let store = try await invocation.openStoreToRead()
        let ids = try await invocation.matches(of: query, in: store).shuffled().prefix(limit)
        guard !ids.isEmpty else { return try await invocation.nothingMatches(query.search, in: store) }
        let lines = try await invocation.clipLines(of: store)
        try await store.forEachClip(of: Array(ids)) { invocation.output.line(lines.line($0)) }
        return .done
    }
}
