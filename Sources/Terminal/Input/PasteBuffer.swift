/// The text of a bracketed paste, up to a limit.
struct PasteBuffer: Sendable {
    private let limit: Int
    private var bytes: [UInt8] = []
    private var dropped = 0
    private var matched = 0

    private static let terminator = Array("\u{1B}[201~".utf8)

    init(limit: Int) { self.limit = limit }

    /// Appends a byte; returns whether it ends the paste.
    mutating func append(_ byte: UInt8) -> Bool {
        if byte == Self.terminator[matched] {
            matched += 1
            return matched == Self.terminator.count
        }
        store(Self.terminator[..<matched])
        // ESC is only the first byte of the end mark, so the mark can restart only there.
        matched = byte == Self.terminator[0] ? 1 : 0
        if matched == 0 { store([byte]) }
        return false
    }

    private mutating func store(_ some: some Collection<UInt8>) {
        let room = max(0, limit - bytes.count)
        bytes += some.prefix(room)
        dropped += max(0, some.count - room)
    }

    /// Returns the text with `\n` at line ends and the number of dropped bytes, and resets the buffer.
    mutating func finish() -> (text: String, dropped: Int) {
        defer { self = PasteBuffer(limit: limit) }
        var lines: [UInt8] = []
        lines.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            if byte == 0x0A, index > 0, bytes[index - 1] == 0x0D { continue }
            lines.append(byte == 0x0D ? 0x0A : byte)
        }
        return (String(decoding: lines, as: UTF8.self), dropped)
    }
}
