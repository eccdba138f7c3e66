extension Value {
    /// The JSON form of a text or an integer for SQLite's JSON functions, which end a text at NUL.
    var quotedJSON: String? {
        switch self {
        case .text(let text): Self.quoted(text)
        case .integer(let number): String(number)
        case .null, .real, .blob: nil
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
