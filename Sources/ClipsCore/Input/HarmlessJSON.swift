/// JSON that may be looked at on a terminal.
///
/// JSON itself escapes the controls below U+0020 only. Terminals obey those from U+007F to U+009F as well, and show
/// text behind a direction mark in another order than it has.
package enum HarmlessJSON {
    /// The same JSON with such characters escaped; they can stand in strings only.
    package static func text(_ json: String) -> String {
        // What such characters begin with in UTF-8.
        let isSuspect = json.utf8.contains {
            $0 >= 0x7F && ($0 == 0x7F || $0 == 0xC2 || $0 == 0xD8 || $0 == 0xE2)
        }
        guard isSuspect else { return json }
        var harmless = String.UnicodeScalarView()
        for scalar in json.unicodeScalars {
            switch scalar.value {
            case 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069:
                let digits = String(scalar.value, radix: 16)
                harmless.append(
                    contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)"
                        .unicodeScalars)
            default: harmless.append(scalar)
            }
        }
        return String(harmless)
    }
}
