public import FoundationEssentials

/// A position in the history of one store: everything up to it has been processed.
///
/// Tokens of one store compare by position, never by time. The text form is stable and may be stored
/// anywhere.
public struct HistoryToken: Hashable, Sendable {
    public let storeID: UUID
    /// The generation of the store. Tokens of an older generation have expired: between the two, changes went
    /// unrecorded.
    public let generation: Int64
    /// The number of the last processed transaction; 0 before the first.
    public let number: Int64

    package init(storeID: UUID, generation: Int64, number: Int64) {
        self.storeID = storeID
        self.generation = generation
        self.number = number
    }

    /// Whether the token's position is before another's; nil for tokens of two stores, which have no order.
    public func precedes(_ other: HistoryToken) -> Bool? {
        guard storeID == other.storeID else { return nil }
        return (generation, number) < (other.generation, other.number)
    }
}

extension HistoryToken: LosslessStringConvertible {
    public init?(_ description: String) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let id = UUID(uuidString: String(parts[0])), let generation = Int64(parts[1]),
            let number = Int64(parts[2]), generation >= 1, number >= 0
        else { return nil }
        self.init(storeID: id, generation: generation, number: number)
    }

    public var description: String { "\(storeID.uuidString.lowercased()).\(generation).\(number)" }
}

extension HistoryToken: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let token = HistoryToken(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a history token")
        }
        self = token
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
