/// The records of a CSV file: RFC 4180 and its common deviations.
struct CSVRecords {
    struct Record {
        let line: Int
        let cells: [String]
        /// Whether a quote in it is never closed.
        var isOpen = false
    }

    var separator = UInt8(ascii: ",")
    private let source: UTF8Source
    private var buffer: [UInt8] = []
    private var offset = 0
    private var line = 1
    private var isAtEnd = false
    /// The number of times that a quote was open at the end of the file, and reading returned to the next
    /// line.
    private var repairs = 0

    private static let maxRepairs = 20

    init(_ source: UTF8Source) { self.source = source }

    /// Returns the first line without consuming it.
    mutating func firstLine() throws(ImportError) -> String {
        while !buffer.contains(UInt8(ascii: "\n")), buffer.count < 1 << 16, try fill() {}
        return String(
            decoding: buffer.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    }

    private mutating func fill() throws(ImportError) -> Bool {
        guard !isAtEnd, let piece = try source.next() else {
            isAtEnd = true
            return false
        }
        buffer += piece
        return true
    }

    mutating func next() throws(ImportError) -> Record? {
        if offset > 1 << 20 {
            buffer.removeFirst(offset)
            offset = 0
        }
        let (start, firstLine) = (offset, line)
        var cells: [String] = []
        var cell: [UInt8] = []
        var isQuoted = false
        var wasQuoted = false
        while true {
            guard offset < buffer.count else {
                if try fill() { continue }
                guard offset > start else { return nil }
                guard isQuoted else { break }
                return reopened(start, firstLine)
            }
            guard offset - start <= source.limits.piece else {
                throw ImportError(
                    "The record of line \(firstLine) has more than \(ImportLimits.megabytes(source.limits.piece)); "
                        + "the file is not read further.")
            }
            let byte = buffer[offset]
            offset += 1
            if byte == UInt8(ascii: "\n") { line += 1 }
            if isQuoted {
                guard byte == UInt8(ascii: "\"") else {
                    cell.append(byte)
                    continue
                }
                if offset == buffer.count { _ = try fill() }
                if offset < buffer.count && buffer[offset] == byte {
                    cell.append(byte)
                    offset += 1
                } else {
                    isQuoted = false
                }
            } else if byte == UInt8(ascii: "\"") && cell.isEmpty && !wasQuoted {
                isQuoted = true
                wasQuoted = true
            } else if byte == separator {
                cells.append(String(decoding: cell, as: UTF8.self))
                cell.removeAll(keepingCapacity: true)
                wasQuoted = false
            } else if byte == UInt8(ascii: "\r") {
                if offset == buffer.count { _ = try fill() }
                if offset < buffer.count && buffer[offset] == UInt8(ascii: "\n") { continue }
                line += 1
                break
            } else if byte == UInt8(ascii: "\n") {
                break
            } else {
                cell.append(byte)
            }
        }
        cells.append(String(decoding: cell, as: UTF8.self))
        return Record(line: firstLine, cells: cells)
    }

    /// Skips only the line of a quote that is never closed, not the rest of the file.
    private mutating func reopened(_ start: Int, _ firstLine: Int) -> Record {
        repairs += 1
        let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
        if repairs <= Self.maxRepairs, let end {
            offset = end
            line = firstLine + 1
        }
        return Record(line: firstLine, cells: [], isOpen: true)
    }
}
