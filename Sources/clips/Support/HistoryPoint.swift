import ClipsCore
import FoundationEssentials
import PersistentStore
import Platform

/// A point in the history as a user writes it.
enum HistoryPoint {
    case token(HistoryToken)
    case transaction(Int64)
    case date(Date)

    init?(_ text: String) {
        if let token = HistoryToken(text) {
            self = .token(token)
        } else if let number = Int64(text), number >= 0 {
            self = .transaction(number)
        } else if text.hasSuffix("d"), let days = Int(text.dropLast()), (0...1_000_000).contains(days) {
            self = .days(days)
        } else if let date = Self.date(text) {
            self = .date(date)
        } else {
            return nil
        }
    }

    /// The point a number of days ago.
    static func days(_ days: Int) -> HistoryPoint {
        .date(Date(timeIntervalSinceNow: -Double(days) * 86_400))
    }

    private static func date(_ text: String) -> Date? {
        [text, text + "Z", text + "T00:00:00Z"].lazy.compactMap { try? Date($0, strategy: .iso8601) }.first
    }
}

extension Arguments {
    func point(_ name: String) throws(UsageError) -> HistoryPoint? {
        let forms =
            "a token, a transaction number, a date such as 2026-11-21T09:00:00Z, or an age such as 30d"
        return try value(name, expected: forms) { HistoryPoint($0) }
    }
}
