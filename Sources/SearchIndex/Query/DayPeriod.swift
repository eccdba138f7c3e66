/// A period of days, as typed: `2026-11-01`, `2026-11`, `yesterday`, `tomorrow`, `monday`, `last-week`, `3d`.
package struct DayPeriod: Hashable, Sendable {
    package let typed: String
    /// The start, in milliseconds since 1970.
    package let start: Int64
    /// The end, exclusive, in milliseconds since 1970.
    package let end: Int64

    init?(_ typed: String, calendar: SearchCalendar) {
        guard let (first, next) = Self.days(typed.lowercased(), calendar) else { return nil }
        self.typed = typed
        start = calendar.start(first)
        end = calendar.start(next)
    }

    private static let weekdays = [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]
    private static let words =
        ["today", "yesterday", "tomorrow"] + weekdays
        + ["this", "last"].flatMap { which in ["week", "month", "year"].map { "\(which)-\($0)" } }

    /// Returns whether more letters could complete a period.
    static func mayBecome(_ typed: String) -> Bool {
        let typed = typed.lowercased()
        if words.contains(where: { $0.hasPrefix(typed) }) { return true }
        let isNumber = typed.utf8.allSatisfy { 48...57 ~= $0 }
        return isNumber && typed.utf8.count <= 4 && typed != "0000" || isDatePart(typed)
    }

    /// Returns whether a text is a year or a month with a hyphen, and at most the first digit after it.
    private static func isDatePart(_ typed: String) -> Bool {
        guard let hyphen = typed.lastIndex(of: "-"), date(String(typed[..<hyphen])) != nil,
            typed.split(separator: "-", omittingEmptySubsequences: false).count <= 3
        else { return false }
        let after = typed[typed.index(after: hyphen)...]
        let largest: Substring = typed[..<hyphen].contains("-") ? "3" : "1"
        return after.isEmpty || after.utf8.count == 1 && ("0"...largest).contains(after)
    }

    /// Returns the first day of the period and the first day after it.
    private static func days(_ word: String, _ calendar: SearchCalendar) -> (CalendarDay, CalendarDay)? {
        let today = calendar.today
        if let date = date(word) { return date }
        if let ago = ago(word, today) { return (ago, ago.adding(days: 1)) }
        switch word {
        case "today": return (today, today.adding(days: 1))
        case "yesterday": return (today.adding(days: -1), today)
        case "tomorrow": return (today.adding(days: 1), today.adding(days: 2))
        case "this-week", "last-week":
            let monday = today.adding(days: -calendar.weekday(today) - (word == "last-week" ? 7 : 0))
            return (monday, monday.adding(days: 7))
        case "this-month", "last-month":
            let first = CalendarDay(
                year: today.year, month: today.month - (word == "last-month" ? 1 : 0), day: 1)
            return (first, CalendarDay(year: first.year, month: first.month + 1, day: 1))
        case "this-year", "last-year":
            let year = today.year - (word == "last-year" ? 1 : 0)
            return (CalendarDay(year: year, month: 1, day: 1), CalendarDay(year: year + 1, month: 1, day: 1))
        default:
            guard let weekday = weekdays.firstIndex(where: { $0 == word || $0.prefix(3) == word }) else {
                return nil
            }
            // The most recent one; on a Monday, "monday" is today.
            let day = today.adding(days: -((calendar.weekday(today) - weekday + 7) % 7))
            return (day, day.adding(days: 1))
        }
    }

    private static func date(_ word: String) -> (CalendarDay, CalendarDay)? {
        let parts = word.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count <= 3, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { 48...57 ~= $0 } }),
            parts[0].count == 4, parts.dropFirst().allSatisfy({ $0.count <= 2 })
        else { return nil }
        let numbers = parts.compactMap { Int($0) }
        guard (1...9999).contains(numbers[0]), numbers.count < 2 || (1...12).contains(numbers[1]),
            numbers.count < 3
                || (1...CalendarDay.days(inMonth: numbers[1], of: numbers[0])).contains(numbers[2])
        else { return nil }
        switch numbers.count {
        case 1:
            return (
                CalendarDay(year: numbers[0], month: 1, day: 1),
                CalendarDay(year: numbers[0] + 1, month: 1, day: 1)
            )
        case 2:
            let first = CalendarDay(year: numbers[0], month: numbers[1], day: 1)
            return (first, CalendarDay(year: first.year, month: first.month + 1, day: 1))
        default:
            let day = CalendarDay(year: numbers[0], month: numbers[1], day: numbers[2])
            return (day, day.adding(days: 1))
        }
    }

    /// Returns the day of `3d`, `2w`, `6m`, or `1y` before today.
    private static func ago(_ word: String, _ today: CalendarDay) -> CalendarDay? {
        guard let unit = word.last, let count = Int(word.dropLast()), (0...9999).contains(count) else {
            return nil
        }
        switch unit {
        case "d": return today.adding(days: -count)
        case "w": return today.adding(days: -7 * count)
        case "m": return CalendarDay(year: today.year, month: today.month - count, day: today.day)
        case "y": return CalendarDay(year: today.year - count, month: today.month, day: today.day)
        default: return nil
        }
    }
}

extension CalendarDay {
    /// Returns the number of days of a month, in the Gregorian calendar.
    fileprivate static func days(inMonth month: Int, of year: Int) -> Int {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    /// Adds days. The calendar normalizes a day that its month does not have.
    fileprivate func adding(days: Int) -> CalendarDay {
        CalendarDay(year: year, month: month, day: day + days)
    }
}
