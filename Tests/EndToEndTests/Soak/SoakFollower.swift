import ClipsCore
import PersistentStore

/// A follower that derives the clips of a soak from the history alone, for comparison with the table at the
/// end.
final class SoakFollower {
    private let container: PersistentContainer
    private var cursor: HistoryToken?
    private var ids: Set<Int64> = []
    /// The number of inserts of known clips and changes of unknown ones.
    private var contradictions = 0

    init(_ container: PersistentContainer) { self.container = container }

    func catchUp() async throws {
        let request = HistoryFetchRequest(cursor.map { .after($0) } ?? .beginning)
        let (changes, newest) = try await container.read {
            (try $0.transactions(request).flatMap(\.changes), try $0.newestToken())
        }
        for change in changes where change.objectID.entity == ClipModel.entity {
            let isKnown = ids.contains(change.objectID.key)
            if isKnown == (change.kind == .insert) { contradictions += 1 }
            if change.kind == .delete {
                ids.remove(change.objectID.key)
            } else {
                ids.insert(change.objectID.key)
            }
        }
        cursor = newest
    }

    func differences() async throws -> Int {
        try await catchUp()
        let stored = try await container.read {
            Set(try $0.fetch(FetchRequest(ClipModel.entity)).map(\.id.key))
        }
        return contradictions + ids.symmetricDifference(stored).count
    }
}
