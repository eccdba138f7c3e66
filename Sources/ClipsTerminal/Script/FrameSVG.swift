import Platform
import Terminal

/// A frame as an SVG picture.
struct FrameSVG {
    let text: String

    private static let cell = (width: 8.4, height: 18.0)
    private static let padding = 10.0
    private static let dark = (ink: "#d8dee9", paper: "#1e222a")
    private static let light = (ink: "#24292f", paper: "#ffffff")
    private static let palette = [
        "#3b4252", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d8dee9",
        "#6b7385", "#ef8891", "#b5d99c", "#f0d399", "#84c3f7", "#d79be8", "#7fcfd8", "#ffffff",
    ]

    /// - Parameter isLight: Whether the frame is for a light background.
    init(_ frame: Frame, isLight: Bool = false) {
        let standard = isLight ? Self.light : Self.dark
        let width = Double(frame.size.columns) * Self.cell.width + 2 * Self.padding
        let height = Double(frame.size.rows) * Self.cell.height + 2 * Self.padding
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(width.short)\" height=\"\(height.short)\" "
                + "viewBox=\"0 0 \(width.short) \(height.short)\" xml:space=\"preserve\">",
            "<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"\(standard.paper)\"/>",
            // Chromium ignores `xml:space`, librsvg the style.
            "<style>text { white-space: pre }</style>",
            "<g font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"14\">",
        ]
        for row in 0..<frame.size.rows {
            var column = 0
            for run in frame.runs(row: row).flatMap(Self.pieces) {
                let columns = DisplayWidth.columns(of: run.text)
                lines += Self.elements(run, row: row, column: column, columns: columns, standard)
                column += columns
            }
        }
        text = (lines + ["</g>", "</svg>", ""]).joined(separator: "\n")
    }

    /// Splits a run where the width of its characters changes, since fonts have other widths.
    private static func pieces(of run: StyledRun) -> [StyledRun] {
        var pieces: [StyledRun] = []
        var width: Int?
        for character in run.text {
            let columns = DisplayWidth.columns(of: character)
            if columns == width, !pieces.isEmpty {
                pieces[pieces.count - 1].text.append(character)
            } else {
                pieces.append(StyledRun(String(character), run.style))
            }
            width = columns
        }
        return pieces
    }

    private static func elements(
        _ run: StyledRun, row: Int, column: Int, columns: Int, _ standard: (ink: String, paper: String)
    ) -> [String] {
        let attributes = run.style.attributes
        var ink = color(run.style.foreground) ?? standard.ink
        var paper = color(run.style.background)
        if attributes.contains(.reverse) { (ink, paper) = (paper ?? standard.paper, ink) }
        let x = padding + Double(column) * cell.width
        let y = padding + Double(row) * cell.height
        let length = (Double(columns) * cell.width).short
        var elements: [String] = []
        if let paper {
            elements.append(
                "<rect x=\"\(x.short)\" y=\"\(y.short)\" width=\"\(length)\" height=\"\(cell.height.short)\" fill=\"\(paper)\"/>"
            )
        }
        // Spaces need no text unless they are underlined.
        let indent = attributes.contains(.underline) ? 0 : run.text.prefix { $0 == " " }.count
        let end = attributes.contains(.underline) ? 0 : run.text.reversed().prefix { $0 == " " }.count
        guard indent < run.text.count else { return elements }
        let text = run.text.dropFirst(indent).dropLast(end)
        let textX = (x + Double(indent) * cell.width).short
        let textLength = (Double(columns - indent - end) * cell.width).short
        var style = ""
        if attributes.contains(.bold) { style += " font-weight=\"bold\"" }
        if attributes.contains(.italic) { style += " font-style=\"italic\"" }
        if attributes.contains(.dim) { style += " opacity=\"0.65\"" }
        if attributes.contains(.underline) { style += " text-decoration=\"underline\"" }
        elements.append(
            "<text x=\"\(textX)\" y=\"\((y + 13.5).short)\" textLength=\"\(textLength)\" lengthAdjust=\"spacingAndGlyphs\" "
                + "fill=\"\(ink)\"\(style)>\(escaped(text))</text>")
        return elements
    }

    private static func color(_ color: Color) -> String? {
        if let components = color.fixedComponents {
            return "#" + components.map { UInt8($0) }.hexadecimal
        }
        guard case .indexed(let index) = color else { return nil }
        return palette[Int(index)]
    }

    private static func escaped(_ text: Substring) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Double {
    /// The number with at most one decimal.
    fileprivate var short: String {
        let tenths = Int((self * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
