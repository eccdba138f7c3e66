public import FoundationEssentials
import Platform
import Synchronization

/// The ID of one object of a store; a key is never reused.
///
/// IDs from a context, a snapshot, or the history also contain a digest of the ID of the store.
/// A store refuses an ID of another store. A copy of a store has the same ID until it is restored, so IDs are
/// valid in both; after a restore, all earlier IDs are refused. An ID created without a store is valid in every
/// store, but differs from the ID that the store returns for the object.
public struct ObjectID: Hashable, Sendable {
    public let entity: String
    /// The key in the store, which an external writer may choose freely. An object that is not saved yet has a
    /// negative number that no other context uses.
    public let key: Int64
    /// The digest of the store, and in its unused bit whether the ID is temporary.
    private let origin: UInt64

    var store: StoreDigest { StoreDigest(bits: origin) }

    /// Whether the ID is that of a saved object. A temporary ID never equals one, regardless of its key.
    package var isPermanent: Bool { origin & StoreDigest.unusedBit == 0 }

    private static let firstTemporaryKey = Int64.random(in: -1 << 62..<0)
    private static let lastTemporaryKey = Atomic(firstTemporaryKey)

    /// Whether this process has given the key to an unsaved object.
    static func isTemporary(key: Int64) -> Bool {
        key < firstTemporaryKey && key >= lastTemporaryKey.load(ordering: .relaxed)
    }

    public init(entity: String, key: Int64, storeID: UUID? = nil) {
        self.init(entity: entity, key: key, store: storeID.map(StoreDigest.init) ?? .none)
    }

    init(entity: String, key: Int64, store: StoreDigest) {
        self.init(entity: entity, key: key, store: store, isPermanent: true)
    }

    /// Creates a temporary ID.
    init(temporaryIn store: StoreDigest, entity: String) {
        self.init(
            entity: entity, key: Self.lastTemporaryKey.subtract(1, ordering: .relaxed).newValue, store: store,
            isPermanent: false)
    }

    init(entity: String, key: Int64, store: StoreDigest, isPermanent: Bool) {
        self.entity = entity
        self.key = key
        origin = store.bits | (isPermanent ? 0 : StoreDigest.unusedBit)
    }

    /// Returns the ID with the digest of a store.
    func valid(in store: StoreDigest) -> ObjectID {
        ObjectID(entity: entity, key: key, store: store, isPermanent: isPermanent)
    }

    /// Whether the ID is valid in a store: it was created for that store, or without one.
    package func isValid(inStore id: UUID) -> Bool { isValid(in: StoreDigest(id)) }

    func isValid(in other: StoreDigest) -> Bool { store == .none || store == other }
}

extension ObjectID: CustomStringConvertible {
    public var description: String { isPermanent ? "\(entity) \(key)" : "unsaved \(entity) \(key)" }
}

/// The first 63 bits of a store ID. Store IDs are random, so they distinguish stores, and an ID
/// remains small.
struct StoreDigest: Hashable, Sendable {
    fileprivate let bits: UInt64
    fileprivate static let unusedBit: UInt64 = 1

    /// Stands for no store; not an optional, which would be larger.
    static let none = StoreDigest(bits: 0)

    fileprivate init(bits: UInt64) { self.bits = bits & ~Self.unusedBit }

    init(_ id: UUID) {
        self.init(
            bits: withUnsafeBytes(of: id.uuid) { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) })
    }
}

extension StoreDigest: LosslessStringConvertible {
    init?(_ description: String) {
        guard description.utf8.count == 16, let bits = UInt64(description, radix: 16) else { return nil }
        self.init(bits: bits)
    }

    /// The bits as 16 hexadecimal digits.
    var description: String { bits.hexadecimal(digits: 16) }
}

/// The coded form is stable: `{"entity":"Note","key":7,"store":"0f3a9c…"}`, with the first 63 bits of the
/// store ID as 16 hexadecimal digits, without `store` for an ID without a store, and with `"temporary":true` for a
/// temporary one.
extension ObjectID: Codable {
    private enum CodingKeys: String, CodingKey {
        case entity, key, store, temporary
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let digits = try container.decodeIfPresent(String.self, forKey: .store)
        guard let store = digits.map(StoreDigest.init) ?? StoreDigest.none else {
            throw DecodingError.dataCorruptedError(
                forKey: .store, in: container, debugDescription: "not the digits of a store ID")
        }
        self.init(
            entity: try container.decode(String.self, forKey: .entity),
            key: try container.decode(Int64.self, forKey: .key), store: store,
            isPermanent: try container.decodeIfPresent(Bool.self, forKey: .temporary) != true)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(entity, forKey: .entity)
        try container.encode(key, forKey: .key)
        try container.encodeIfPresent(store == .none ? nil : store.description, forKey: .store)
        if !isPermanent { try container.encode(true, forKey: .temporary) }
    }
}
