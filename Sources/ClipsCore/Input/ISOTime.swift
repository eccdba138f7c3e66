/// Times as this program writes them, 2026-11-21T09:00:00.123Z, read from bytes: two per clip of an import.
enum ISOTime {
    /// Returns the milliseconds since 1970; nil for another form, which ``FileDate`` may read.
    static func milliseconds(_ text: String.UTF8View) -> Int64? {
        guard text.count == 24 || text.count == 20 else { return nil }
        var bytes = text.makeIterator()
        func number(_ digits: Int, until end: Unicode.Scalar) -> Int64? {
            var number: Int64 = 0
            for _ in 0..<digits {
                guard let digit = bytes.next().map({ $0 &- 0x30 }), digit < 10 else { return nil }
                number = number * 10 + Int64(digit)
            }
            return bytes.next() == UInt8(ascii: end) ? number : nil
        }
        guard let year = number(4, until: "-"), let month = number(2, until: "-"),
            let day = number(2, until: "T"),
            let hour = number(2, until: ":"), let minute = number(2, until: ":"),
            let second = number(2, until: text.count == 24 ? "." : "Z"),
            let fraction = text.count == 24 ? number(3, until: "Z") : 0,
            (1...12).contains(month), (1...31).contains(day), hour < 25, minute < 60, second < 62
        else { return nil }
        let time = ((hour * 60 + minute) * 60 + second) * 1000 + fraction
        return FileDate.days(year, month, day) * 86_400_000 + time
    }
}
