import Glibc

/// A self-contained picture with a bar for the distance of each figure from its goal.
struct SpeedPicture {
    private let results: Results
    private let rows: [Results.Row]

    private static let (rowHeight, top, width) = (26.0, 92.0, 960)

    init(_ results: Results) {
        self.results = results
        rows = results.headlines.filter { $0.measurement.isMet != nil }
    }

    private var bottom: Double { Self.top + Double(rows.count) * Self.rowHeight }
    private var height: Int { Int(bottom) + 78 }

    var svg: String {
        ([head, Self.style, heading, partings, axis] + rows.indices.map(row) + [foot, "</svg>", ""])
            .joined(separator: "\n")
    }

    private var head: String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.width)" height="\(height)" \
        viewBox="0 0 \(Self.width) \(height)" role="img" aria-labelledby="title">
        <title id="title">Figures relative to their goals: \(results.goals.met) of \(results.goals.all) \
        goals met</title>
        <defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" \
        patternTransform="rotate(45)"><rect width="6" height="6" class="missed-ground"/>\
        <rect width="2.5" height="6" class="missed-line"/></pattern></defs>
        """
    }

    /// Colors that users with color blindness can distinguish, for light and dark pages.
    private static let style = """
        <style>
        text { font: 13px system-ui, 'Segoe UI', Helvetica, Arial, sans-serif; fill: #24292f; }
        .ground { fill: #ffffff; stroke: #d0d7de; }
        .title { font-size: 17px; font-weight: 600; }
        .faint { fill: #57606a; font-size: 12px; }
        .figure { font-weight: 700; }
        .number { font-variant-numeric: tabular-nums; }
        .line { stroke: #d8dee4; }
        .parting { stroke: #eaeef2; }
        .goal { stroke: #24292f; stroke-width: 2; }
        .met { fill: #2f7fb8; }
        .missed-ground { fill: #f2b48a; } .missed-line { fill: #b4480f; }
        .missed { fill: url(#hatch); stroke: #b4480f; }
        .missed-text { fill: #a33f0b; font-weight: 700; }
        .whisker { stroke: #24292f; stroke-width: 1.5; fill: none; }
        @media (prefers-color-scheme: dark) {
        text { fill: #e6edf3; }
        .ground { fill: #161b22; stroke: #30363d; }
        .faint { fill: #9da7b3; }
        .line { stroke: #30363d; }
        .parting { stroke: #21262d; }
        .goal, .whisker { stroke: #e6edf3; }
        .met { fill: #4493c8; }
        .missed-ground { fill: #7a3b12; } .missed-line { fill: #f0883e; }
        .missed { stroke: #f0883e; }
        .missed-text { fill: #ffa657; }
        }
        </style>
        """

    private var heading: String {
        """
        <rect x="0.5" y="0.5" width="\(Self.width - 1)" height="\(height - 1)" rx="8" class="ground"/>
        \(text("Figures relative to their goals", 20, 32, "title"))
        \(text("\(results.goals.met) of \(results.goals.all) goals met. Bars to the left of the line: better than "
            + "the goal; hatched bars to the right: worse. Whiskers: range of the rounds.", 20, 52, "faint"))
        """
    }

    private var axis: String {
        let decades = [(0.01, "÷100"), (0.1, "÷10"), (1, "goal"), (10, "×10")].map { ratio, name in
            let x = number(position(of: ratio))
            return """
                <line x1="\(x)" x2="\(x)" y1="\(number(Self.top - 8))" y2="\(number(bottom + 2))" \
                class="\(ratio == 1 ? "goal" : "line")"/>
                \(text(name, position(of: ratio), Self.top - 14, "faint\" text-anchor=\"middle"))
                """
        }
        return
            (decades + [
                text("result", 700, Self.top - 14, "faint"), text("goal", 784, Self.top - 14, "faint"),
            ]).joined(separator: "\n")
    }

    private var partings: String {
        let firsts = rows.indices.dropFirst().filter { rows[$0].figure != rows[$0 - 1].figure }
        return firsts.map { index in
            let y = number(Self.top + Double(index) * Self.rowHeight)
            return "<line x1=\"20\" x2=\"\(Self.width - 20)\" y1=\"\(y)\" y2=\"\(y)\" class=\"parting\"/>"
        }.joined(separator: "\n")
    }

    private func row(_ index: Int) -> String {
        let (figure, measurement) = rows[index]
        guard let isMet = measurement.isMet, let result = measurement.result else { return "" }
        let top = Self.top + Double(index) * Self.rowHeight
        let y = top + 17
        let isFirst = index == 0 || rows[index - 1].figure != figure
        let name =
            measurement.peer.map { text("compared with \($0)", 100, y, "faint") }
            ?? text(measurement.headline ?? "", 84, y)
        return [
            isFirst ? text(figure, 20, y, "figure") : "", name, bar(measurement, top, isMet: isMet),
            text(Quantity(result.median, measurement.resultUnit).text, 700, y, "number"),
            text(measurement.goalText, 784, y, "number faint"),
            text(isMet ? "✓ met" : "✗ missed", 872, y, isMet ? nil : "missed-text"),
        ].filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// Returns the bar from the goal's line to the result, with whiskers for the range.
    private func bar(_ measurement: Measurement, _ y: Double, isMet: Bool) -> String {
        // A goal of 0 that is met has no distance.
        guard let result = measurement.result, let goal = measurement.goal,
            goal.atMost != 0 || result.median > 0
        else { return "" }
        let (line, end) = (position(of: 1), position(of: goal.distance(of: result.median)))
        let bar = """
            <rect x="\(number(min(line, end)))" y="\(number(y + 6))" width="\(number(max(2, abs(end - line))))" \
            height="14" rx="2" class="\(isMet ? "met" : "missed")"/>
            """
        guard result.count > 1 else { return bar }
        let ends = [result.least, result.greatest].map { number(position(of: goal.distance(of: $0))) }
        let caps = ends.map { "M\($0) \(number(y + 9))V\(number(y + 17))" }.joined()
        let middle = number(y + Self.rowHeight / 2)
        return bar + "\n<path d=\"M\(ends[0]) \(middle)H\(ends[1])\(caps)\" class=\"whisker\"/>"
    }

    private var foot: String {
        let parts = (results.machine?.text ?? "").split(separator: ";").map { $0.drop { $0 == " " } }
        return parts.enumerated().map { text(String($1), 20, bottom + 26 + Double($0) * 17, "faint") }
            .joined(separator: "\n")
    }

    /// Returns the horizontal position on a logarithmic axis from a hundredth of the goal to ten times it.
    private func position(of ratio: Double) -> Double { 426 + 80 * (log10(min(10, max(0.01, ratio))) + 2) }

    private func text(_ content: String, _ x: Double, _ y: Double, _ style: String? = nil) -> String {
        let escaped = content.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return
            "<text x=\"\(number(x))\" y=\"\(number(y))\"\(style.map { " class=\"\($0)\"" } ?? "")>\(escaped)</text>"
    }

    private func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
