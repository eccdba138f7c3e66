import Platform
import SQLite
import Synchronization

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

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

/// A file next to the store that is touched after a commit has become visible.
///
/// SQLite writes a commit's frames, which wakes every watcher of the `-wal`, before the commit can be read;
/// this file's event always comes after that. As long as a writer has the file open, it has a shared lock on
/// the byte of its process ID, by which watchers know that it will ring after the commit that it is writing.
package struct Doorbell: ~Copyable {
    private let file: FileDescriptor

    package static func path(store: String) -> String { store + "-doorbell" }

    init?(storePath: String) {
        // Opening a pipe of that name would block without O_NONBLOCK; a file with a second name belongs to
        // another program.
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK
        guard let file = try? FileDescriptor(Self.path(store: storePath), flags), let status = file.status,
            status.isRegular, status.links == 1
        else { return nil }
        // Without the lock, on a file system that has none, watchers check more often.
        _ = file.shareByte(Int(getpid()))
        self.file = file
    }

    /// The size of a token with its longest numbers, and the end of the line.
    private static let size = 36 + 2 * 20 + 1

    /// Writes the position of a commit, or only the last byte: the file never grows.
    borrowing func ring(_ token: HistoryToken? = nil) {
        let text = Array((token?.description ?? "").utf8)
        let padding = Array(
            repeating: UInt8(ascii: " "), count: token == nil ? 0 : Self.size - 1 - text.count)
        let line = text + padding + [UInt8(ascii: "\n")]
        file.write(line, at: Self.size - line.count)
    }

    /// Returns the position of the last commit that rang; nil if it is not known.
    static func position(store: String) -> HistoryToken? {
        guard let file = try? FileDescriptor(path(store: store), O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            file.status?.isRegular ?? false, let bytes = try? file.read(limit: size)
        else { return nil }
        return HistoryToken(String(decoding: bytes.prefix { $0 > UInt8(ascii: " ") }, as: UTF8.self))
    }
}

/// The doorbell as a watcher has it open.
struct WatchedDoorbell: ~Copyable {
    private let file: FileDescriptor

    init?(path: String) {
        guard let file = try? FileDescriptor(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            file.status?.isRegular ?? false
        else { return nil }
        self.file = file
    }

    /// Whether the holder of the write lock rings this doorbell after its commit.
    borrowing func isRung(by holder: WriterLock.Holder) -> Bool {
        guard case .process(let process) = holder else { return false }
        return file.isByteLocked(Int(process))
    }
}
