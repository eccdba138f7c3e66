import FoundationEssentials
import PersistentStore
import Platform
import Synchronization

/// The UUIDs of new clips.
package enum ClipUUID {
    /// Random bytes that no UUID has yet.
    private static let random = Mutex<(bytes: [UInt8], next: Int, batch: Int)>(([], 0, length))
    private static let length = 10
    private static let maxBatch = length << 8

    /// Returns a UUID of version 7 (RFC 9562), which begins with its time: the index of UUIDs grows at its end, so
    /// that saving many clips costs no page of it for each. Foundation opens /dev/urandom for each UUID.
    static func make(at milliseconds: Int64) -> String {
        var bytes = (0..<6).map { UInt8(truncatingIfNeeded: milliseconds >> (40 - 8 * $0)) } + randomBytes()
        bytes[6] = bytes[6] & 0x0F | 0x70
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBytes { $0.uuidText }
    }

    /// Returns a UUID in lowercase; nil for any other text.
    package static func normalized(_ text: String) -> String? { UUID(text: text)?.text }

    /// Returns the bytes of one UUID. A process that saves one clip draws only these; batches then double.
    private static func randomBytes() -> [UInt8] {
        random.withLock { random in
            if random.next == random.bytes.count {
                var generator = SystemRandomNumberGenerator()
                let words = (0..<(random.batch + 7) / 8).map { _ in generator.next() }
                random.bytes = words.withUnsafeBytes { Array($0.prefix(random.batch)) }
                random.next = 0
                random.batch = min(2 * random.batch, maxBatch)
            }
            defer { random.next += length }
            return Array(random.bytes[random.next..<random.next + length])
        }
    }
}
