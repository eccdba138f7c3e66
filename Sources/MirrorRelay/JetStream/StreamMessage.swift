import CNATS

/// A message of a stream.
struct StreamMessage: Hashable, Sendable {
    let subject: String
    let sequence: UInt64
    /// The server's time, in nanoseconds since 1970.
    let time: Int64
    /// The number that the writer chose; 0 if it chose none.
    let stamp: Int64
    let body: [UInt8]
    /// The number of messages that its consumer gets after it.
    let following: UInt64

    /// The approximate bytes in memory.
    var size: Int { body.count + 256 }

    /// Whether a number can be that of a message. A server that sends any other is broken or hostile.
    static func isValid(_ sequence: UInt64) -> Bool { (1...UInt64(Int64.max / 2)).contains(sequence) }

    /// The header with the stamp.
    static let stampHeader = "Stamp"

    /// Copies a message that a subscription delivered, or a request returned.
    init?(_ message: OpaquePointer?) {
        guard let message, let name = natsMsg_GetSubject(message) else { return nil }
        subject = String(cString: name)
        body = Array(
            UnsafeRawBufferPointer(
                start: natsMsg_GetData(message), count: max(0, Int(natsMsg_GetDataLength(message)))))
        var text: UnsafePointer<CChar>?
        let isStamped = natsMsgHeader_Get(message, Self.stampHeader, &text) == NATS_OK
        stamp = isStamped ? text.flatMap { Int64(String(cString: $0)) } ?? 0 : 0
        var meta: UnsafeMutablePointer<jsMsgMetaData>?
        if natsMsg_GetMetaData(&meta, message) == NATS_OK, let meta {
            sequence = meta.pointee.Sequence.Stream
            time = meta.pointee.Timestamp
            following = meta.pointee.NumPending
            jsMsgMetaData_Destroy(meta)
        } else {
            sequence = natsMsg_GetSequence(message)
            time = natsMsg_GetTime(message)
            following = 0
        }
        guard StreamMessage.isValid(sequence) else { return nil }
    }
}

/// A message to put into a stream.
struct OutgoingMessage: Sendable {
    let subject: String
    /// The sequence of the subject's newest message, 0 for none; nil for any.
    var expected: UInt64?
    var stamp: Int64 = 0
    let body: [UInt8]

    /// The approximate bytes that are sent.
    var size: Int { body.count + 256 }
}
