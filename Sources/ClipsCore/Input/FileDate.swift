/// Times in files, as milliseconds since 1970.
package enum FileDate {
    /// The milliseconds from 1601, where Chromium's times begin, to 1970.
    private static let from1601: Int64 = 11_644_473_600_000

    /// Returns the time in a text; nil if there is none, or an impossible one.
    package static func milliseconds(_ text: String) -> Int64? {
        if let time = ISOTime.milliseconds(text.utf8) { return time }
        let text = text.drop { $0.isWhitespace }
        if let number = Int64(text) { return milliseconds(number) }
        if text.utf8.count < 32, let number = Double(text), number.isFinite, abs(number) < 1e11 {
            return number == 0 ? nil : Int64((number * 1000).rounded())
        }
        let fields = fields(text)
        return iso(fields) ?? log(fields)
    }

    /// Returns the time of a number of seconds, milliseconds, microseconds (since 1970 or 1601), or
    /// nanoseconds, which its size distinguishes.
    package static func milliseconds(_ number: Int64) -> Int64? {
        switch number.magnitude {
        case 0: nil
        case ..<100_000_000_000: number * 1000
        case ..<100_000_000_000_000: number
        case ..<10_000_000_000_000_000: number / 1000
        case ..<200_000_000_000_000_000: number > 0 ? number / 1000 - from1601 : nil
        default: number / 1_000_000
        }
    }

    /// Returns the time as 2026-11-21T09:00:00.123Z.
    package static func text(_ milliseconds: Int64) -> String {
        let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        let (day, time) = rest < 0 ? (days - 1, rest + 86_400_000) : (days, rest)
        let (year, month, date) = civil(day)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        for (number, width, end) in [
            (year, 4, "-"), (month, 2, "-"), (date, 2, "T"), (time / 3_600_000, 2, ":"),
            (time / 60_000 % 60, 2, ":"), (time / 1000 % 60, 2, "."), (time % 1000, 3, "Z"),
        ] as [(Int64, Int, Unicode.Scalar)] {
            let digits = String(number).utf8
            text += repeatElement(UInt8(ascii: "0"), count: max(0, width - digits.count))
            text += digits
            text.append(UInt8(ascii: end))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the numbers and words of a time, and the signs before them.
    private static func fields(_ text: Substring) -> [(sign: Character, text: Substring)] {
        var fields: [(Character, Substring)] = []
        var rest = text.prefix(64)
        var sign: Character = " "
        while let first = rest.first {
            if first.isASCII && (first.isNumber || first.isLetter) {
                let word = rest.prefix {
                    $0.isASCII && ($0.isNumber == first.isNumber) && ($0.isNumber || $0.isLetter)
                }
                fields.append((sign, word))
                rest = rest.dropFirst(word.count)
                sign = " "
            } else {
                sign = first
                rest = rest.dropFirst()
            }
        }
        return fields
    }

    /// 2026-11-21, 2026-11-21 09:00, 2026-11-21T09:00:00.123+01:00
    private static func iso(_ fields: [(sign: Character, text: Substring)]) -> Int64? {
        var fields = fields.filter { $0.text.lowercased() != "t" }
        guard fields.count >= 3, (4...6).contains(fields[0].text.count),
            fields[1].sign == "-" || fields[1].sign == "/",
            let year = Int64(fields[0].text), let month = Int64(fields[1].text),
            let day = Int64(fields[2].text),
            (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        fields.removeFirst(3)
        guard let time = time(&fields) else { return nil }
        return days(year, month, day) * 86_400_000 + time
    }

    /// 10/Oct/2000:13:55:36 +0300; Sat, 06 Jun 20 15:50:59 +0200; 5 June 2020
    private static func log(_ fields: [(sign: Character, text: Substring)]) -> Int64? {
        let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        guard
            let index = fields.firstIndex(where: { months.contains(String($0.text.lowercased().prefix(3))) }),
            let month = months.firstIndex(of: String(fields[index].text.lowercased().prefix(3)))
        else { return nil }
        var rest = Array(fields[(index + 1)...])
        var day = index > 0 ? Int64(fields[index - 1].text) : nil
        if day == nil, !rest.isEmpty { day = Int64(rest.removeFirst().text) }
        guard let day, (1...31).contains(day), !rest.isEmpty, var year = Int64(rest.removeFirst().text) else {
            return nil
        }
        if year < 100 { year += year < 70 ? 2000 : 1900 }
        guard (1...9999).contains(year), let time = time(&rest) else { return nil }
        return days(year, Int64(month + 1), day) * 86_400_000 + time
    }

    /// Returns the time of day minus its zone; midnight if there is none.
    private static func time(_ fields: inout [(sign: Character, text: Substring)]) -> Int64? {
        var parts: [Int64] = []
        var zone: Int64 = 0
        while let (sign, text) = fields.first {
            fields.removeFirst()
            if (sign == "+" || sign == "-") && !parts.isEmpty {
                var hours = Int64(text.prefix(2)) ?? 0
                var minutes = Int64(text.dropFirst(2).prefix(2)) ?? 0
                if text.count <= 2, let next = fields.first { minutes = Int64(next.text) ?? 0 }
                hours *= sign == "-" ? -1 : 1
                minutes *= sign == "-" ? -1 : 1
                zone = hours * 60 + minutes
                break
            }
            guard let number = Int64(text.prefix(9)) else {
                // 10:13:12 PM; a zone may have a name.
                if let hour = parts.first, hour <= 12, ["am", "pm"].contains(text.lowercased()) {
                    parts[0] = hour % 12 + (text.lowercased() == "pm" ? 12 : 0)
                }
                continue
            }
            if parts.count == 3 {
                let digits = text.prefix(3)
                parts.append((Int64(digits) ?? 0) * [100, 10, 1][max(0, min(2, digits.count - 1))])
                continue
            }
            parts.append(number)
        }
        parts += [0, 0, 0, 0]
        guard parts[0] < 25, parts[1] < 60, parts[2] < 62 else { return nil }
        return ((parts[0] * 60 + parts[1] - zone) * 60 + parts[2]) * 1000 + parts[3]
    }

    /// Days since 1970 of the proleptic Gregorian calendar.
    static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }
}
