import ClipsCore
import PersistentStore
import Platform
import SearchIndex

extension Command {
    static let search = Command(
        name: "search",
        summary: "Find clips, best matches first, and print them with the matching text",
        details: """
            QUERY consists of words, "whole words", beginnings*, -not, NOT this, this OR
            that, title: tag: author: site: url: text: note:, is:starred is:unread is:read
            is:archived is:dead is:moved is:unchecked (see 'check'), after: before: on:
            with 2026-11-01, 2026-11, yesterday, monday, last-week, 3d
            """,
        operands: "QUERY…",
        options: [
            Option("--limit", value: "N", "maximum number of clips (default: 20)"),
            Option(
                "--sort", value: "KEY", "relevance (whole words in title and tags first) or newest",
                choices: ["relevance", "newest"]),
        ], example: "clips search 'tag:swift \"typed throws\" -is:read after:2026-10'", takesSignedWords: true
    ) { invocation in
        let arguments = invocation.arguments
        let sorts = ["relevance": SearchSort.relevance, "newest": .newest, "created": .newest]
        let sort = try arguments.value("--sort") { sorts[$0] } ?? .relevance
        let limit = try arguments.number("--limit") ?? 20
        let query = SearchQuery(arguments.operands.joined(separator: " "))
        invocation.remark(problemsOf: query)
        guard !query.isEmpty else {
            guard !arguments.operands.isEmpty else { throw UsageError.missing("QUERY") }
            throw UsageError("The query has no words. Quote OR and NOT to search for them.")
        }
        let store = try await invocation.openStoreToRead()
        try await invocation.prepareSearch(store)
        var search = ClipSearch(query, sort: sort, limit: limit, in: store)
        if try await invocation.print(&search, query, of: store) > 0 { return .done }
        // A program that reads the output does not see that it has other words.
        guard invocation.output.isTerminal, !invocation.isJSON,
            let close = try await store.correction(of: query)
        else { return try await invocation.nothingMatches(query, in: store) }
        if let hint = query.hint { invocation.remark(hint) }
        invocation.remark("no clip matches; these match '\(close)'.")
        search = ClipSearch(close, sort: sort, limit: limit, in: store)
        _ = try await invocation.print(&search, close, of: store)
        return .failed
    }
}

extension Invocation {
    /// Reports the invalid words of a query next to its result.
    func remark(problemsOf query: SearchQuery) {
        for problem in query.problems { remark("\(problem)") }
    }

    /// Prints the clips of a search; returns their number.
    fileprivate func print(
        _ search: inout ClipSearch, _ query: SearchQuery, of store: ClipStore
    ) async throws -> Int {
        let lines = FoundLines(query: query, isMarked: usesColor, table: try await clipTable(of: store))
        var count = 0
        while let clips = try await search.next() {
            for clip in clips {
                output.line(isJSON ? ClipLines(isJSON: true).line(clip) : lines.text(clip))
            }
            count += clips.count
        }
        if !search.isAtEnd { try await remark(printed: count, of: search) }
        return count
    }

    /// Reports the number of clips that were not printed because of the limit.
    fileprivate func remark(printed: Int, of search: ClipSearch) async throws {
        guard !isQuiet else { return }
        try output.flush()
        let (count, isAll) = try await search.count()
        guard !isAll || count > printed else { return }
        let total = isAll ? count.grouped : "more than \(count.grouped)"
        remark("\(printed.grouped) of \(total) clips. Use --limit N to print more.")
    }

    /// Brings the search index up to date, with progress if it must be built.
    func prepareSearch(_ store: ClipStore) async throws {
        // Opening the store reported the others.
        if try await store.newlyLostCommits() == nil, let lost = try await store.lostCommits() {
            remark(lost.sentence)
        }
        let state = try await withProgress { progress in
            try await store.updateIndex { state in
                switch state {
                case .building(let done, let total): progress.show("indexed", done, of: total, "clips")
                case .finishing: progress.show("merging the search index")
                case .ready, .unavailable: break
                }
            }
        }
        if case .unavailable(let reason) = state {
            remark("searching without an index, which takes longer (\(reason)).")
        }
    }
}
