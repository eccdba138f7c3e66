import Glibc
import PersistentStore

/// A day of the calendar.
package struct CalendarDay: Hashable, Sendable {
    package var year: Int
    package var month: Int
    package var day: Int
}

/// The clock and the calendar of a search.
package struct SearchCalendar: Sendable {
    /// Milliseconds since 1970.
    package let now: @Sendable () -> Int64
    /// The time at which a day begins; days outside their month are in the following or preceding months.
    package let start: @Sendable (CalendarDay) -> Int64
    package let day: @Sendable (_ milliseconds: Int64) -> CalendarDay

    /// The system's clock and time zone. Foundation would require the part with the time zone names, not only
    /// FoundationEssentials.
    package static let local = SearchCalendar(
        now: StoreOptions.systemMilliseconds,
        start: { day in
            var fields = day.fields
            fields.tm_isdst = -1
            return Int64(mktime(&fields)) * 1000
        },
        day: { milliseconds in
            var seconds = time_t((Double(milliseconds) / 1000).rounded(.down))
            var fields = tm()
            localtime_r(&seconds, &fields)
            return CalendarDay(fields)
        })

    /// Returns a calendar with a fixed offset from UTC and a fixed time.
    package static func fixed(now: Int64, secondsFromGMT: Int64) -> SearchCalendar {
        SearchCalendar(
            now: { now },
            start: { day in
                var fields = day.fields
                return (Int64(timegm(&fields)) - secondsFromGMT) * 1000
            },
            day: { milliseconds in
                var seconds = time_t((Double(milliseconds) / 1000).rounded(.down)) + Int(secondsFromGMT)
                var fields = tm()
                gmtime_r(&seconds, &fields)
                return CalendarDay(fields)
            })
    }

    package var today: CalendarDay { day(now()) }

    /// Returns the day of the week, 0 for Monday.
    func weekday(_ day: CalendarDay) -> Int {
        var fields = day.fields
        timegm(&fields)
        return Int(fields.tm_wday + 6) % 7
    }
}

extension CalendarDay {
    init(_ fields: tm) {
        self.init(year: Int(fields.tm_year) + 1900, month: Int(fields.tm_mon) + 1, day: Int(fields.tm_mday))
    }

    fileprivate var fields: tm {
        var fields = tm()
        fields.tm_year = Int32(year - 1900)
        fields.tm_mon = Int32(month - 1)
        fields.tm_mday = Int32(day)
        return fields
    }
}
