import FoundationEssentials

/// The published table of results.
struct SpeedTable {
    let results: Results

    var markdown: String {
        var lines = [Self.firstLine, "|---|---|---|---|---|---|---|"]
        var last = ""
        for row in results.headlines {
            let (figure, measurement) = row
            let references = ([measurement] + results.peers(of: row)).compactMap { each in
                each.referenceName.map { "\($0) \(median(each.reference, each.unit))" }
            }
            let columns = [
                figure == last ? "" : figure,
                measurement.peer.map { "– compared with \($0)" } ?? measurement.headline ?? "",
                median(measurement.ours, measurement.unit), references.joined(separator: ", "),
                measurement.resultText, measurement.goalText,
                measurement.isMet.map { $0 ? "✓ met" : "✗ missed" } ?? "",
            ]
            lines.append("| " + columns.joined(separator: " | ") + " |")
            last = figure
        }
        let (met, all) = results.goals
        lines += ["", "This run meets \(met) of \(all) goals, including goals that are not in the table."]
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
            throw BenchmarkError("\(path) has no table to replace")
        }
        let replaced = lines[..<first] + [markdown[...]] + lines[(last + 1)...]
        try Output.write(replaced.joined(separator: "\n"), to: path)
    }

    private static let firstLine = "| | Measured | Ours | Compared with | Result | Goal | |"
    private static let lastWords = "Measured on: "

    private func median(_ spread: Spread?, _ unit: Measurement.Unit) -> String {
        spread.map { Quantity($0.median, unit).text } ?? ""
    }
}
