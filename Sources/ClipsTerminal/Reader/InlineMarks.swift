import SearchIndex
import Terminal

/// The bold and italic words and the code of a paragraph, a heading, or a cell, and its literal characters.
struct InlineMarks {
    /// The signs around words and the backslashes before literal characters, in ascending order.
    private(set) var omitted: [Range<Int>] = []
    /// The ranges with a look, in ascending order.
    private(set) var spans: [ShownText.Mark] = []

    private static let literalBar = Array("\\|".utf8)

    /// - Parameters:
    ///   - region: The paragraph, the words of the heading, or the cell.
    ///   - code: The code of the text, which remains as it is.
    ///   - base: The look of all words.
    init(
        in bytes: [UInt8], _ region: Range<Int>, code: [TextCode], base: Style.Attributes = [],
        isCell: Bool = false
    ) {
        // The offsets at which a look begins or ends.
        var edges: [(offset: Int, look: Style.Attributes, isStart: Bool)] = []
        // The first cell of a row without a bar at its start begins a line.
        let before = bytes[..<region.lowerBound].last { $0 != 0x20 && $0 != UInt8(ascii: ">") }
        let isBegun = isCell && before == UInt8(ascii: "|")
        for mark in InlineMark.all(in: bytes, region, code: code, isBegun: isBegun) {
            switch mark.kind {
            case .literal: omitted.append(mark.opening)
            case .code, .bold, .italic:
                let look: Style.Attributes = mark.kind == .italic ? .italic : .bold
                omitted += [mark.opening, mark.closing]
                edges += [(mark.words.lowerBound, look, true), (mark.words.upperBound, look, false)]
                guard isCell, mark.kind == .code else { break }
                // Code in a cell has backslashes before bars, too.
                for index in mark.words where bytes[index...].starts(with: Self.literalBar) {
                    omitted.append(index..<index + 1)
                }
            case .struck, .link, .image, .address: break
            }
        }
        omitted.sort { $0.lowerBound < $1.lowerBound }
        addSpans(region, base, edges)
    }

    private mutating func addSpans(
        _ region: Range<Int>, _ base: Style.Attributes,
        _ edges: [(offset: Int, look: Style.Attributes, isStart: Bool)]
    ) {
        let end = (offset: region.upperBound, look: Style.Attributes(), isStart: true)
        var (start, bold, italic) = (region.lowerBound, 0, 0)
        for edge in (edges + [end]).sorted(by: {
            ($0.offset, $0.isStart ? 1 : 0) < ($1.offset, $1.isStart ? 1 : 0)
        }) {
            let attributes = base.union(bold > 0 ? .bold : []).union(italic > 0 ? .italic : [])
            if edge.offset > start, !attributes.isEmpty {
                spans.append(ShownText.Mark(range: start..<edge.offset, attributes: attributes))
            }
            start = edge.offset
            if edge.look == .bold { bold += edge.isStart ? 1 : -1 }
            if edge.look == .italic { italic += edge.isStart ? 1 : -1 }
        }
    }
}
