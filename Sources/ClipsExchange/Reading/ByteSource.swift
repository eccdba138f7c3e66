import Glibc
import Platform

/// A source of bytes, one piece at a time.
package struct ByteSource {
    private let piece: () throws(ImportError) -> [UInt8]?

    /// Creates a source from an array, in pieces of any size.
    package init(_ bytes: [UInt8], pieces: Int = 1 << 16) {
        var offset = 0
        piece = { () throws(ImportError) in
            guard offset < bytes.count else { return nil }
            defer { offset = min(bytes.count, offset + pieces) }
            return Array(bytes[offset..<min(bytes.count, offset + pieces)])
        }
    }

    /// Creates a source from an open descriptor, up to its end.
    ///
    /// - Parameter isInterrupted: A closure called while there is nothing to read; true ends the source.
    package init(descriptor: CInt, name: String, isInterrupted: @escaping () -> Bool = { false }) {
        piece = { () throws(ImportError) in
            do throws(Errno) {
                return try DescriptorIO.read(descriptor, limit: 1 << 18, isInterrupted: isInterrupted)
            } catch {
                guard error.code == EINTR else { throw ImportError("\(name) cannot be read: \(error).") }
                return nil
            }
        }
    }

    func next() throws(ImportError) -> [UInt8]? { try piece() }
}
