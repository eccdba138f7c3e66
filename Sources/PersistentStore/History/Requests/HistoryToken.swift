package import FoundationEssentials

/// A position in the history of one store: everything up to it has been processed.
///
/// Tokens of one store compare by position, never by time. The text form is stable and may be stored
/// anywhere.
public struct HistoryToken: Hashable, Sendable {
    package let storeID: UUID
    /// The generation of the store. Tokens of an older generation have expired: between the two, changes went
    /// unrecorded.
    package let generation: Int64
    /// The number of the last processed transaction; 0 before the first.
    public let number: Int64

    package init(storeID: UUID, generation: Int64, number: Int64) {
        self.storeID = storeID
        self.generation = generation
        self.number = number
    }

    /// Whether the token's position is before another's; nil for tokens of two stores, which have no order.
    package func precedes(_ other: HistoryToken) -> Bool? {
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

/// A point in the history as a user writes it.
package enum HistoryPoint {
    case token(HistoryToken)
    case transaction(Int64)
    case date(Date)

    package static let forms =
        "a token, a transaction number, a date such as 2026-11-21T09:00:00Z, 'yesterday', or an age such as 30d or '12 hours ago'"

    /// The form of a duration, for an error.
    package static let durationForm = "a number with s, m, h, or d, such as 7d"

    package init?(_ text: String) {
        if let token = HistoryToken(text) {
            self = .token(token)
        } else if let number = Int64(text), number >= 0 {
            self = .transaction(number)
        } else if let age = Self.duration(text == "yesterday" ? "1d" : Self.age(text)) {
            self = .age(age)
        } else if let date = Self.date(text) {
            self = .date(date)
        } else {
            return nil
        }
    }

    package static func age(_ age: Duration) -> HistoryPoint {
        .date(Date(timeIntervalSinceNow: -Double(age.components.seconds)))
    }

    package var start: HistoryFetchRequest.Start {
        switch self {
        case .token(let token): .after(token)
        case .transaction(let number): .afterTransaction(number)
        case .date(let date): .afterDate(date)
        }
    }

    /// Returns the short form of an age such as `10 minutes ago`; any other text unchanged.
    private static func age(_ text: String) -> String {
        let words = text.split(separator: " ")
        let units = ["second": "s", "minute": "m", "hour": "h", "day": "d"]
        guard words.count == 3, words[2] == "ago",
            let unit = units[String(words[1].hasSuffix("s") ? words[1].dropLast() : words[1])]
        else { return text }
        return words[0] + unit
    }

    /// Returns the duration of a number with a unit, such as `30d`.
    package static func duration(_ text: String) -> Duration? {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()),
            (0...1_000_000).contains(count)
        else { return nil }
        return .seconds(count * unit)
    }

    private static func date(_ text: String) -> Date? {
        [text, text + "Z", text + "T00:00:00Z"].lazy.compactMap { try? Date($0, strategy: .iso8601) }.first
    }
}
