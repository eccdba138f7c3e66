import FoundationEssentials

/// A self-contained picture with a bar for the distance of each figure from its goal.
struct SpeedPicture {
    private let results: Results
    private let rows: [Results.Row]
    private let scale = LogarithmicScale(least: 0.01, greatest: 10, start: 396, length: 270)

    private static let rowHeight = 26.0
    private static let top = 92.0
    private static let width = 960.0

    init(_ results: Results) {
        self.results = results
        rows = results.headlines.filter { $0.measurement.isMet != nil }
    }

    private var bottom: Double { Self.top + Double(rows.count) * Self.rowHeight }
    private var height: Double { bottom + 78 }

    var svg: String {
        ([head, style, heading, partings, axis] + rows.indices.map(row) + [foot, "</svg>", ""]).joined(
            separator: "\n")
    }

    private var head: String {
        let (met, all) = results.goals
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(Self.width))" height="\(Int(height))" \
            viewBox="0 0 \(Int(Self.width)) \(Int(height))" role="img" aria-labelledby="title">
            <title id="title">How far each figure is inside its goal: \(met) of \(all) goals are met</title>
            <defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" \
            patternTransform="rotate(45)"><rect width="6" height="6" class="missed-ground"/>\
            <rect width="2.5" height="6" class="missed-line"/></pattern></defs>
            """
    }

    /// Colors that users with color blindness can distinguish, for light and dark pages.
    private var style: String {
        """
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
    }

    private var heading: String {
        let (met, all) = results.goals
        return """
            <rect x="0.5" y="0.5" width="\(Int(Self.width) - 1)" height="\(Int(height) - 1)" rx="8" class="ground"/>
            <text x="20" y="32" class="title">How far each figure is inside its goal</text>
            <text x="20" y="52" class="faint">\(met) of \(all) goals met. Bars to the left of the line are better \
            than the goal, hatched ones to the right are worse; whiskers: least and greatest of the rounds.</text>
            """
    }

    private var axis: String {
        let lines = scale.decades.map { decade in
            let position = Self.number(scale.position(of: decade))
            let isGoal = decade == 1
            return """
                <line x1="\(position)" x2="\(position)" y1="\(Self.number(Self.top - 8))" y2="\(Self.number(bottom + 2))" \
                class="\(isGoal ? "goal" : "line")"/>
                <text x="\(position)" y="\(Self.number(Self.top - 14))" text-anchor="middle" class="faint">\
                \(Self.name(ofDecade: decade))</text>
                """
        }
        return lines.joined(separator: "\n") + """

            <text x="700" y="\(Self.number(Self.top - 14))" class="faint">result</text>
            <text x="784" y="\(Self.number(Self.top - 14))" class="faint">goal</text>
            """
    }

    private var partings: String {
        let firsts = rows.indices.dropFirst().filter { rows[$0].figure != rows[$0 - 1].figure }
        return firsts.map { index in
            let y = Self.number(Self.top + Double(index) * Self.rowHeight)
            return
                "<line x1=\"20\" x2=\"\(Int(Self.width) - 20)\" y1=\"\(y)\" y2=\"\(y)\" class=\"parting\"/>"
        }.joined(separator: "\n")
    }

    private static func name(ofDecade decade: Double) -> String {
        if decade == 1 { return "goal" }
        return decade < 1 ? "÷\(Int((1 / decade).rounded()))" : "×\(Int(decade.rounded()))"
    }

    private func row(_ index: Int) -> String {
        let (figure, measurement) = rows[index]
        guard let isMet = measurement.isMet, let result = measurement.result else { return "" }
        let y = Self.top + Double(index) * Self.rowHeight
        let text = Self.number(y + 17)
        let isFirst = index == 0 || rows[index - 1].figure != figure
        var parts: [String] = []
        if isFirst {
            parts.append("<text x=\"20\" y=\"\(text)\" class=\"figure\">\(figure)</text>")
        }
        let (indent, look) = measurement.peer == nil ? (58, "") : (74, " class=\"faint\"")
        let name =
            measurement.peer.map { "beside \($0)" } ?? measurement.headline ?? measurement.subject
        parts.append("<text x=\"\(indent)\" y=\"\(text)\"\(look)>\(Self.escaped(name))</text>")
        parts.append(bar(measurement, y, isMet: isMet))
        let goal = measurement.goalText?.replacing("<=", with: "≤").replacing(">=", with: "≥") ?? ""
        parts.append(
            "<text x=\"700\" y=\"\(text)\" class=\"number\">\(Quantity(result.median, measurement.resultUnit).text)</text>"
        )
        parts.append("<text x=\"784\" y=\"\(text)\" class=\"number faint\">\(Self.escaped(goal))</text>")
        parts.append(
            "<text x=\"872\" y=\"\(text)\"\(isMet ? "" : " class=\"missed-text\"")>\(isMet ? "✓ met" : "✗ missed")</text>"
        )
        return parts.joined(separator: "\n")
    }

    /// Returns the bar from the goal's line to the result, with whiskers for the range.
    private func bar(_ measurement: Measurement, _ y: Double, isMet: Bool) -> String {
        guard let result = measurement.result, let goal = measurement.goal else { return "" }
        // A goal of 0 that is met has no distance.
        guard goal.atMost != 0 || result.median > 0 else { return "" }
        let middle = Self.number(y + Self.rowHeight / 2)
        let line = scale.position(of: 1)
        let position = scale.position(of: goal.distance(of: result.median))
        let (left, right) = (min(line, position), max(line, position))
        var parts = [
            """
            <rect x="\(Self.number(left))" y="\(Self.number(y + 6))" width="\(Self.number(max(2, right - left)))" \
            height="14" rx="2" class="\(isMet ? "met" : "missed")"/>
            """
        ]
        if result.count > 1 {
            let ends = [result.least, result.greatest].map { scale.position(of: goal.distance(of: $0)) }
            let caps = ends.map {
                "M\(Self.number($0)) \(Self.number(y + 9))V\(Self.number(y + 17))"
            }
            parts.append(
                "<path d=\"M\(Self.number(ends[0])) \(middle)H\(Self.number(ends[1]))\(caps.joined())\" class=\"whisker\"/>"
            )
        }
        return parts.joined(separator: "\n")
    }

    private var foot: String {
        let words = (results.machine?.text ?? "").split(separator: ";").map { $0.drop { $0 == " " } }
        return words.enumerated().map { number, part in
            """
            <text x="20" y="\(Self.number(bottom + 26 + Double(number) * 17))" class="faint">\
            \(Self.escaped(String(part)))</text>
            """
        }.joined(separator: "\n")
    }

    private static func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}

extension Measurement.Goal {
    /// Returns the ratio of a value to the goal; below 1, the value is better than the goal. For a goal of 0,
    /// the value 0 is the best one.
    func distance(of value: Double) -> Double {
        if let atMost { return value <= 0 ? 0 : atMost > 0 ? value / atMost : .infinity }
        if let atLeast { return value > 0 ? atLeast / value : .infinity }
        return 1
    }
}
