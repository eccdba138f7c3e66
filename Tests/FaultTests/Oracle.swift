import ClipsCore
import Foundation
import PersistentStore
import SearchIndex
import TestSupport

/// The checks of a store after any fault.
struct Oracle {
    let clips: ClipsProgram

    /// The failed checks, as text.
    ///
    /// - Parameter saved: The IDs that a process reported as saved, and that were not deleted.
    func complaints(saved: Set<Int64> = []) async -> [String] {
        do {
            return try await check(saved)
        } catch {
            return ["\(error)"]
        }
    }

    private func check(_ saved: Set<Int64>) async throws -> [String] {
        guard FileManager.default.fileExists(atPath: clips.storePath) else {
            return saved.isEmpty ? try next(after: []) : ["the store is missing"]
        }
        var complaints: [String] = []
        // Another program first, before this library changes anything.
        let check = try Shell.run(
            "sqlite3", [clips.storePath], input: ".timeout 5000\nPRAGMA integrity_check;\n")
        if check.output != "ok\n" { complaints.append("integrity_check: \(check.output)\(check.errors)") }
        var options = StoreOptions()
        // Triggers that a rebuild lost are reported, not restored.
        options.repairsWhenOpened = false
        let store = try await ClipStore(path: clips.storePath, author: "oracle", options: options)
        for finding in try await store.container.check() {
            // A killed process could not unregister; the next cleaning does that.
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

    /// Whether no history was ever deleted.
    private func isWhole() throws -> Bool {
        try clips.sqlite3(
            "SELECT max(value) FROM store_metadata WHERE key IN ('history_floor', 'history_expiry')") == "0"
    }

    /// Replays the history, which must lead to the existing clips.
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
        if !deleted.isEmpty { complaints.append("deleted, but present: \(deleted.sorted())") }
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

    /// The next process can save, under an unused ID.
    private func next(after known: Set<Int64>) throws -> [String] {
        let run = try clips.run("extension", "--title", "clip after")
        guard run.status == 0, let id = Int64(run.output.trimmingCharacters(in: .newlines)) else {
            return ["the next extension: \(run.errors)"]
        }
        return !known.contains(id) ? [] : ["the id \(id) is used again"]
    }
}
