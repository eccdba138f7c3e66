/// The text of manual pages.
package enum ManualText {
    /// Characters that roff would interpret or replace are named (groff_char(7)).
    package static func escaped(_ text: String) -> String {
        var result = text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\(rs"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "\"": result += "\\(dq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
            }
        }
        return result
    }

    package static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// Returns the first paragraphs of a command.
    package static func description(_ summary: String, details: String) -> [String] {
        let details = details.split(separator: "\n").map { escaped(String($0)) }
        return [escaped(summary + ".")] + (details.isEmpty ? [] : [".PP"]) + details
    }

    package static func options(_ options: [Option]) -> [String] {
        options.flatMap { option in
            let value = option.value.map { " \\fI\(escaped($0))\\fR" } ?? ""
            return [".TP", "\\fB\(escaped(option.name))\\fR\(value)", escaped(option.help)]
        }
    }

    package static func example(_ call: String) -> [String] {
        [".PP", "Example:", ".PP", ".nf", ".RS", escaped(call), ".RE", ".fi"]
    }
}
