import Glibc

/// A source of bytes, one piece at a time.
package struct ByteSource {
    private let piece: () throws(ImportError) -> [UInt8]?

    /// Creates a source from an array, in pieces of any size.
    package init(_ bytes: [UInt8], pieces: Int = 1 << 16) {
        var place = 0
        piece = { () throws(ImportError) in
            guard place < bytes.count else { return nil }
            defer { place = min(bytes.count, place + pieces) }
            return Array(bytes[place..<min(bytes.count, place + pieces)])
        }
    }

    /// Creates a source from an open descriptor, up to its end.
    ///
    /// - Parameter isInterrupted: A closure called while there is nothing to read; true ends the source.
    package init(descriptor: CInt, name: String, isInterrupted: @escaping () -> Bool = { false }) {
        piece = { () throws(ImportError) in
            while !isInterrupted() {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                if poll(&waiting, 1, 100) == 0 { continue }
                var code: CInt = 0
                let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 18) { buffer, count in
                    let result = read(descriptor, buffer.baseAddress, buffer.count)
                    code = result < 0 ? errno : 0
                    count = max(0, result)
                }
                if code == EINTR || code == EAGAIN { continue }
                guard code == 0 else {
                    throw ImportError("\(name) cannot be read: \(String(cString: strerror(code))).")
                }
                return bytes.isEmpty ? nil : bytes
            }
            return nil
        }
    }

    func next() throws(ImportError) -> [UInt8]? { try piece() }
}
