import CPlatform

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Reads, writes, and waits on any descriptor, also one with another owner, such as standard input.
///
/// All follow one policy: a call that a signal interrupts is repeated, and a descriptor that is not ready
/// (`EAGAIN`) is waited for.
package enum DescriptorIO {
    /// Waits until there is something to read, and reads up to `limit` bytes.
    ///
    /// - Parameter isInterrupted: A closure checked before each wait, and ten times per second while there is
    ///   nothing to read.
    /// - Returns: The bytes; nil at the end.
    /// - Throws: `EINTR` once `isInterrupted` is true, or the error of read(2).
    package static func read(
        _ descriptor: CInt, limit: Int = 1 << 16, isInterrupted: (() -> Bool)? = nil
    ) throws(Errno) -> [UInt8]? {
        while true {
            if let isInterrupted {
                guard !isInterrupted() else { throw Errno(EINTR) }
                guard try wait(for: descriptor, POLLIN, .milliseconds(100)) else { continue }
            }
            if let bytes = try readAvailable(descriptor, limit: limit) { return bytes.isEmpty ? nil : bytes }
            _ = try wait(for: descriptor, POLLIN, nil)
        }
    }

    /// Reads up to `limit` bytes once, without waiting for a non-blocking descriptor.
    ///
    /// - Returns: The bytes, which are empty at the end; nil if there is nothing to read now.
    package static func readAvailable(_ descriptor: CInt, limit: Int) throws(Errno) -> [UInt8]? {
        var result = Result<Int?, Errno>.success(nil)
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            result = readOnce(descriptor, into: UnsafeMutableRawBufferPointer(buffer))
            count = (try? result.get()) ?? 0
        }
        return try result.get() == nil ? nil : bytes
    }

    /// The same, into a buffer; returns the number of bytes.
    package static func readAvailable(
        _ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer
    ) throws(Errno) -> Int? {
        try readOnce(descriptor, into: buffer).get()
    }

    private static func readOnce(
        _ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer
    ) -> Result<Int?, Errno> {
        while true {
            let count = systemRead(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return .success(count) }
            switch Errno.last.code {
            case EINTR: continue
            case EAGAIN: return .success(nil)
            case let code: return .failure(Errno(code))
            }
        }
    }

    /// Writes all bytes.
    ///
    /// - Throws: The error of write(2); part of the bytes may have been written.
    package static func write(_ bytes: some Collection<UInt8>, to descriptor: CInt) throws(Errno) {
        let result = bytes.withContiguousStorageIfAvailable { writeAll($0, to: descriptor) }
        let failure = result ?? Array(bytes).withUnsafeBufferPointer { writeAll($0, to: descriptor) }
        if let failure { throw failure }
    }

    /// Writes the bytes that a non-blocking descriptor accepts now, and discards the others and any error.
    package static func writeAvailable(_ bytes: [UInt8], to descriptor: CInt) {
        _ = systemWrite(descriptor, bytes, bytes.count)
    }

    private static func writeAll(_ bytes: UnsafeBufferPointer<UInt8>, to descriptor: CInt) -> Errno? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = systemWrite(descriptor, UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch count == 0 ? EIO : Errno.last.code {
            case EINTR: continue
            case EAGAIN:
                do throws(Errno) {
                    _ = try wait(for: descriptor, POLLOUT, nil)
                } catch {
                    return error
                }
            case let code: return Errno(code)
            }
        }
        return nil
    }

    /// Returns whether the descriptor is ready, or in a state that the next call reports; false after the
    /// timeout or a signal.
    private static func wait(
        for descriptor: CInt, _ event: Int32, _ timeout: Duration?
    ) throws(Errno) -> Bool {
        var polled = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        let count = withUnsafeMutablePointer(to: &polled) { wait(for: $0, count: 1, timeout) }
        guard count >= 0 || Errno.last.code == EINTR else { throw .last }
        return count > 0
    }

    /// Whether the other end of a pipe or a socket is closed. Bytes that it wrote before may still be unread.
    package static func hasHungUp(_ descriptor: CInt) -> Bool {
        var polled = [pollfd(fd: descriptor, events: 0, revents: 0)]
        return wait(for: &polled, .zero) > 0
    }

    /// The result of a poll for one descriptor.
    package struct Readiness: Sendable {
        package let isReadable: Bool
        /// Whether it is readable, failed, or hung up.
        package let hasEvent: Bool
    }

    /// Waits until one of the descriptors has an event, a signal arrives, or the timeout has passed; ignores
    /// negative descriptors.
    package static func poll(_ descriptors: [CInt], for timeout: Duration?) -> [Readiness] {
        var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        _ = wait(for: &polled, timeout)
        return polled.map {
            Readiness(isReadable: $0.revents & Int16(POLLIN) != 0, hasEvent: $0.revents != 0)
        }
    }

    /// Waits with ppoll(2); returns the number of descriptors with events, or -1 after a signal or an error.
    static func wait(for descriptors: inout [pollfd], _ timeout: Duration?) -> CInt {
        descriptors.withUnsafeMutableBufferPointer { wait(for: $0.baseAddress, count: $0.count, timeout) }
    }

    private static func wait(
        for descriptors: UnsafeMutablePointer<pollfd>?, count: Int, _ timeout: Duration?
    ) -> CInt {
        guard let timeout else { return platform_wait(descriptors, nfds_t(count), nil) }
        let (seconds, attoseconds) = timeout.components
        // Rounded up: a timer never fires early.
        let nanoseconds = Int((attoseconds + 999_999_999) / 1_000_000_000)
        var time =
            nanoseconds < 1_000_000_000
            ? timespec(tv_sec: Int(seconds), tv_nsec: nanoseconds)
            : timespec(tv_sec: Int(seconds) + 1, tv_nsec: 0)
        return platform_wait(descriptors, nfds_t(count), &time)
    }

    /// Blocks the calling thread; a signal ends the pause early.
    package static func pause(for duration: Duration) {
        _ = wait(for: nil, count: 0, duration)
    }
}

// Outside of the type, whose methods have the same names.

private func systemRead(_ descriptor: CInt, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}

private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
