import FoundationEssentials
import PersistentStore
import Platform

/// A position in the history, or a duration, as a user writes it.
enum HistoryPoint {
    static let forms =
        "'beginning', a token, a transaction number, a date such as 2026-11-21T09:00:00Z, 'yesterday', or an age such as 7d, 12h"

    static func start(_ text: String) throws -> HistoryFetchRequest.Start {
        if text == "beginning" { return .beginning }
        if let token = HistoryToken(text) { return .after(token) }
        if let number = Int64(text), number >= 0 { return .afterTransaction(number) }
        if text == "yesterday" { return .afterDate(Date(timeIntervalSinceNow: -86_400)) }
        if let age = try? duration(text) {
            return .afterDate(Date(timeIntervalSinceNow: -Double(age.components.seconds)))
        }
        let forms = [text, text + "Z", text + "T00:00:00Z"]
        guard let date = forms.lazy.compactMap({ try? Date($0, strategy: .iso8601) }).first else {
            throw UsageError("Invalid position '\(text)'. Use \(Self.forms).")
        }
        return .afterDate(date)
    }

    static func duration(_ text: String) throws -> Duration {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let last = text.last, let unit = units[last], let count = Int(text.dropLast()),
            (0...1_000_000).contains(count)
        else { throw UsageError("Invalid duration '\(text)'. Use a number with s, m, h, or d, such as 7d.") }
        return .seconds(count * unit)
    }
}
