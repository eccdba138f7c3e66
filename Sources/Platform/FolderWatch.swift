import Synchronization

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An event of one name in a watched folder.
package struct FolderEvent: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case modified
        /// Created in, or moved into, the folder.
        case appeared
        /// Deleted from, or moved out of, the folder.
        case vanished
        /// The folder itself was deleted or moved.
        case folderVanished
        /// Events were dropped: any change may have happened (inotify(7), IN_Q_OVERFLOW).
        case overflow
    }

    package let kind: Kind
    package let name: String

    package init(kind: Kind, name: String) {
        self.kind = kind
        self.name = name
    }
}

/// One inotify instance on one folder.
///
/// It watches the folder, not its files: files are replaced, and a watch on a file stays with the old one.
package final class FolderWatch: Sendable {
    private let inotify: Inotify
    private let path: String
    private let folder: CInt
    private let files = Mutex<[CInt: String]>([:])

    /// Creates a watch.
    ///
    /// - Parameter includesContents: Whether every change of a file's contents is an event. Without, a file that
    ///   is written often causes none; see ``watchContents(of:)``.
    package init(path: String, includesContents: Bool = true) throws(SystemError) {
        self.path = path
        inotify = try Inotify()
        let mask =
            IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF
            | Int32(IN_ONLYDIR) | (includesContents ? IN_MODIFY : 0)
        folder = try inotify.add(path, mask)
    }

    package var descriptor: CInt { inotify.file.number }

    /// Reports changes of the contents of the file that has this name now, even after it lost the name. Call it
    /// again for a new file of the name.
    ///
    /// - Returns: Whether the file is watched; false if it is missing.
    package func watchContents(of name: String) -> Bool {
        guard let file = try? inotify.add(path + "/" + name, IN_MODIFY | Int32(IN_DONT_FOLLOW)) else {
            return false
        }
        files.withLock { $0[file] = name }
        return true
    }

    /// Returns the events since the last call; never blocks. Events that a busy neighboring file adds during
    /// the call may remain for the next one: the descriptor is then still readable.
    package func drain() -> [FolderEvent] {
        var events: [FolderEvent] = []
        inotify.drain { decode($0, into: &events) }
        return events
    }

    /// Decodes the records of inotify(7): watch, mask, cookie, and name length, four bytes each, then the
    /// name.
    private func decode(_ bytes: UnsafeRawBufferPointer, into events: inout [FolderEvent]) {
        var offset = 0
        while offset + Inotify.headerSize <= bytes.count {
            let watch = bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
            let mask = Int32(bitPattern: bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
            let length = Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
            offset += Inotify.headerSize
            let name = bytes[offset..<(offset + length)].prefix { $0 != 0 }
            offset += length
            guard watch == folder || mask & IN_Q_OVERFLOW != 0 else {
                if let event = fileEvent(watch, mask) { events.append(event) }
                continue
            }
            guard let kind = Self.kind(of: mask) else { continue }
            events.append(FolderEvent(kind: kind, name: String(decoding: name, as: UTF8.self)))
        }
    }

    private func fileEvent(_ watch: CInt, _ mask: Int32) -> FolderEvent? {
        files.withLock { files in
            // The file was deleted and closed by all.
            if mask & IN_IGNORED != 0 { files[watch] = nil }
            return mask & IN_MODIFY != 0 ? files[watch].map { FolderEvent(kind: .modified, name: $0) } : nil
        }
    }

    private static func kind(of mask: Int32) -> FolderEvent.Kind? {
        if mask & IN_Q_OVERFLOW != 0 { return .overflow }
        if mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT) != 0 { return .folderVanished }
        if mask & (IN_CREATE | IN_MOVED_TO) != 0 { return .appeared }
        if mask & (IN_DELETE | IN_MOVED_FROM) != 0 { return .vanished }
        return mask & IN_MODIFY != 0 ? .modified : nil
    }
}
