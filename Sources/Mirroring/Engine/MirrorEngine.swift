/// A relay between machines: an append-only log of records with the newest revision of each key.
///
/// The machines own the data; the relay may forget any of it. The mirror notices that from the stamps of the
/// revisions it knows, and puts what is missing.
///
/// A body is the bytes of one record, of any size. Compression, chunks, and encryption belong to the engine. An engine
/// returns a damaged record with an empty body: a machine that has the record puts it again.
public protocol MirrorEngine: Sendable {
    /// The name of this relay's log, which differs after the log was deleted and created again.
    func identity() async throws(MirrorError) -> String

    /// The key of a record, the same on every machine. It may be a keyed hash: nothing reads it back.
    func key(entity: String, uuid: String) -> String

    /// Appends revisions, in any order, and returns one result for each after the relay acknowledged it.
    ///
    /// An error may leave some of them stored; the mirror then puts them again. A put that fails after others were
    /// acknowledged is ``MirrorPutResult/failed(_:)``, so that those are not sent again.
    func put(_ puts: [MirrorPut]) async throws(MirrorError) -> [MirrorPutResult]

    /// Returns the newest revisions of some keys, without those that have none.
    func get(_ keys: [String]) async throws(MirrorError) -> [MirrorEntry]

    /// Returns the revision with a number; nil if it was never stored, was forgotten, or was removed.
    func entry(at number: Int64) async throws(MirrorError) -> MirrorRevision?

    /// Returns revisions after a number, in ascending order; an empty result means that none follow.
    ///
    /// Superseded revisions may be missing.
    func changes(after number: Int64, limit: Int) async throws(MirrorError) -> [MirrorEntry]

    /// Returns when a revision follows a number. No messages are exchanged until then.
    ///
    /// - Throws: ``MirrorError/cancelled`` if the task is cancelled.
    func waitForChanges(after number: Int64) async throws(MirrorError)

    /// Returns the newest revision of every key, without bodies, in ascending order of the numbers.
    func list() async throws(MirrorError) -> [MirrorRevision]

    /// Removes the revisions of a key up to a number; does nothing if there are none.
    func remove(_ key: String, upTo number: Int64) async throws(MirrorError)

    /// Whether deletions can be purged: all machines receive revisions in one order. True unless implemented.
    var purgesDeletions: Bool { get }
}

extension MirrorEngine {
    public var purgesDeletions: Bool { true }
}

/// An engine that transfers large bodies in parts; others transfer each body as a whole.
package protocol PartedEngine: MirrorEngine {
    /// The number of bytes above which a body is sent and received in parts.
    var largestWhole: Int { get }

    /// Sends a part of a body above `largestWhole`. A part that was acknowledged is never sent again.
    ///
    /// - Returns: The share of the body that was sent; 1 if the put can follow.
    func sendPart(of put: MirrorPut) async throws(MirrorError) -> Double

    /// Receives a part of the newest revision of a key with a deferred entry.
    ///
    /// - Returns: The share of the body that was received; 1 if `get(_:)` returns it.
    func receivePart(of key: String) async throws(MirrorError) -> Double
}

extension MirrorEngine {
    package var parts: (any PartedEngine)? { self as? any PartedEngine }
}

/// One revision of a record on the relay, without its body.
public struct MirrorRevision: Hashable, Sendable {
    public let key: String
    /// The position in the log, positive and rising. A relay that forgot revisions may assign it again.
    public let number: Int64
    /// The random number that the writer chose, which distinguishes two revisions with one number.
    package let stamp: Int64
    /// The time of the relay in milliseconds since 1970.
    package let time: Int64

    public init(key: String, number: Int64, stamp: Int64, time: Int64) {
        self.key = key
        self.number = number
        self.stamp = stamp
        self.time = time
    }
}

/// One revision of a record, as read from the relay.
public struct MirrorEntry: Hashable, Sendable {
    public let revision: MirrorRevision
    package let body: [UInt8]
    /// Whether the body must be received in parts first.
    package let isDeferred: Bool

    public init(revision: MirrorRevision, body: [UInt8]) {
        (self.revision, self.body, isDeferred) = (revision, body, false)
    }

    /// Creates an entry whose body must be received in parts.
    package init(deferred revision: MirrorRevision) {
        (self.revision, body, isDeferred) = (revision, [], true)
    }
}

extension MirrorEntry {
    /// The body of a request for a record of which a machine received damaged bytes: others put it again.
    static let request = Array("?".utf8)

    /// Whether the record is damaged, or requested by a machine that received it damaged.
    var lacksRecord: Bool { body.isEmpty || body == Self.request }
}

/// One revision to append.
public struct MirrorPut: Hashable, Sendable {
    public let key: String
    /// The number of the newest revision of the key that the machine has read; 0 if there is none.
    public let expected: Int64
    public let stamp: Int64
    public let body: [UInt8]

    package init(key: String, expected: Int64, stamp: Int64, body: [UInt8]) {
        self.key = key
        self.expected = expected
        self.stamp = stamp
        self.body = body
    }
}

/// The result of one put.
@nonexhaustive
public enum MirrorPutResult: Equatable, Sendable {
    /// The revision was stored under this number, and those that it superseded may be removed.
    case stored(Int64)
    /// Nothing was stored: another revision than the expected one is the newest.
    case outdated
    /// Nothing was stored: the relay accepts fewer bytes.
    case tooLarge
    /// Nothing was acknowledged; the mirror puts it again.
    case failed(MirrorError)
}
