import FoundationEssentials
import PersistentStore

/// A place in the history, as a person writes it: a token, a transaction's number, a date, or days ago.
enum HistoryPoint {
    case token(HistoryToken)
    case transaction(Int64)
    case date(Date)

    init(_ text: String) throws(UsageError) {
        if let token = HistoryToken(text) {
            self = .token(token)
        } else if let number = Int64(text), number >= 0 {
            self = .transaction(number)
        } else if text.hasSuffix("d"), let days = Int(text.dropLast()), (0...Self.mostDays).contains(days) {
            self = .date(Date(timeIntervalSinceNow: -Double(days) * 86_400))
        } else if let date = Self.date(text) {
            self = .date(date)
        } else {
            throw UsageError(
                "'\(text)' is neither a token, nor a date like 2026-11-21T09:00:00Z, nor days ago like 30d.")
        }
    }

    private static let mostDays = 1_000_000

    private static func date(_ text: String) -> Date? {
        for text in [text, text + "Z", text + "T00:00:00Z"] {
            if let date = try? Date(text, strategy: .iso8601) { return date }
        }
        return nil
    }
}
