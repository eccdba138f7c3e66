@testable import PersistentStore

extension SaveResult {
    /// The saved objects in the order of the operations, without deleted ones.
    var objects: [StoredObject] { outcomes.compactMap(\.object) }

    /// The new versions of the saved objects, including those whose references became null, by their permanent IDs.
    var versions: [ObjectID: Int64] { Dictionary(objects.map { ($0.id, $0.version) }) { $1 } }
}
