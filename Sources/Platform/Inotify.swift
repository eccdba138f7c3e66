#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An inotify instance (inotify(7)).
struct Inotify: Sendable, ~Copyable {
    /// The watch, mask, cookie, and name length of an event.
    static let headerSize = 16
    private static let largestEvent = headerSize + Int(NAME_MAX) + 1
    /// More than the kernel buffers: 16,384 events of up to 272 bytes (max_queued_events).
    private static let maxReads = 300

    let file: FileDescriptor

    init() throws(SystemError) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { throw SystemError(lastCall: "inotify_init1") }
        file = FileDescriptor(owning: descriptor)
    }

    /// Watches a path, and returns the number of the watch.
    borrowing func add(_ path: String, _ mask: Int32) throws(SystemError) -> CInt {
        let watch = inotify_add_watch(file.number, path, UInt32(mask))
        guard watch >= 0 else { throw SystemError(lastCall: "inotify_add_watch") }
        return watch
    }

    /// Calls `body` with the events since the last call; never blocks.
    borrowing func drain(_ body: (UnsafeRawBufferPointer) -> Void) {
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
            for _ in 0..<Self.maxReads {
                guard let count = try? DescriptorIO.readAvailable(file.number, into: buffer), count > 0 else {
                    return
                }
                body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                // A read leaves events only if the next one does not fit.
                if count < buffer.count - Self.largestEvent { return }
            }
        }
    }
}

/// One inotify instance on the contents of files, so that waiting for them can be suspended.
package final class FileWatch: Sendable {
    private let inotify: Inotify

    package init() throws(SystemError) { inotify = try Inotify() }

    package var descriptor: CInt { inotify.file.number }

    /// Watches the file that has this path now.
    package func watch(_ path: String) throws(SystemError) { _ = try inotify.add(path, IN_MODIFY) }

    /// Discards the events until now. Returns whether there were any.
    package func drain() -> Bool {
        var hasEvents = false
        inotify.drain { _ in hasEvents = true }
        return hasEvents
    }
}
