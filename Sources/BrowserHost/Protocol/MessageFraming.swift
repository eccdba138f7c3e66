/// The framing of native messaging: a length of four bytes in the byte order of the machine, then a message of
/// that length (developer.chrome.com/docs/extensions/develop/concepts/native-messaging).
///
/// A message takes memory as it arrives, not as its length promises. One that exceeds the limit is discarded.
package struct MessageFraming {
    package enum Frame: Hashable, Sendable {
        case message([UInt8])
        /// A discarded message, with its length.
        case tooLong(Int)
    }

    /// The browsers' limit in this direction.
    package static let maxLength = 64 << 20

    private let limit: Int
    private var header: [UInt8] = []
    private var length: Int?
    private var received = 0
    private var message: [UInt8] = []

    package init(limit: Int = Self.maxLength) { self.limit = limit }

    /// Whether the input so far ends within a message.
    package var isIncomplete: Bool { length != nil || !header.isEmpty }

    /// Returns the messages that end within the next bytes.
    package mutating func frames(adding bytes: [UInt8]) -> [Frame] {
        var frames: [Frame] = []
        var rest = bytes[...]
        while let length = length ?? readLength(&rest) {
            self.length = length
            let part = rest.prefix(length - received)
            if length <= limit { message += part }
            received += part.count
            rest = rest.dropFirst(part.count)
            guard received == length else { break }
            frames.append(length <= limit ? .message(message) : .tooLong(length))
            (self.length, received, message) = (nil, 0, [])
        }
        return frames
    }

    private mutating func readLength(_ rest: inout ArraySlice<UInt8>) -> Int? {
        let part = rest.prefix(4 - header.count)
        header += part
        rest = rest.dropFirst(part.count)
        guard header.count == 4 else { return nil }
        defer { header.removeAll(keepingCapacity: true) }
        return header.withUnsafeBytes { Int($0.loadUnaligned(as: UInt32.self)) }
    }

    /// Returns a message with its length.
    package static func framed(_ message: String) -> [UInt8] {
        let bytes = Array(message.utf8)
        return withUnsafeBytes(of: UInt32(bytes.count)) { Array($0) } + bytes
    }
}
