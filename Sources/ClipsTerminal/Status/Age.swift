package import FoundationEssentials
import Glibc

/// The age of a date, in at most six columns.
package struct Age {
    package let text: String
    /// `now`, `5m ago`, `Nov 3`.
    var sentence: String { isRelative && text != "now" ? text + " ago" : text }
    /// Whether the text is a time span rather than a date.
    let isRelative: Bool

    package init(of date: Date, at now: Date) {
        let seconds = Self.seconds(from: date, to: now)
        let step = Self.step(of: seconds)
        isRelative = step != nil
        switch step {
        case 2: text = "now"
        case 1: text = "\(seconds)s"
        case 60: text = "\(seconds / 60)m"
        case 3600: text = "\(seconds / 3600)h"
        case .some: text = "\(seconds / 86400)d"
        case nil:
            let (then, today) = (LocalTime(date), LocalTime(now))
            text = then.year == today.year ? "\(then.month) \(then.day)" : "\(then.year)"
        }
    }

    /// Returns the start and the end of the time in which the text remains, within a calendar year.
    static func period(of date: Date, at now: Date) -> (start: Date, end: Date) {
        let seconds = seconds(from: date, to: now)
        guard let step = step(of: seconds) else { return (date + Double(7 * 86400), .distantFuture) }
        let start = seconds / step * step
        return (start == 0 ? .distantPast : date + Double(start), date + Double(start + step))
    }

    /// Returns the time when the text next changes; nil if it does not.
    static func change(of date: Date, at now: Date) -> Date? {
        let end = period(of: date, at: now).end
        return end == .distantFuture ? nil : end
    }

    private static func seconds(from date: Date, to now: Date) -> Int {
        Int(max(0, min(now.timeIntervalSince(date), 1e11)))
    }

    /// Returns the unit of the text, in seconds; nil for a date.
    private static func step(of seconds: Int) -> Int? {
        switch seconds {
        case ..<2: 2
        case ..<60: 1
        case ..<3600: 60
        case ..<86400: 3600
        case ..<(7 * 86400): 86400
        default: nil
        }
    }
}

/// A date in the local time zone.
package struct LocalTime {
    let parts: tm

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    package init(_ date: Date) {
        var seconds = time_t(max(-6e10, min(date.timeIntervalSince1970, 2.5e11)).rounded(.down))
        var parts = tm()
        localtime_r(&seconds, &parts)
        self.parts = parts
    }

    var year: Int { Int(parts.tm_year) + 1900 }
    var month: String { Self.months[max(0, min(Int(parts.tm_mon), 11))] }
    var day: Int { Int(parts.tm_mday) }

    /// `14:05:09`
    var clock: String {
        [parts.tm_hour, parts.tm_min, parts.tm_sec].map(Self.twoDigits).joined(separator: ":")
    }

    /// `2026-11-21 14:05`
    package var dateAndTime: String { String(dateAndClock.dropLast(3)) }

    /// `2026-11-21 14:05:09`
    var dateAndClock: String {
        "\(year)-\(Self.twoDigits(parts.tm_mon + 1))-\(Self.twoDigits(parts.tm_mday)) \(clock)"
    }

    /// `2026-11-21 14:05:09 +0100`
    package var full: String {
        let minutes = abs(Int(parts.tm_gmtoff)) / 60
        let offset = Self.twoDigits(CInt(minutes / 60)) + Self.twoDigits(CInt(minutes % 60))
        return "\(dateAndClock) \(parts.tm_gmtoff < 0 ? "-" : "+")\(offset)"
    }

    private static func twoDigits(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// The form of dates, in the language of strftime(3).
struct DateFormat: Hashable, Sendable {
    static let standard = DateFormat(pattern: "%Y-%m-%d %H:%M")

    let pattern: String

    /// Whether there are only conversions of one line, and at least one.
    var isValid: Bool {
        let rest = pattern.replacing(
            #/%[-_0^#]*[0-9]{0,3}[EO]?[aAbBcCdDeFgGhHIjklmMpPrRsSTuUVwWxXyYzZ%]/#, with: "")
        return rest != pattern && !rest.contains("%") && !text(Date()).isEmpty
    }

    func text(_ date: Date) -> String {
        var parts = LocalTime(date).parts
        var bytes = [CChar](repeating: 0, count: 256)
        let count = strftime(&bytes, bytes.count, pattern, &parts)
        return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
