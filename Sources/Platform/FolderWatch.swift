import Glibc

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
    private let inotify: FileDescriptor

    package init(path: String) throws(SystemError) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { throw SystemError(lastCall: "inotify_init1") }
        inotify = FileDescriptor(owning: descriptor)
        let mask =
            IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF
            | Int32(IN_ONLYDIR)
        guard inotify_add_watch(descriptor, path, UInt32(mask)) >= 0 else {
            throw SystemError(lastCall: "inotify_add_watch")
        }
    }

    package var descriptor: CInt { inotify.number }

    /// Returns the events since the last call; never blocks. Events that a busy neighboring file adds during
    /// the call may remain for the next one: the descriptor is then still readable.
    package func drain() -> [FolderEvent] {
        var events: [FolderEvent] = []
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
            for _ in 0..<Self.maxReads {
                guard let count = try? DescriptorIO.readAvailable(descriptor, into: buffer), count > 0 else {
                    return
                }
                Self.decode(UnsafeRawBufferPointer(rebasing: buffer[..<count]), into: &events)
            }
        }
        return events
    }

    /// More than the kernel buffers: 16,384 events of up to 272 bytes (inotify(7), max_queued_events).
    private static let maxReads = 300

    /// Decodes the records of inotify(7): watch, mask, cookie, and name length, four bytes each, then the
    /// name.
    private static func decode(_ bytes: UnsafeRawBufferPointer, into events: inout [FolderEvent]) {
        let headerSize = 16
        var offset = 0
        while offset + headerSize <= bytes.count {
            let mask = Int32(bitPattern: bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
            let length = Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
            let nameBytes = bytes[(offset + headerSize)..<(offset + headerSize + length)].prefix { $0 != 0 }
            offset += headerSize + length
            guard let kind = kind(of: mask) else { continue }
            events.append(FolderEvent(kind: kind, name: String(decoding: nameBytes, as: UTF8.self)))
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
