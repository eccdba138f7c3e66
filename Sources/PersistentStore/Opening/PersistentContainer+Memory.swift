import FoundationEssentials
import Platform
import Synchronization

extension PersistentContainer {
    /// Creates a store in memory, for tests and previews.
    ///
    /// It behaves as a store in a file: its readers and its writer do not block each other, and its commits are
    /// reported. ``close()``, or releasing the container, deletes it.
    ///
    /// The files are in a private folder of a file system in memory, since the connections to an SQLite
    /// database without a file block each other (sqlite.org/inmemorydb.html).
    public convenience init(inMemory model: StoreModel, options: StoreOptions = StoreOptions())
        async throws(StoreError)
    {
        let store = try StoreInMemory()
        try await self.init(path: store.path, model: model, options: options, memory: store)
    }
}

/// The files of a store in memory, which exist until they are removed or the object is released.
final class StoreInMemory: Sendable {
    let path: String
    private let folder: Mutex<DraftFolder?>

    init() throws(StoreError) {
        let folder = try Self.makeFolder()
        path = folder.store
        self.folder = Mutex(folder)
    }

    /// Creates a folder in the shared memory of the system (shm_overview(7)), or in the folder for temporary
    /// files.
    private static func makeFolder() throws(StoreError) -> DraftFolder {
        do throws(Errno) {
            return try DraftFolder(near: "/dev/shm/\(name)")
        } catch {
            let parent = FileManager.default.temporaryDirectory.path
            do throws(Errno) {
                return try DraftFolder(near: "\(parent)/\(name)")
            } catch {
                throw .cannotOpen(path: parent, reason: error.description)
            }
        }
    }

    private static let name = "persistent-store"

    func remove() { folder.withLock { $0 = nil } }
}
