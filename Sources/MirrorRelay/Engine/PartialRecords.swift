import Mirroring
import Synchronization

/// The parts of large records that were transferred, and the listing so far. They outlive a connection, so that one
/// that ends often loses none.
final class PartialRecords: Sendable {
    /// A record that is being sent.
    struct Upload {
        let stamp: Int64
        /// The revision that the record replaces: when another machine's one comes between, its put removes the chunks.
        let expected: Int64
        let list: ChunkList
        let deflated: [UInt8]
        /// The sequences of the chunks that the server has.
        var sequences: [Int: UInt64] = [:]

        var missing: [Int] { (0..<list.count).filter { sequences[$0] == nil } }
        var share: Double { Double(sequences.count) / Double(max(1, list.count)) }

        func chunk(_ number: Int) -> [UInt8] {
            let start = number * RecordBody.chunkSize
            return Array(deflated[start..<min(start + RecordBody.chunkSize, deflated.count)])
        }
    }

    /// A record that is being received.
    struct Download {
        let list: ChunkList
        var chunks: [Int: [UInt8]] = [:]
        /// The sequence of the last chunk that was received.
        var position: UInt64 = 0
        /// The sequence of the last chunk on the server; nil before it was read.
        var end: UInt64?
        /// Whether the server lacks a chunk, or has a damaged one.
        var isDamaged = false

        var isComplete: Bool { isDamaged || chunks.count == list.count }
        var share: Double { isDamaged ? 1 : Double(chunks.count) / Double(max(1, list.count)) }
    }

    /// The revisions that a listing has returned.
    struct Listing {
        var revisions: [String: MirrorRevision] = [:]
        var last: MirrorRevision?
    }

    struct State {
        var uploads: [String: Upload] = [:]
        var downloads: [String: Download] = [:]
        /// The keys of records that have, or had, chunks.
        var chunkedKeys: Set<String> = []
        /// The keys whose chunks on the server must not be used again.
        var damagedKeys: Set<String> = []
        var listing: Listing?
    }

    let state = Mutex(State())
}
