import FoundationEssentials
import Glibc

/// How long ago something was, in at most six columns.
struct Age {
    let text: String
    /// `now`, `5m ago`, `Nov 3`.
    var sentence: String { isRelative && text != "now" ? text + " ago" : text }
    private var isRelative: Bool { changes != nil }
    /// When another text will be due; nil when never.
    let changes: Date?

    init(of date: Date, at now: Date) {
        let seconds = Int(max(0, min(now.timeIntervalSince(date), 1e11)))
        let step: Int?
        switch seconds {
        case ..<2: (text, step) = ("now", 2)
        case ..<60: (text, step) = ("\(seconds)s", 1)
        case ..<3600: (text, step) = ("\(seconds / 60)m", 60)
        case ..<86400: (text, step) = ("\(seconds / 3600)h", 3600)
        case ..<(7 * 86400): (text, step) = ("\(seconds / 86400)d", 86400)
        default:
            let (then, today) = (LocalTime(date), LocalTime(now))
            text = then.year == today.year ? "\(then.month) \(then.day)" : "\(then.year)"
            step = nil
        }
        changes = step.map { date + Double((seconds / $0 + 1) * $0) }
    }
}

/// A time as the person's clocks show it.
struct LocalTime {
    private let parts: tm

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    init(_ date: Date) {
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
    var dateAndTime: String {
        "\(year)-\(Self.twoDigits(parts.tm_mon + 1))-\(Self.twoDigits(parts.tm_mday)) \(clock.prefix(5))"
    }

    private static func twoDigits(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
