extension SafeText {
    /// JSON with every scalar escaped that ``line(_:)`` would not show as it is: controls, format characters, and
    /// anything without a glyph of its own.
    ///
    /// JSON itself requires this for the controls below U+0020 only. Such scalars are in strings alone, so the value
    /// stays the same.
    package static func json(_ json: String) -> String {
        guard !json.utf8.allSatisfy({ $0 < 0x7F }) else { return json }
        var safe = String.UnicodeScalarView()
        for scalar in json.unicodeScalars {
            guard scalar.value >= 0x7F, isHidden(scalar) else {
                safe.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                safe.append(
                    contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)"
                        .unicodeScalars)
            }
        }
        return String(safe)
    }

    /// Whether a scalar is left out, or another one is shown for it.
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        !line(String(scalar)).unicodeScalars.contains(scalar)
    }
}
