import ClipsCore
import Platform
import Terminal

extension Command {
    static let tags = Command(
        name: "tags", summary: "Print the tags and the numbers of their clips, most used first",
        details: """
            'clips tags rename', 'merge', and 'delete' change a tag of all clips; 'clips undo' undoes that. \
            The list has each spelling. Those that differ in case or accents are one tag to filters and in \
            the sidebar; 'clips tags merge' replaces them by one.
            """,
        options: [Option("--limit", value: "N", "maximum number of tags")],
        example: "clips tags --json | jq -r .tag"
    ) { invocation in
        let limit = try invocation.arguments.number("--limit") ?? .max
        let store = try await invocation.openStoreToRead()
        let counts = try await store.tagCounts().prefix(limit)
        let width = counts.first.map { String($0.count).count } ?? 0
        for (name, count) in counts {
            let padding = String(repeating: " ", count: width - String(count).count)
            // Another program gets a name as the commands take it.
            let shown =
                invocation.output.isTerminal
                ? SafeText.line(name) : SafeText.stored(name).replacing("\n", with: " ")
            invocation.line(
                "\(padding)\(count)  \(shown)", json: ["count": count, "tag": name])
        }
        if counts.isEmpty { invocation.remark("no clip has a tag.") }
        return .done
    }

    static let tagsRename = Command(
        name: "tags rename", summary: "Rename a tag of all clips", operands: "OLD NEW",
        example: "clips tags rename js javascript"
    ) { invocation in
        let (old, new) = (invocation.arguments.operands[0], invocation.arguments.operands[1])
        return try await invocation.replaceTags([old], with: new, isNew: true) {
            "renamed \($0) of \($1) to '\(new)'"
        }
    }

    static let tagsMerge = Command(
        name: "tags merge", summary: "Replace tags of all clips by the last one", operands: "TAG… INTO",
        example: "clips tags merge js ecmascript javascript"
    ) { invocation in
        let names = invocation.arguments.operands
        return try await invocation.replaceTags(Array(names.dropLast()), with: names.last) {
            "merged \($0) of \($1) into '\(names.last ?? "")'"
        }
    }

    static let tagsDelete = Command(
        name: "tags delete", summary: "Remove tags from all clips, which remain", operands: "TAG…",
        example: "clips tags delete unsorted"
    ) { invocation in
        try await invocation.replaceTags(invocation.arguments.operands, with: nil) {
            "removed \($0) from \($1)"
        }
    }
}

extension Invocation {
    /// - Parameters:
    ///   - isNew: Whether no clip may have the new tag.
    ///   - done: Returns the remark for the tags that clips had, and the number of those clips.
    fileprivate func replaceTags(
        _ names: [String], with new: String?, isNew: Bool = false,
        done: (_ tags: String, _ clips: String) -> String
    ) async throws -> ExitStatus {
        guard new.map({ Tags([$0]).names == [$0] }) ?? true else {
            throw UsageError("A tag cannot be empty or contain a comma or a tab.")
        }
        let store = try await openExistingStore()
        let known = Set(try await store.tagCounts().map(\.name))
        var status = ExitStatus.done
        for name in names where !known.contains(name) {
            status = fail("No clip has the tag '\(name)'. 'clips tags' prints the tags.")
        }
        if isNew, status == .done, let new, names == [new] {
            return fail(
                "The old and the new name are the same: '\(new)'. Nothing was changed; give another name.")
        }
        if isNew, status == .done, let new, known.contains(new) {
            return fail("The tag '\(new)' exists. Run 'clips tags merge' to merge both.")
        }
        let found = names.filter(known.contains)
        guard !found.isEmpty else { return status }
        let ids = isJSON ? try await store.ids(taggedWith: found) : []
        let changed = try await store.replaceTags(found, with: new)
        try await printJSON(ids, of: store)
        let tags = "the tag\(found.count == 1 ? "" : "s") " + found.map { "'\($0)'" }.joined(separator: ", ")
        let clips = await subject(changed, in: store)
        remark(changed.isEmpty ? "nothing was changed." : "\(done(tags, clips)).")
        return status
    }
}
