import ClipsCore
import PersistentStore

extension Command {
    static let tag = Command(
        name: "tag", summary: "Gives clips tags (+NAME) and takes them away (-NAME).",
        operands: "ID… +NAME… -NAME…", options: [], example: "clips tag 12 13 +swift -unsorted",
        takesSignedWords: true
    ) { invocation in
        var (names, added, removed): ([String], [String], [String]) = ([], [], [])
        for word in invocation.arguments.operands {
            switch word.first {
            case "+": added.append(String(word.dropFirst()))
            case "-": removed.append(String(word.dropFirst()))
            default: names.append(word)
            }
        }
        guard !names.isEmpty else { throw UsageError("Which clip? Give its id.") }
        guard !(Tags(added).names + Tags(removed).names).isEmpty else {
            throw UsageError("Which tag? Give +NAME to add it, -NAME to take it away.")
        }
        let (plus, minus) = (added, removed)
        return try await invocation.mark(names, "tagged") { store, ids in
            try await store.tag(ids, adding: plus, removing: minus).count
        }
    }

    static let star = Command(
        name: "star", summary: "Gives clips a star, or takes it away.", operands: "ID…",
        options: [Option("--off", "take the star away")], example: "clips star 12"
    ) { invocation in
        let isStarred = !invocation.arguments.has("--off")
        return try await invocation.mark(
            invocation.arguments.operands, isStarred ? "starred" : "took the star from"
        ) { store, ids in
            try await store.star(ids, isStarred)
        }
    }

    static let restore = Command(
        name: "restore",
        summary: "Brings deleted clips back under their own ids, whoever deleted them.\n"
            + "'clips history' shows the ids, for as long as the history keeps them.",
        operands: "ID…", options: [], example: "clips restore 12"
    ) { invocation in
        let names = invocation.arguments.operands
        guard !names.isEmpty else { throw UsageError("Which clip? Give its id.") }
        let ids = try names.map { name throws(UsageError) in
            guard let id = Int64(name) else {
                throw UsageError("A deleted clip has a number, not '\(name)'.")
            }
            return id
        }
        let store = try await invocation.openStore(author: "cli", mayCreate: false)
        var restored = 0
        for id in ids {
            do {
                try await store.restore(id)
                restored += 1
            } catch let error as ClipError {
                invocation.fail("\(error)")
            }
        }
        if restored > 0 { invocation.remark("clips: restored \(Self.clips(restored)).") }
        return restored == ids.count ? .done : .failed
    }

    static func clips(_ count: Int) -> String { count == 1 ? "1 clip" : "\(count) clips" }
}

extension Invocation {
    /// The clips that a person names; those that are not there are told one by one.
    func ids(_ names: [String], in store: ClipStore) async throws -> (ids: [Int64], status: ExitStatus) {
        guard !names.isEmpty else { throw UsageError("Which clip? Give its id.") }
        var (ids, status): ([Int64], ExitStatus) = ([], .done)
        for name in names {
            do {
                ids.append(try await store.clip(named: name).id)
            } catch let error as ClipError {
                fail("\(error)")
                status = .failed
            }
        }
        return (ids, status)
    }

    func mark(
        _ names: [String], _ done: String, _ work: (ClipStore, [Int64]) async throws -> Int
    ) async throws -> ExitStatus {
        guard !names.isEmpty else { throw UsageError("Which clip? Give its id.") }
        let store = try await openStore(author: "cli", mayCreate: false)
        let (ids, status) = try await ids(names, in: store)
        guard !ids.isEmpty else { return status }
        let count = try await work(store, ids)
        remark(count == 0 ? "clips: nothing was to be changed." : "clips: \(done) \(Command.clips(count)).")
        return status
    }
}
