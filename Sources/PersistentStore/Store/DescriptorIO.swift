import Glibc

/// Reads and writes on a descriptor that may be non-blocking. Interrupted system calls are repeated.
package enum DescriptorIO {
    package struct Failure: Error, Equatable, CustomStringConvertible {
        package let code: CInt

        package init(code: CInt) { self.code = code }

        package var description: String { String(cString: strerror(code)) }
    }

    /// Waits until there is something to read, and reads up to `limit` bytes.
    ///
    /// - Parameter isInterrupted: A closure checked before each wait, and ten times per second while there is
    ///   nothing to read.
    /// - Returns: The bytes; nil at the end.
    /// - Throws: ``Failure`` with `EINTR` once `isInterrupted` is true, or with the code of read(2).
    package static func read(
        _ descriptor: CInt, limit: Int = 1 << 16, isInterrupted: (() -> Bool)? = nil
    ) throws(Failure) -> [UInt8]? {
        while true {
            if let isInterrupted {
                guard !isInterrupted() else { throw Failure(code: EINTR) }
                guard try wait(descriptor, POLLIN, milliseconds: 100) else { continue }
            }
            var code: CInt = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
                let result = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                code = result < 0 ? errno : 0
                count = max(0, result)
            }
            switch code {
            case 0: return bytes.isEmpty ? nil : bytes
            case EINTR: continue
            case EAGAIN: _ = try wait(descriptor, POLLIN, milliseconds: -1)
            default: throw Failure(code: code)
            }
        }
    }

    /// Writes all bytes.
    ///
    /// - Throws: ``Failure`` with the code of write(2); part of the bytes may have been written.
    package static func write(_ bytes: some Collection<UInt8>, to descriptor: CInt) throws(Failure) {
        let code = bytes.withContiguousStorageIfAvailable { write($0, to: descriptor) }
        let failure = code ?? Array(bytes).withUnsafeBufferPointer { write($0, to: descriptor) }
        if failure != 0 { throw Failure(code: failure) }
    }

    private static func write(_ bytes: UnsafeBufferPointer<UInt8>, to descriptor: CInt) -> CInt {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch count == 0 ? EIO : errno {
            case EINTR: continue
            case EAGAIN:
                do throws(Failure) {
                    _ = try wait(descriptor, POLLOUT, milliseconds: -1)
                } catch {
                    return error.code
                }
            case let code: return code
            }
        }
        return 0
    }

    /// Returns whether the descriptor is ready, or in a state that the next call reports; false after a
    /// timeout or a signal.
    private static func wait(_ descriptor: CInt, _ event: Int32, milliseconds: CInt) throws(Failure) -> Bool {
        var polled = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        let count = poll(&polled, 1, milliseconds)
        guard count >= 0 || errno == EINTR else { throw Failure(code: errno) }
        return count > 0
    }
}
