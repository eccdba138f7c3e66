import ClipsCore
import ClipsTerminal
import PersistentStore
import Platform
import SearchIndex
import Terminal

extension Command {
    static let check = Command(
        name: "check",
        summary: "Check whether the pages of all clips, or of those that match QUERY, still exist",
        details: """
            Asks each address with curl, at most one request to a host at a time, and continues where an earlier run \
            ended; an answer is valid for 20 hours. A link is dead after failures on three days, and moved after the \
            same permanent redirect in two checks; a refusal, a login, or a slow host is neither. Prints the dead and \
            the moved links; 'clips list is:dead' lists them, 'clips undo' undoes --fix-moved.
            """,
        operands: "[QUERY…]",
        options: [Option("--fix-moved", "replace the addresses of moved links, without a request")],
        example: "clips check -is:archived", takesSignedWords: true
    ) { invocation in
        let fixes = invocation.arguments.has("--fix-moved")
        let words = (fixes ? ["is:moved"] : []) + invocation.arguments.operands
        let query = ClipQuery(filter: words.joined(separator: " "), includesArchived: true)
        if let problem = query.search.problems.first { throw UsageError("\(problem)") }
        let store = try await invocation.openExistingStore()
        let ids = try await invocation.matches(of: query, in: store)
        if fixes {
            let moved = try await store.followMoves(of: ids).value
            for link in moved { invocation.line(link.text, json: link.json) }
            let clips = await invocation.subject(moved.map(\.clip), in: store)
            invocation.remark(moved.isEmpty ? "no link moved." : "replaced the address of \(clips).")
            return .done
        }
        guard !ids.isEmpty || query.admitsAll else {
            return try await invocation.nothingMatches(query.search, in: store)
        }
        PendingInterrupt.hold()
        invocation.output.surviveReader()
        return try await invocation.check(ids, of: store)
    }
}

extension Invocation {
    fileprivate func check(_ ids: [Int64], of store: ClipStore) async throws -> ExitStatus {
        var run = LinkCheckRun(store)
        var (found, failure) = ((dead: 0, moved: 0), OutputError?.none)
        try await withProgress { progress in
            try await run.run(ids) { counts, links in
                for link in links where link.state == .dead || link.state == .moved {
                    if link.state == .dead { found.dead += 1 } else { found.moved += 1 }
                    progress.clear()
                    line(link.text, json: link.json)
                }
                do throws(OutputError) {
                    if !links.isEmpty { try output.flush() }
                } catch {
                    failure = error
                }
                progress.show("checked", counts.checked, of: counts.total - counts.known, "links")
            } isInterrupted: {
                PendingInterrupt.isThere
            }
        }
        if let failure { throw failure }
        let counts = run.counts
        let have = counts.known == 1 ? "has" : "have"
        let known = counts.known > 0 ? " \(counts.known) \(have) an answer of the last 20 hours." : ""
        remark(
            "checked \(counts.checked.counted("link")); \(found.dead) dead, \(found.moved) moved.\(known)"
        )
        if counts.isOffline { fail("No host answers, so this may be the network. Try again when it works.") }
        if counts.isInterrupted { return .interrupted }
        if counts.left > 0, !counts.isOffline {
            fail(
                "\(counts.left.counted("link")) wait, since hosts limit requests. Run 'clips check' later."
            )
        }
        return counts.left > 0 || counts.isOffline ? .failed : .done
    }
}

extension CheckedLink {
    fileprivate var text: String {
        let facts = state == .dead ? "\(reason); \(archived)" : target
        return SafeText.line("\(clip)  \(state.rawValue)  \(url)  \(facts)")
    }

    fileprivate var json: JSONObject {
        var object = JSONObject()
        if state == .dead { object.add("archive", archived) }
        object.add("id", clip)
        if !reason.isEmpty { object.add("reason", reason) }
        object.add("state", state.rawValue)
        if !target.isEmpty { object.add("target", target) }
        object.add("url", url)
        return object
    }
}
