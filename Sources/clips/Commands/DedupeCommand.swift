import ClipsCore
import Platform
import Terminal

extension Command {
    static let dedupe = Command(
        name: "dedupe",
        summary: "Merge clips whose URLs lead to the same page into the oldest one",
        details: """
            URLs that differ in the scheme, www., a slash at the end, tracking parameters, encoding, or a \
            fragment are the same. Prints the groups, and asks on a terminal; otherwise nothing changes \
            without --yes. 'clips undo' undoes all of it.
            """,
        options: [
            Option(
                "--duplicates", value: "HOW", "merge all contents (default), skip or replace by newer ones",
                choices: ["merge", "skip", "replace"]),
            Option("--dry-run", "only print the groups"), Option("--yes", "ask no question"),
        ], example: "clips dedupe --dry-run"
    ) { invocation in
        let arguments = invocation.arguments
        let choices: [DuplicatePolicy] = [.merge, .skip, .replace]
        let policy =
            try arguments.value("--duplicates") { name in choices.first { $0.rawValue == name } } ?? .merge
        let isDry = arguments.has("--dry-run")
        let store = try await isDry ? invocation.openStoreToRead() : invocation.openExistingStore()
        let groups = try await store.duplicates()
        for group in groups {
            let first = group.clips[0]
            let duplicates = group.clips.dropFirst().map(\.id)
            invocation.line(group.text, json: ["duplicates": duplicates, "id": first.id, "url": first.url])
        }
        guard !groups.isEmpty else {
            invocation.remark("there are no duplicates.")
            return .done
        }
        let count = groups.reduce(-groups.count) { $0 + $1.clips.count }
        let total = "\(count.counted("duplicate")) of \(groups.count.counted("clip"))"
        guard !isDry else {
            invocation.remark("dry run; found \(total).")
            return .done
        }
        guard arguments.has("--yes") || invocation.isOnTerminal else {
            return invocation.fail("Found \(total). Nothing was changed; use --yes to \(policy.verb) them.")
        }
        try invocation.output.flush()
        guard arguments.has("--yes") || invocation.ask(policy.question(total)) else { return .failed }
        let (remaining, deleted, _) = try await store.mergeDuplicates(groups, policy)
        let first = groups.lazy.compactMap(\.clips.first).first { [$0.id] == remaining }
        let only = first.map { Message.clip($0.id, titled: $0.displayTitle) }
        let clips = only ?? remaining.count.counted("clip")
        invocation.remark(policy.result(deleted.counted("duplicate"), of: clips))
        guard deleted < count else { return .done }
        return invocation.fail(
            "\((count - deleted).counted("duplicate")) changed since then, or would be too long together."
        )
    }
}

extension DuplicatePolicy {
    fileprivate var verb: String {
        switch self {
        case .keepBoth, .merge: "merge"
        case .skip: "delete"
        case .replace: "replace the clips by"
        }
    }

    fileprivate func question(_ duplicates: String) -> String {
        switch self {
        case .keepBoth, .merge: "Merge \(duplicates)?"
        case .skip: "Delete \(duplicates)?"
        case .replace: "Replace the clips by the newest of \(duplicates)?"
        }
    }

    fileprivate func result(_ duplicates: String, of clips: String) -> String {
        switch self {
        case .keepBoth, .merge: "merged \(duplicates) into \(clips)."
        case .skip: "deleted \(duplicates) of \(clips)."
        case .replace: "replaced \(clips) by the newest of \(duplicates)."
        }
    }
}

extension DuplicateGroup {
    fileprivate var text: String {
        let lines = clips.enumerated().map { index, clip in
            SafeText.line("\(index == 0 ? "" : "  ")\(clip.id)  \(clip.url)  \(clip.title)")
        }
        return lines.joined(separator: "\n")
    }
}
