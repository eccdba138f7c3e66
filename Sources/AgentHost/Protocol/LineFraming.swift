/// The framing of the protocol's transport: one message per line.
///
/// A message takes memory as it arrives. One that exceeds the limit is discarded up to its line end.
package struct LineFraming {
    package enum Frame: Hashable, Sendable {
        case message([UInt8])
        /// A discarded message.
        case tooLong
    }

    /// The limit of a message in bytes.
    package static let maxLength = 4 << 20

    private let limit: Int
    private var line: [UInt8] = []
    private var isTooLong = false

    package init(limit: Int = Self.maxLength) { self.limit = limit }

    /// Returns the messages that end within the next bytes, without empty lines.
    package mutating func frames(adding bytes: [UInt8]) -> [Frame] {
        var frames: [Frame] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: 0x0A) {
            add(rest[..<end])
            rest = rest[(end + 1)...]
            if isTooLong {
                frames.append(.tooLong)
            } else if line.contains(where: { $0 != 0x20 && $0 != 0x0D && $0 != 0x09 }) {
                frames.append(.message(line))
            }
            (line, isTooLong) = ([], false)
        }
        add(rest)
        return frames
    }

    private mutating func add(_ part: ArraySlice<UInt8>) {
        isTooLong = isTooLong || line.count + part.count > limit
        line = isTooLong ? [] : line + part
    }
}
