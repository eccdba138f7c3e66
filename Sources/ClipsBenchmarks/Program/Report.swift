import FoundationEssentials

/// Prints measurements as they come: columns for people, or one JSON object a line.
struct Report {
    let isJSON: Bool
    private var hasTitle = false
    private var missed = 0

    init(isJSON: Bool) {
        self.isJSON = isJSON
    }

    mutating func add(_ result: Measurement, of figure: Figure) throws {
        if result.isMet == false { missed += 1 }
        if isJSON {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let line = JSONLine(figure: figure.name, isMet: result.isMet, measurement: result)
            return TextLine.print(String(decoding: try encoder.encode(line), as: UTF8.self))
        }
        if !hasTitle {
            printLine(
                "", "measured", "ours p50 / p90 / p99", "beside p50 / p90 / p99", "result (least..greatest)",
                "goal")
        }
        hasTitle = true
        printLine(
            figure.name, result.subject, Self.quantiles(result.ours, result.unit),
            result.besides.map { "\($0) \(Self.quantiles(result.beside, result.unit))" } ?? "",
            Self.range(result.result, result.resultUnit), Self.goal(result))
    }

    func finish() {
        if !isJSON && hasTitle {
            TextLine.print(missed == 0 ? "All goals are met." : "Goals missed: \(missed).")
        }
    }

    private func printLine(_ columns: String...) {
        let widths = [4, 40, 28, 46, 26, 0]
        let padded = zip(columns, widths).map { text, width in
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        TextLine.print(padded.joined(separator: " "))
    }

    private static func quantiles(_ spread: Spread?, _ unit: Measurement.Unit) -> String {
        guard let spread else { return "" }
        guard spread.count > 1 else { return Quantity(spread.median, unit).text }
        return [spread.median, spread.p90, spread.p99].map { Quantity($0, unit).text }.joined(
            separator: " / ")
    }

    private static func range(_ spread: Spread?, _ unit: Measurement.Unit) -> String {
        guard let spread else { return "" }
        let (median, least, greatest) = (
            Quantity(spread.median, unit).text, Quantity(spread.least, unit).text,
            Quantity(spread.greatest, unit).text
        )
        return spread.count > 1 ? "\(median) (\(least)..\(greatest))" : median
    }

    private static func goal(_ result: Measurement) -> String {
        guard let goal = result.goal else { return "" }
        let wanted = [
            goal.atMost.map { "<= " + Quantity($0, result.resultUnit).text },
            goal.atLeast.map { ">= " + Quantity($0, result.resultUnit).text },
        ]
        return wanted.compactMap { $0 }.joined(separator: ", ")
            + (result.isMet == true ? "  met" : "  MISSED")
    }
}

/// A value with its unit, as short as it can be read.
struct Quantity {
    let text: String

    init(_ value: Double, _ unit: Measurement.Unit) {
        text =
            switch unit {
            case .time: Self.time(value)
            case .memory: Self.decimal(value / 1_048_576) + "MB"
            case .count: "\(Int(value))"
            case .ratio: Self.decimal(value) + "x"
            case .load: Self.decimal(value * 1000) + "ms/s"
            }
    }

    private static func time(_ seconds: Double) -> String {
        if seconds < 0.001 { return decimal(seconds * 1_000_000) + "us" }
        return seconds < 1 ? decimal(seconds * 1000) + "ms" : decimal(seconds) + "s"
    }

    /// Three digits are all that a shared machine can promise.
    private static func decimal(_ value: Double) -> String {
        let places = value >= 100 ? 0 : value >= 10 ? 1 : 2
        let scale = [1.0, 10.0, 100.0][places]
        let whole = (value * scale).rounded() / scale
        return places == 0 ? "\(Int(whole))" : "\(whole)"
    }
}

private struct JSONLine: Encodable {
    let figure: String
    let isMet: Bool?
    let measurement: Measurement
}
