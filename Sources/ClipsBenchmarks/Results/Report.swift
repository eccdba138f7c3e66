/// A report that prints measurements as they arrive: as columns of text, or as one JSON object per line.
struct Report {
    private let path: String?
    private var lines: [String] = []
    private var goals = 0
    private var missed: [String] = []

    init(_ options: Options) throws {
        path = options["--results"]
        let machine = Machine(options)
        Output.print(machine.text)
        try write(ResultLine(machine: machine))
    }

    mutating func add(_ result: Measurement, of figure: Figure) throws {
        let isFirst = lines.count == 1
        try write(ResultLine(figure, result))
        if result.isMet != nil { goals += 1 }
        if result.isMet == false { missed.append("\(figure.name) \(result.subject)") }
        if isFirst {
            printColumns(
                "", "measured", "ours p50 / p90 / p99", "reference p50 / p90 / p99",
                "result (least–greatest)", "goal")
        }
        let reference = result.referenceName.map { "\($0) \(result.reference?.text(result.unit) ?? "")" }
        let judgement = result.isMet.map { $0 ? "  met" : "  MISSED" } ?? ""
        printColumns(
            figure.name, result.subject, result.ours?.text(result.unit) ?? "", reference ?? "",
            result.resultText, result.goalText + judgement)
    }

    func finish() {
        guard lines.count > 1 else { return }
        Output.print("\(goals - missed.count) of \(goals) goals are met.")
        for name in missed { Output.print("missed: \(name)") }
    }

    /// Writes a line; the file is complete after each line.
    private mutating func write(_ line: ResultLine) throws {
        lines.append(try line.json)
        if let path { try Output.write(lines.joined(separator: "\n") + "\n", to: path) }
    }

    private func printColumns(_ columns: String...) {
        let padded = zip(columns, [5, 52, 28, 46, 26, 0]).map { $0.padded(to: $1) }
        Output.print(padded.joined(separator: " "))
    }
}

extension String {
    /// Returns the text with spaces after it, up to a width.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
