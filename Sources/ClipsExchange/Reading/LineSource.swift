/// The lines of a text, without line ends.
struct LineSource {
    private let source: UTF8Source
    private var buffer: [UInt8] = []
    private var offset = 0
    private var isAtEnd = false
    /// The line end: a carriage return in files of classic Mac OS.
    private var newline: UInt8?
    private(set) var number = 0

    /// The maximum length of a line, for messages.
    var limit: String { ImportLimits.megabytes(source.limits.piece) }

    init(_ source: UTF8Source) { self.source = source }

    /// Returns the next line; an empty one with `isTooLong` if it exceeds the limit.
    mutating func next() throws(ImportError) -> (bytes: ArraySlice<UInt8>, isTooLong: Bool)? {
        var searched = offset
        var isTooLong = false
        var skipped = 0
        while true {
            if let end = buffer[searched...].firstIndex(of: newline ?? UInt8(ascii: "\n")) {
                defer { offset = end + 1 }
                number += 1
                return (isTooLong ? [] : trimmed(buffer[offset..<end]), isTooLong)
            }
            guard !isAtEnd else {
                guard offset < buffer.count || isTooLong else { return nil }
                defer { offset = buffer.count }
                number += 1
                return (isTooLong ? [] : trimmed(buffer[offset...]), isTooLong)
            }
            if buffer.count - offset > source.limits.piece || isTooLong {
                isTooLong = true
                skipped += buffer.count - offset
                offset = buffer.count
                guard skipped <= source.limits.skipped else {
                    throw ImportError(
                        "Line \(number + 1) has more than \(ImportLimits.megabytes(source.limits.skipped)); the file "
                            + "is not read further.")
                }
            }
            buffer.removeFirst(offset)
            offset = 0
            searched = buffer.count
            guard let piece = try source.next() else {
                isAtEnd = true
                continue
            }
            buffer += piece
            if newline == nil {
                let isOld = piece.contains(UInt8(ascii: "\r")) && !piece.contains(UInt8(ascii: "\n"))
                newline = UInt8(ascii: isOld ? "\r" : "\n")
            }
        }
    }

    private func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
}
