import FoundationEssentials

/// The table of the README.
struct SpeedTable {
    private let results: Results

    init(_ results: Results) { self.results = results }

    var markdown: String {
        var lines = [Self.firstLine, "|---|---|---|---|---|---|---|"]
        var last = ""
        for row in results.headlines {
            let figure = row.figure == last ? "" : row.figure
            last = row.figure
            lines.append("| " + ([figure] + columns(row)).joined(separator: " | ") + " |")
        }
        let (met, all) = results.goals
        lines += [
            "", "This run meets \(met) of \(all) goals, including goals that are not in the table.",
        ]
        if let machine = results.machine, machine.load > Double(machine.cores) {
            lines.append(
                "The machine was busy with other work (a load of \(Int(machine.load)) on \(machine.cores) cores): "
                    + "times are longer and vary more.")
        }
        lines.append(Self.lastWords + (results.machine?.text ?? "an unknown machine") + ".")
        return lines.joined(separator: "\n")
    }

    /// Replaces the table in a file.
    func replace(in path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw BenchmarkError("cannot read \(path)")
        }
        let lines = String(decoding: data, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.firstIndex(of: Self.firstLine[...]),
            let last = lines[first...].firstIndex(where: { $0.hasPrefix(Self.lastWords) })
        else {
            throw BenchmarkError("\(path) has no table to replace: insert the output of --markdown first")
        }
        let replaced = lines[..<first] + [markdown[...]] + lines[(last + 1)...]
        try TextLine.write(replaced.joined(separator: "\n"), to: path)
    }

    private static let firstLine = "| | What | Measured | Beside | Result | Goal | |"
    private static let lastWords = "Measured on: "

    private func columns(_ row: Results.Row) -> [String] {
        let measurement = row.measurement
        let judgement = measurement.isMet.map { $0 ? "✓ met" : "✗ missed" } ?? ""
        return [
            name(measurement), median(measurement.ours, measurement.unit), beside(row),
            range(measurement), goal(measurement), judgement,
        ]
    }

    private func name(_ measurement: Measurement) -> String {
        let headline = measurement.headline ?? measurement.subject
        return measurement.peer.map { "– beside \($0)" } ?? headline
    }

    private func beside(_ row: Results.Row) -> String {
        ([row.measurement] + results.peers(of: row)).compactMap { beside in
            beside.besides.map { "\($0) \(median(beside.beside, beside.unit))" }
        }.joined(separator: ", ")
    }

    private func median(_ spread: Spread?, _ unit: Measurement.Unit) -> String {
        spread.map { Quantity($0.median, unit).text } ?? ""
    }

    private func range(_ measurement: Measurement) -> String {
        measurement.resultText.replacing("..", with: "–")
    }

    private func goal(_ measurement: Measurement) -> String {
        measurement.goalText.map { $0.replacing("<=", with: "≤").replacing(">=", with: "≥") } ?? ""
    }
}
