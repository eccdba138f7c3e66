import Glibc

/// A pipe that only means "check again" and wakes a `poll` in another thread.
package final class Pipe: Sendable {
    private let reader: FileDescriptor
    private let writer: FileDescriptor

    package init() throws(SystemError) {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError(lastCall: "pipe") }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        reader = FileDescriptor(owning: ends[0])
        writer = FileDescriptor(owning: ends[1])
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
