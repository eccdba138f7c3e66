import ClipsCore
import PersistentStore

extension Command {
    static let tag = Command(
        name: "tag", summary: "Add tags to clips (+NAME) and remove tags from them (-NAME)",
        operands: "ID… +NAME… -NAME…", example: "clips tag 12 13 +swift -unsorted", takesSignedWords: true
    ) { invocation in
        let operands = invocation.arguments.operands
        let added = operands.filter { $0.first == "+" }.map { String($0.dropFirst()) }
        let removed = operands.filter { $0.first == "-" }.map { String($0.dropFirst()) }
        let names = operands.filter { $0.first != "+" && $0.first != "-" }
        guard !names.isEmpty else { throw UsageError.missing("ID") }
        guard !(Tags(added).names + Tags(removed).names).isEmpty else {
            throw UsageError.missing("+NAME or -NAME")
        }
        return try await invocation.change(names, "tagged") { store, ids in
            try await store.tag(ids, adding: added, removing: removed).count
        }
    }

    static let star = Command(
        name: "star", summary: "Star clips", operands: "ID…",
        options: [Option("--off", "remove the star")], example: "clips star 12"
    ) { invocation in
        let isStarred = !invocation.arguments.has("--off")
        return try await invocation.change(
            invocation.arguments.operands, isStarred ? "starred" : "removed the star of"
        ) { store, ids in
            try await store.star(ids, isStarred)
        }
    }

    static let delete = Command(
        name: "delete", summary: "Delete clips; 'clips restore' restores them",
        operands: "ID…", example: "clips delete 12 13"
    ) { invocation in
        try await invocation.change(invocation.arguments.operands, "deleted") { store, ids in
            try await store.delete(ids)
            return ids.count
        }
    }

    static let restore = Command(
        name: "restore", summary: "Restore deleted clips with their IDs, regardless of who deleted them",
        details: "'clips history' shows the IDs of deleted clips, until the history is cleaned.",
        operands: "ID…", example: "clips restore 12"
    ) { invocation in
        let ids = try invocation.arguments.operands.map { name throws(UsageError) in
            guard let id = Int64(name) else {
                throw UsageError("Invalid ID '\(name)'. Use the number of a deleted clip.")
            }
            return id
        }
        let store = try await invocation.openExistingStore()
        let (restored, problems) = try await store.restore(ids)
        var status = ExitStatus.done
        for problem in problems { status = invocation.fail(problem) }
        if restored > 0 { invocation.remark("restored \(Message.count(restored, "clip")).") }
        return status
    }
}

extension Invocation {
    /// Changes named clips, and reports missing ones one by one.
    ///
    /// - Parameters:
    ///   - done: The verb of the remark.
    ///   - work: Returns the number of changed clips.
    fileprivate func change(
        _ names: [String], _ done: String, _ work: (ClipStore, [Int64]) async throws -> Int
    ) async throws -> ExitStatus {
        let store = try await openExistingStore()
        var (ids, status): ([Int64], ExitStatus) = ([], .done)
        // A clip may be named twice.
        var known: Set<Int64> = []
        for name in names {
            do {
                let id = try await store.clip(named: name).id
                if known.insert(id).inserted { ids.append(id) }
            } catch let error as ClipError {
                status = fail(error)
            }
        }
        guard !ids.isEmpty else { return status }
        let count = try await work(store, ids)
        remark(count == 0 ? "nothing to change." : "\(done) \(Message.count(count, "clip")).")
        return status
    }
}
