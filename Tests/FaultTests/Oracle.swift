import ClipsCore
import Foundation
import PersistentStore
import SearchIndex
import TestSupport

/// What has to hold of a store after any fault.
struct Oracle {
    let clips: ClipsProgram

    /// What does not hold, in words; empty when everything does.
    ///
    /// - Parameter saved: the ids that some process reported as saved, and nobody deleted.
    func complaints(saved: Set<Int64> = []) async -> [String] {
        do {
            return try await look(saved)
        } catch {
            return ["\(error)"]
        }
    }

    private func look(_ saved: Set<Int64>) async throws -> [String] {
        guard FileManager.default.fileExists(atPath: clips.storePath) else {
            return saved.isEmpty ? try next(after: []) : ["the store is gone"]
        }
        var complaints: [String] = []
        // A stranger's eyes first, before ours have touched anything.
        let check = try Shell.run(
            "sqlite3", [clips.storePath], input: ".timeout 5000\nPRAGMA integrity_check;\n")
        if check.output != "ok\n" { complaints.append("integrity_check: \(check.output)\(check.errors)") }
        var options = StoreOptions()
        // What a rebuild lost is seen, not restored.
        options.repairsWhenOpened = false
        let store = try await ClipStore(path: clips.storePath, author: "oracle", options: options)
        for finding in try await store.container.check() {
            // Whoever was killed could not say good-bye; the next cleaning forgets it.
            if case .staleConsumer = finding { continue }
            complaints.append("the doctor finds \(finding)")
        }
        let (transactions, present) = try await store.container.read { snapshot in
            (
                try snapshot.transactions(HistoryFetchRequest()),
                Set(try snapshot.fetch(FetchRequest(ClipModel.entity)).map(\.id.key))
            )
        }
        complaints += Self.replay(transactions, isWhole: try isWhole(), present)
        let lost = saved.subtracting(present)
        if !lost.isEmpty { complaints.append("saved and lost: \(lost.sorted())") }
        complaints += try await search(store)
        await store.container.close()
        let known = Set(transactions.flatMap(\.changes).map(\.objectID.key)).union(present)
        return complaints + (try next(after: known))
    }

    /// Whether nothing was ever cleaned away.
    private func isWhole() throws -> Bool {
        try clips.sqlite3(
            "SELECT max(value) FROM store_metadata WHERE key IN ('history_floor', 'history_expiry')") == "0"
    }

    /// Goes through the history as it was made; what is kept of it must end in what is there.
    private static func replay(
        _ transactions: [HistoryTransaction], isWhole: Bool, _ present: Set<Int64>
    ) -> [String] {
        var complaints: [String] = []
        var replayed: [Int64: Bool] = [:]
        var last: Int64 = 0
        var time = Date.distantPast
        for transaction in transactions {
            if transaction.timestamp < time { complaints.append("\(transaction.number) runs back in time") }
            time = transaction.timestamp
            for change in transaction.changes {
                if change.number <= last { complaints.append("change \(change.number) is out of order") }
                last = change.number
                let wasThere = replayed[change.objectID.key] ?? !isWhole
                let isFirst = replayed[change.objectID.key] == nil && !isWhole
                if !isFirst, wasThere != (change.kind != .insert) {
                    complaints.append("change \(change.number): \(change.kind) of \(change.objectID)")
                }
                replayed[change.objectID.key] = change.kind != .delete
            }
        }
        let expected = Set(replayed.filter(\.value).keys)
        if isWhole ? expected != present : !expected.isSubset(of: present) {
            complaints.append("the history ends in \(expected.count) clips, there are \(present.count)")
        }
        let deleted = Set(replayed.filter { !$0.value }.keys).intersection(present)
        if !deleted.isEmpty { complaints.append("deleted and there: \(deleted.sorted())") }
        return complaints
    }

    /// Every clip of these tests has this word in its title.
    private static let word = "clip"

    private func search(_ store: ClipStore) async throws -> [String] {
        let index = SearchIndex(store.container, ClipModel.searched)
        let state = try await index.bringUpToDate()
        guard state == .ready else { return ["the index is \(state)"] }
        if let problem = await index.problem() { return ["the index: \(problem)"] }
        let (found, expected, isFromIndex) = try await store.container.read { snapshot in
            let query = SearchQuery(Self.word)
            let page = try index.search(query, bounds: SearchBounds(limit: 1_000_000), in: snapshot)
            let all = try snapshot.fetch(FetchRequest(ClipModel.entity))
                .map { SearchDocument($0, ClipModel.searched) }
            return (Set(page.hits.map(\.id)), Set(all.filter(query.matches).map(\.id)), page.isFromIndex)
        }
        await index.close()
        guard isFromIndex else { return ["the index is not used"] }
        return found == expected ? [] : ["the index finds \(found.count) of \(expected.count)"]
    }

    /// Whoever comes next can save, under an id that nobody had.
    private func next(after known: Set<Int64>) throws -> [String] {
        let run = try clips.run("extension", "--title", "clip after")
        guard run.status == 0, let id = Int64(run.output.trimmingCharacters(in: .newlines)) else {
            return ["the next extension: \(run.errors)"]
        }
        return !known.contains(id) ? [] : ["the id \(id) is used again"]
    }
}
