/// A report that prints measurements as they arrive: as columns of text, or as one JSON object per line.
struct Report {
    private let isJSON: Bool
    private let path: String?
    private var lines: [String] = []
    private var hasTitle = false
    private var goals = 0
    private var missed: [String] = []

    init(_ options: Options) throws {
        isJSON = options.isJSON
        path = options.results
        let machine = Machine(options)
        if !isJSON { TextLine.print(machine.text) }
        try put(ResultLine(machine))
    }

    mutating func add(_ result: Measurement, of figure: Figure) throws {
        try put(ResultLine(figure, result))
        if result.isMet != nil { goals += 1 }
        if result.isMet == false { missed.append("\(figure.name) \(result.subject)") }
        if isJSON { return }
        if !hasTitle {
            printLine(
                "", "measured", "ours p50 / p90 / p99", "beside p50 / p90 / p99", "result (least..greatest)",
                "goal")
        }
        hasTitle = true
        printLine(
            figure.name, result.subject, result.oursText,
            result.besides.map { "\($0) \(result.besideText)" } ?? "", result.resultText, Self.goal(result))
    }

    func finish() {
        guard !isJSON, hasTitle else { return }
        TextLine.print("\(goals - missed.count) of \(goals) goals are met.")
        for name in missed { TextLine.print("missed: \(name)") }
    }

    /// Writes a line; the file is complete after each line.
    private mutating func put(_ line: ResultLine) throws {
        let text = try line.json
        if isJSON { TextLine.print(text) }
        guard let path else { return }
        lines.append(text)
        try TextLine.write(lines.joined(separator: "\n") + "\n", to: path)
    }

    private func printLine(_ columns: String...) {
        let widths = [5, 52, 28, 46, 26, 0]
        let padded = zip(columns, widths).map { text, width in
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        TextLine.print(padded.joined(separator: " "))
    }

    private static func goal(_ result: Measurement) -> String {
        result.goalText.map { $0 + (result.isMet == true ? "  met" : "  MISSED") } ?? ""
    }
}
