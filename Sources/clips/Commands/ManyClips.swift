import ClipsCore
import Glibc
import Platform
import SearchIndex

extension Option {
    static let query = Option("--query", value: "QUERY", "all clips that match, as in 'search'")
    /// The options of a command that changes clips.
    static let ofManyClips = [
        query, Option("--yes", "change more than \(ClipStore.fewClips) clips without a question"),
    ]
}

extension Invocation {
    /// Returns the only clip of a message, with its title, or the number of clips.
    func subject(_ ids: [Int64], in store: ClipStore) async -> String {
        guard ids.count == 1, let clip = try? await store.clip(ids[0]) else {
            return ids.count.counted("clip")
        }
        return Message.clip(ids[0], titled: clip.displayTitle)
    }

    /// Changes the clips with the given IDs and those of `--query`, and reports missing ones one by one.
    ///
    /// - Parameters:
    ///   - verb: The verb of the question.
    ///   - done: Returns the remark for a subject, such as `2 clips`.
    ///   - printsBefore: Whether `--json` prints the clips before the change.
    ///   - work: Returns the changed clips.
    func change(
        _ names: [String], _ verb: String, _ done: (String) -> String, printsBefore: Bool = false,
        _ work: (ClipStore, [Int64]) async throws -> [Int64]
    ) async throws -> ExitStatus {
        let query = try checkedQuery()
        let store = try await openExistingStore()
        var (ids, status) = await named(names, in: store)
        if let query {
            let matching = try await matches(of: query, in: store)
            guard !matching.isEmpty || !ids.isEmpty else {
                return try await nothingMatches(query.search, in: store)
            }
            guard try isConfirmed(verb, matching.count) else { return .failed }
            ids += Set(matching).subtracting(ids).sorted()
        }
        guard !ids.isEmpty else { return status }
        if printsBefore { try await printJSON(ids, of: store) }
        // The title of a deleted clip is that before its deletion.
        var subject = await subject(ids, in: store)
        let changed = try await work(store, ids)
        let count = changed.count
        if ids.count > 1, count > 0 { subject = await self.subject(changed, in: store) }
        if !printsBefore { try await printJSON(ids, of: store) }
        // The others are as wanted, or were deleted since they were read.
        let left = count < ids.count ? try await store.existing(ids) : 0
        let gone = printsBefore ? ids.count - count : count < ids.count ? ids.count - left : 0
        guard count > 0 || gone > 0 else {
            let verb = ids.count == 1 ? "is" : "are"
            remark("\(subject) \(verb) unchanged.")
            return status
        }
        if count > 0 { remark("\(done(subject)).") }
        guard gone > 0 else { return status }
        return fail("\(gone.counted("clip")) no longer \(gone == 1 ? "exists" : "exist").")
    }

    /// The query of `--query`; a change refuses one with an invalid word, which would match more.
    func checkedQuery() throws(UsageError) -> ClipQuery? {
        guard let text = arguments.value("--query") else { return nil }
        let query = ClipQuery(filter: text)
        if let problem = query.search.problems.first { throw UsageError("\(problem)") }
        guard !query.search.isEmpty else {
            throw UsageError("The query has no words and no condition, and would select all clips.")
        }
        return query
    }

    func matches(of query: ClipQuery, in store: ClipStore) async throws -> [Int64] {
        if query.search.needsIndex { try await prepareSearch(store) }
        return try await store.ids(matching: query)
    }

    /// Reports that no clip matches, and a query with close words that has matches.
    func nothingMatches(_ query: SearchQuery, in store: ClipStore) async throws -> ExitStatus {
        if let hint = query.hint { remark(hint) }
        guard !query.isEmpty else {
            let isArchived = try await !store.ids(matching: ClipQuery(filter: "is:archived")).isEmpty
            remark("the list has no clips\(isArchived ? "; those in the archive match is:archived" : "").")
            return .failed
        }
        let close = try await store.correction(of: query)
        let next = close.map { "did you mean '\($0)'?" } ?? "'clips help search' describes queries."
        remark("no clip matches; \(next)")
        return .failed
    }

    /// Returns the clips with these IDs or UUIDs, without repetitions, and reports missing ones.
    func named(_ names: [String], in store: ClipStore) async -> (ids: [Int64], status: ExitStatus) {
        var (ids, status): ([Int64], ExitStatus) = ([], .done)
        var known: Set<Int64> = []
        for name in names {
            do {
                let id = try await store.clip(named: name).id
                if known.insert(id).inserted { ids.append(id) }
            } catch let error as ClipError {
                status = fail(error)
            } catch {
                status = fail(error.sentence)
            }
        }
        return (ids, status)
    }

    /// Asks on the terminal before a change of more than a few clips. Without a terminal, it needs `--yes`.
    func isConfirmed(_ verb: String, _ count: Int) throws -> Bool {
        guard count > ClipStore.fewClips, !arguments.has("--yes") else { return true }
        guard isOnTerminal else {
            fail("\(count.grouped) clips match. Nothing was changed; use --yes to change them.")
            return false
        }
        return ask("\(verb) \(count.grouped) clips?")
    }

    var isOnTerminal: Bool { isatty(STDIN_FILENO) == 1 && Output.standardError.isTerminal }

    /// Asks a question on the terminal, which `y` confirms.
    func ask(_ question: String) -> Bool {
        Output.standardError.write("clips: \(question) [y/N] ")
        let isYes = readLine()?.lowercased().hasPrefix("y") == true
        if !isYes { remark("nothing was changed.") }
        return isYes
    }

    /// Prints clips that were just saved: their IDs, or with `--json` the clips.
    func printSaved(_ ids: [Int64], of store: ClipStore) async {
        // If they cannot be read again, they are saved nevertheless.
        if isJSON, (try? await printJSON(ids, of: store)) != nil { return }
        guard !isQuiet || arguments.has("--ids") else { return }
        for id in ids { output.line("\(id)") }
    }

    /// Prints clips as JSON, if `--json` is given.
    func printJSON(_ ids: [Int64], of store: ClipStore) async throws {
        guard isJSON else { return }
        let lines = ClipLines(isJSON: true)
        try await store.forEachClip(of: ids) { output.line(lines.line($0)) }
    }
}
