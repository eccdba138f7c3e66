import Glibc
import Platform
import SQLite
import Synchronization

/// The file events of a store. A file of another program in the same folder causes none, unless it is created,
/// renamed, or deleted.
final class WatchedFiles: Sendable {
    /// The meaning of events, in the order of their importance.
    enum Change: Int, Comparable {
        case log
        case doorbell
        case pathInDoubt
        /// A new `-wal` cannot be watched.
        case watchLost

        func event(isRepeated: Bool) -> WatcherMachine.Event {
            switch self {
            case .log: .logChanged
            case .doorbell: .rung(isRepeated: isRepeated)
            case .pathInDoubt, .watchLost: .pathInDoubt
            }
        }

        static func < (left: Change, right: Change) -> Bool { left.rawValue < right.rawValue }
    }

    /// The names in the folder, and the contents of the doorbell.
    private let folder: FolderWatch
    /// The `-wal`, which has an instance of its own because it is not always waited for.
    private let log: FileWatch
    private let doorbell = Mutex<WatchedDoorbell?>(nil)
    private let path: String
    private let names: (log: String, index: String, doorbell: String, all: [String])

    /// - Parameter path: The path of the store without symbolic links.
    /// - Returns: Nil if file events are unavailable.
    init?(store path: String) {
        self.path = path
        let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
        names = (
            name + "-wal", name + "-shm", Doorbell.path(store: name), [name, name + "-wal", name + "-shm"]
        )
        guard let folder = try? FolderWatch(path: FilePath.folder(of: path), includesContents: false),
            let log = try? FileWatch()
        else { return nil }
        (self.folder, self.log) = (folder, log)
        guard watchLog() else { return nil }
        watchDoorbell()
        watchIndex()
    }

    var folderDescriptor: CInt { folder.descriptor }
    var logDescriptor: CInt { log.descriptor }
    var descriptors: [CInt] { [folderDescriptor, logDescriptor] }

    /// Whether the holder of the write lock rings the watched doorbell after its commit.
    func isRung(by holder: WriterLock.Holder) -> Bool {
        doorbell.withLock { $0?.isRung(by: holder) ?? false }
    }

    /// Returns the meaning of the events since the last call, and watches files that have appeared.
    ///
    /// - Parameter leavesLog: Returns whether the events of the log remain for a later call, given the meaning of
    ///   the others.
    func drain(leavesLog: (Change?) -> Bool = { _ in false }) -> Change? {
        let change = folder.drain().compactMap(meaning).max()
        guard !leavesLog(change) else { return change }
        return log.drain() ? change ?? .log : change
    }

    private func meaning(of event: FolderEvent) -> Change? {
        switch event.kind {
        case .folderVanished, .overflow: return .pathInDoubt
        case .modified where event.name == names.index: return .pathInDoubt
        case .modified: return event.name == names.doorbell ? .doorbell : nil
        case .appeared where event.name == names.index:
            watchIndex()
            return .pathInDoubt
        case .appeared where event.name == names.doorbell:
            watchDoorbell()
            return .doorbell
        case .appeared where event.name == names.log: return watchLog() ? .pathInDoubt : .watchLost
        case .appeared, .vanished: return names.all.contains(event.name) ? .pathInDoubt : nil
        }
    }

    /// Returns false if the log exists and cannot be watched.
    private func watchLog() -> Bool {
        do throws(SystemError) {
            try log.watch(path + "-wal")
            return true
        } catch {
            return error.reason.code == ENOENT
        }
    }

    /// Writers change it in memory, so only its growth and a program that cuts it off cause events.
    private func watchIndex() { _ = folder.watchContents(of: names.index) }

    /// Without the watch, no writer is known to ring.
    private func watchDoorbell() {
        let isWatched = folder.watchContents(of: names.doorbell)
        doorbell.withLock { $0 = isWatched ? WatchedDoorbell(path: Doorbell.path(store: path)) : nil }
    }
}
