import Platform

extension SafeText {
    /// Returns JSON in which every scalar that ``line(_:)`` would change is escaped: controls, format
    /// characters, and scalars without a glyph.
    ///
    /// JSON requires this only for controls below U+0020. Such scalars occur only in strings, so the value is
    /// unchanged.
    package static func json(_ json: String) -> String {
        guard !json.utf8.allSatisfy({ $0 < 0x7F }) else { return json }
        var safe = String.UnicodeScalarView()
        for scalar in json.unicodeScalars {
            guard scalar.value >= 0x7F, isHidden(scalar) else {
                safe.append(scalar)
                continue
            }
            for unit in scalar.utf16 { safe += JSONEscaping.escape(UInt32(unit)).unicodeScalars }
        }
        return String(safe)
    }

    /// Returns whether a scalar is omitted or replaced when it is shown.
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        !line(String(scalar)).unicodeScalars.contains(scalar)
    }
}
