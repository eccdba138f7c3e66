import ClipsCore
import FoundationEssentials
import Glibc
import PersistentStore
import SearchIndex

/// A filter of the history screen, such as `author:cli since:2h before:2026-11-01`.
struct HistoryFilter: Hashable, Sendable {
    private(set) var text = ""
    private(set) var authors: [String] = []
    private(set) var since: Date?
    private(set) var before: Date?

    static let usage =
        "author:NAME, since:TIME, or before:TIME; a time is 2h, 3d, today, 2026-11-01, or 2026-11-01T14:00"

    init() {}

    /// Parses a filter. A word without a colon is an author, or the time of the oldest transaction; a name with spaces is
    /// in quotes.
    ///
    /// - Throws: ``ClipsAppError`` for an unknown field or an invalid time.
    init(_ text: String, now: Date) throws(ClipsAppError) {
        self.text = text.split(separator: " ").joined(separator: " ")
        // As the history shows them, without quotes.
        let window = ClipAuthor.window(shownAs: self.text)
        let isWindow = window.map { !$0.author.contains(where: " :\"".contains) } ?? false
        guard !isWindow, !AuthorName.isUnknown(self.text) else {
            authors = [Self.author(self.text[...])]
            return
        }
        for word in Self.words(text) {
            let parts = word.split(separator: ":", maxSplits: 1)
            switch (parts.first?.lowercased(), parts.count) {
            case ("author", 2): add(Self.author(parts[1]))
            case ("since", 2): since = try Self.time(parts[1], now)
            case ("before", 2): before = try Self.time(parts[1], now)
            case (_, 1) where !word.contains(":"):
                if let time = try? Self.time(word[...], now) {
                    since = time
                    let words = self.text.split(separator: " ")
                    self.text = words.map { $0 == word ? "since:\(word)" : $0 }.joined(separator: " ")
                } else {
                    add(Self.author(word[...]))
                }
            default:
                throw ClipsAppError("Invalid history filter '\(word)'. Use \(Self.usage).")
            }
        }
    }

    /// Adds an author, whose name is usually in lower case.
    private mutating func add(_ author: String) {
        for name in [author, author.lowercased()] where !authors.contains(name) { authors.append(name) }
    }

    private static func author(_ name: Substring) -> String {
        AuthorName.isUnknown(String(name)) ? AuthorName.unknown : String(name)
    }

    /// Returns the words without quotes, between which a word may have spaces.
    private static func words(_ text: String) -> [String] {
        var (words, word, isQuoted) = ([String](), "", false)
        for character in text + " " {
            if character == "\"" {
                isQuoted.toggle()
            } else if character != " " || isQuoted {
                word.append(character)
            } else {
                words.append(word)
                word = ""
            }
        }
        return (words + [word.trimmed]).filter { !$0.isEmpty }
    }

    var isEmpty: Bool { text.isEmpty }

    var predicate: TransactionPredicate? {
        var parts: [TransactionPredicate] = []
        if !authors.isEmpty { parts.append(.or(authors.map(ClipAuthor.transactions(shownAs:)))) }
        if let since { parts.append(.after(since)) }
        if let before { parts.append(.before(before)) }
        return parts.isEmpty ? nil : .and(parts)
    }

    func admits(_ transaction: TransactionSummary) -> Bool {
        (authors.isEmpty || authors.contains(where: transaction.isBy))
            && since.map { transaction.timestamp > $0 } ?? true
            && before.map { transaction.timestamp < $0 } ?? true
    }

    /// The days before today.
    private static let days = ["today": 0, "yesterday": 1]

    /// Parses a time ago, such as `2h`, a day, or a local date with an optional time.
    private static func time(_ text: Substring, _ now: Date) throws(ClipsAppError) -> Date {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400]
        if let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()),
            (0...100_000).contains(count)
        {
            return now - Double(count) * unit
        }
        if let count = days[text.lowercased()] {
            var day = SearchCalendar.local.day(now.milliseconds)
            day.day -= count
            return Date(milliseconds: SearchCalendar.local.start(day))
        }
        let halves = text.split(separator: "T", omittingEmptySubsequences: false)
        let day = halves[0].split(separator: "-", omittingEmptySubsequences: false).map { Int32($0) }
        let clock =
            halves.count > 1
            ? halves[1].split(separator: ":", omittingEmptySubsequences: false).map { Int32($0) } : [0, 0]
        guard halves.count <= 2, day.count == 3, clock.count == 2, let year = day[0], let month = day[1],
            let date = day[2], let hour = clock[0], let minute = clock[1], (1970...9999).contains(year),
            (1...12).contains(month), (1...31).contains(date), (0...23).contains(hour),
            (0...59).contains(minute)
        else {
            throw ClipsAppError(
                "Invalid time '\(text)'. Use 2h, 3d, today, yesterday, 2026-11-01, or 2026-11-01T14:00.")
        }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, month - 1, date)
        (parts.tm_hour, parts.tm_min, parts.tm_isdst) = (hour, minute, -1)
        return Date(timeIntervalSince1970: Double(mktime(&parts)))
    }
}
