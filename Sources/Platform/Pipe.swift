#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A pipe that only means "check again" and wakes a `poll` in another thread.
package final class Pipe: Sendable {
    private let reader: FileDescriptor
    private let writer: FileDescriptor

    package init() throws(SystemError) {
        let ends = try Self.makeEnds()
        for end in [ends.reader, ends.writer] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        reader = FileDescriptor(owning: ends.reader)
        writer = FileDescriptor(owning: ends.writer)
    }

    /// Creates a pipe that no program inherits. The caller closes its ends.
    package static func makeEnds() throws(SystemError) -> (reader: CInt, writer: CInt) {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError(lastCall: "pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    package var readEnd: CInt { reader.number }

    /// Wakes the reader. Never blocks: a full pipe already means that there is work.
    package func signal() {
        var byte: UInt8 = 1
        _ = write(writer.number, &byte, 1)
    }

    package func drain() {
        withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { buffer in
            while (try? DescriptorIO.readAvailable(readEnd, into: buffer)) == buffer.count {}
        }
    }
}
