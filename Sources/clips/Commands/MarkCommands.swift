import ClipsCore
import PersistentStore
import Platform

extension Command {
    static let tag = Command(
        name: "tag", summary: "Add tags to clips (+NAME) and remove tags from them (-NAME)",
        details: "'clips tags' changes the tags of all clips.",
        operands: "ID… +NAME… -NAME…", options: Option.ofManyClips,
        example: "clips tag --query site:swift.org +swift -unsorted", takesSignedWords: true
    ) { invocation in
        let operands = invocation.arguments.operands
        let added = operands.filter { $0.first == "+" }.map { String($0.dropFirst()) }
        let removed = operands.filter { $0.first == "-" }.map { String($0.dropFirst()) }
        let names = operands.filter { $0.first != "+" && $0.first != "-" }
        guard !Tags.hasComma(added + removed) else {
            throw UsageError("A tag has no comma. Use +NAME or -NAME for each tag.")
        }
        guard !names.isEmpty || invocation.arguments.has("--query") else { throw UsageError.missing("ID") }
        guard !(Tags(added).names + Tags(removed).names).isEmpty else {
            throw UsageError.missing("+NAME or -NAME")
        }
        // Of the tags, those that the clips did not have, or had.
        var change = TagChange(adding: [], removing: [])
        return try await invocation.change(
            names, added.isEmpty ? "Untag" : "Tag",
            {
                let lacking = TagChange(
                    adding: [], removing: Tags(removed).names.filter { !change.removing.contains($0) })
                return change.sentence($0) + (lacking.remark.map { "; \($0)" } ?? "")
            }
        ) { store, ids in
            let tagged = try await store.tag(ids, adding: added, removing: removed).value
            change = tagged.change
            return tagged.clips
        }
    }

    static let star = Command(
        name: "star", summary: "Star clips", operands: "ID…",
        options: [Option("--off", "remove the star")] + Option.ofManyClips, example: "clips star 12"
    ) { invocation in
        let isOn = !invocation.arguments.has("--off")
        return try await invocation.set(
            .starred, isOn, isOn ? "Star" : "Unstar"
        ) { "\(isOn ? "starred" : "unstarred") \($0)" }
    }

    static let read = Command(
        name: "read", summary: "Mark clips as read", operands: "ID…", options: Option.ofManyClips,
        example: "clips read --query 'is:unread before:last-week'"
    ) { try await $0.set(.unread, false, "Mark as read") { "marked \($0) as read" } }

    static let unread = Command(
        name: "unread", summary: "Mark clips as unread", operands: "ID…", options: Option.ofManyClips,
        example: "clips unread 12"
    ) { try await $0.set(.unread, true, "Mark as unread") { "marked \($0) as unread" } }

    static let archive = Command(
        name: "archive", summary: "Hide clips from the list; searches and is:archived find them",
        operands: "ID…", options: Option.ofManyClips,
        example: "clips archive --query 'is:read before:last-month'"
    ) { try await $0.set(.archived, true, "Archive") { "archived \($0)" } }

    static let unarchive = Command(
        name: "unarchive", summary: "Show archived clips in the list again", operands: "ID…",
        options: Option.ofManyClips, example: "clips unarchive 12"
    ) { try await $0.set(.archived, false, "Unarchive") { "unarchived \($0)" } }

    static let delete = Command(
        name: "delete", summary: "Delete clips; 'clips restore' and 'clips undo' restore them",
        operands: "ID…", options: Option.ofManyClips, example: "clips delete 12 13"
    ) { invocation in
        try await invocation.change(
            invocation.arguments.operands, "Delete", { "deleted \($0)" }, printsBefore: true
        ) { try await $0.delete($1).value }
    }

    static let restore = Command(
        name: "restore", summary: "Restore deleted clips with their IDs, regardless of who deleted them",
        details:
            "A clip whose ID another clip has now gets a new one. 'clips history' shows the IDs of deleted clips, until the history is cleaned.",
        operands: "ID…", example: "clips restore 12"
    ) { invocation in
        let names = invocation.arguments.operands
        let store = try await invocation.openExistingStore()
        var status = ExitStatus.done
        for name in names where Int64(name) == nil {
            status = invocation.fail(
                "There is no deleted clip \(name). 'clips history' shows the IDs of deleted clips.")
        }
        let (restored, problems, _) = try await store.restore(names.compactMap { Int64($0) })
        for problem in problems { status = invocation.fail(problem) }
        try await invocation.printJSON(restored, of: store)
        let subject = await invocation.subject(restored, in: store)
        if !restored.isEmpty { invocation.remark("restored \(subject).") }
        return status
    }
}

extension Invocation {
    /// Sets a flag of the clips that the operands and `--query` select.
    fileprivate func set(
        _ flag: ClipAttribute, _ isOn: Bool, _ verb: String, _ done: (String) -> String
    ) async throws -> ExitStatus {
        try await change(arguments.operands, verb, done) { store, ids in
            try await store.set(flag, isOn, of: ids)
        }
    }
}
