import Platform

/// The parts of a text that are shown, with the bytes between them that only the shown text has.
struct ShownParts: Sendable {
    private struct Part: Sendable {
        var source: Range<Int>
        let start: Int
        /// Whether it repeats a heading.
        let isLabel: Bool

        var end: Int { start + source.count }
    }

    private var source: [UInt8]
    private(set) var bytes: [UInt8] = []
    private let sourceCount: Int
    private var shownCount = 0
    private var parts: [Part] = []
    /// The parts in the order of the source, which in a table with wrapped cells is another one.
    private var ordered: [Part] = []

    init(_ source: [UInt8]) { (self.source, sourceCount) = (source, source.count) }

    /// - Parameter isLabel: Whether another copy of the range precedes this one, as of the heading of a table.
    mutating func copy(_ range: Range<Int>, isLabel: Bool = false) {
        guard !range.isEmpty else { return }
        let start = bytes.count
        bytes += source[range]
        if let last = parts.last, last.source.upperBound == range.lowerBound, last.end == start,
            last.isLabel == isLabel
        {
            parts[parts.count - 1].source = last.source.lowerBound..<range.upperBound
        } else {
            parts.append(Part(source: range, start: start, isLabel: isLabel))
        }
    }

    /// Copies a range without some ranges in it, which are in ascending order.
    mutating func copy(_ range: Range<Int>, without omitted: [Range<Int>]) {
        for part in Self.ranges(of: range, without: omitted) { copy(part) }
    }

    static func ranges(of range: Range<Int>, without omitted: [Range<Int>]) -> [Range<Int>] {
        var (ranges, start) = ([Range<Int>](), range.lowerBound)
        for part in omitted {
            if start < part.lowerBound { ranges.append(start..<part.lowerBound) }
            start = max(start, part.upperBound)
        }
        if start < range.upperBound { ranges.append(start..<range.upperBound) }
        return ranges
    }

    mutating func insert(_ text: String) { bytes += text.utf8 }

    mutating func insertSpaces(_ count: Int) { bytes += repeatElement(0x20, count: max(0, count)) }

    /// Returns the shown text, after which offsets can be requested.
    mutating func finish() -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        shownCount = bytes.count
        // The headings of a table may be shown several times.
        ordered = parts.sorted { ($0.source.lowerBound, $0.start) < ($1.source.lowerBound, $1.start) }
        (source, bytes) = ([], [])
        return text
    }

    /// Returns the ranges in the shown text of a range of the source, in the order of the source.
    func shown(_ range: Range<Int>) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for part in ordered[ordered.partitionPoint(where: { $0.source.upperBound > range.lowerBound })...] {
            guard part.source.lowerBound < range.upperBound else { break }
            let common = part.source.clamped(to: range)
            let start = part.start + common.lowerBound - part.source.lowerBound
            if let last = result.last, last.upperBound == start {
                result[result.count - 1] = last.lowerBound..<start + common.count
            } else {
                result.append(start..<start + common.count)
            }
        }
        return result
    }

    /// Returns the ranges of the source that a range of the shown text shows, in ascending order.
    func sources(of shown: Range<Int>) -> [Range<Int>] {
        let found = parts[parts.partitionPoint(where: { $0.end > shown.lowerBound })...]
            .prefix { $0.start < shown.upperBound }.filter { !$0.isLabel }
        let sources = found.map { part in
            let common = (part.start..<part.end).clamped(to: shown)
            let shift = part.source.lowerBound - part.start
            return common.lowerBound + shift..<common.upperBound + shift
        }
        return Self.merged(sources.sorted { $0.lowerBound < $1.lowerBound })
    }

    /// Returns the parts of a range of the source that are shown, in ascending order.
    func sources(in range: Range<Int>) -> [Range<Int>] {
        let first = ordered.partitionPoint { $0.source.upperBound > range.lowerBound }
        let found = ordered[first...].prefix { $0.source.lowerBound < range.upperBound }
        return Self.merged(found.filter { !$0.isLabel }.map { $0.source.clamped(to: range) })
    }

    private static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var merged: [Range<Int>] = []
        for range in ranges {
            if let last = merged.last, last.upperBound == range.lowerBound {
                merged[merged.count - 1] = last.lowerBound..<range.upperBound
            } else {
                merged.append(range)
            }
        }
        return merged
    }

    /// Returns the offset in the shown text of an offset in the source, or of the next part that is shown.
    func shown(_ offset: Int) -> Int {
        let index = ordered.partitionPoint { $0.source.upperBound > offset }
        guard ordered.indices.contains(index) else { return shownCount }
        return ordered[index].start + max(0, offset - ordered[index].source.lowerBound)
    }

    /// Returns the offset in the source of an offset in the shown text, or of the next part.
    func source(_ offset: Int) -> Int {
        let index = parts.partitionPoint { $0.end > offset }
        guard parts.indices.contains(index) else { return sourceCount }
        return parts[index].source.lowerBound + max(0, offset - parts[index].start)
    }
}
