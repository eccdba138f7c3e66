import CZlib

/// The plain form of a record's message: the record itself, or the chunks that contain it.
package enum RecordBody: Hashable {
    case whole([UInt8])
    case chunked(ChunkList)

    /// Records above this size are deflated and put in chunks of ``chunkSize``: a second at 64 kB/s.
    static let largestWhole = 64 << 10
    static let chunkSize = 64 << 10
    /// A record that claims to be larger is not read.
    static let largest = 1 << 30

    private enum Kind: UInt8 { case whole, chunked }

    package var bytes: [UInt8] {
        switch self {
        case .whole(let record): [Kind.whole.rawValue] + record
        case .chunked(let list): [Kind.chunked.rawValue] + "\(list.hash) \(list.count) \(list.size)".utf8
        }
    }

    package init?(_ bytes: [UInt8]) {
        switch bytes.first.flatMap(Kind.init) {
        case .whole: self = .whole(Array(bytes.dropFirst()))
        case .chunked:
            let words = String(decoding: bytes.dropFirst(), as: UTF8.self).split(separator: " ")
            guard words.count == 3, let count = Int(words[1]), let size = Int(words[2]),
                (0...Self.largest).contains(size), (1...Self.largest / Self.chunkSize + 1).contains(count)
            else { return nil }
            self = .chunked(ChunkList(hash: String(words[0]), count: count, size: size))
        case nil: return nil
        }
    }
}

/// The chunks of a large record: their hash and number, and the record's size.
package struct ChunkList: Hashable, Sendable {
    let hash: String
    let count: Int
    let size: Int
}

/// Deflate, as zlib(3) has it.
package enum Deflate {
    /// Deflate makes bytes smaller by this factor at most.
    private static let greatestFactor = 1032

    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        let bound = compressBound(uLong(bytes.count))
        var isDone = false
        let result = [UInt8](unsafeUninitializedCapacity: Int(bound)) { buffer, count in
            var length = bound
            isDone = compress2(buffer.baseAddress, &length, bytes, uLong(bytes.count), 6) == Z_OK
            count = isDone ? Int(length) : 0
        }
        return isDone ? result : nil
    }

    /// Returns nil if the bytes do not decompress to exactly `size` bytes.
    package static func decompress(_ bytes: [UInt8], size: Int) -> [UInt8]? {
        guard size <= bytes.count * greatestFactor else { return nil }
        var isDone = false
        let result = [UInt8](unsafeUninitializedCapacity: size + 1) { buffer, count in
            var length = uLong(size)
            isDone =
                uncompress(buffer.baseAddress, &length, bytes, uLong(bytes.count)) == Z_OK
                && Int(length) == size
            count = isDone ? size : 0
        }
        return isDone ? result : nil
    }
}
