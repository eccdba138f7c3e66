/// The lines of a text, without line ends.
struct LineSource {
    private let source: UTF8Source
    private var buffer: [UInt8] = []
    private var place = 0
    private var isAtEnd = false
    /// The line end: a carriage return in files of classic Mac OS.
    private var newline: UInt8?
    private(set) var number = 0

    /// The maximum length of a line, for messages.
    var limit: String { ImportLimits.megabytes(source.limits.piece) }

    init(_ source: UTF8Source) { self.source = source }

    /// Returns the next line; an empty one with `isTooLong` if it exceeds the limit.
    mutating func next() throws(ImportError) -> (bytes: ArraySlice<UInt8>, isTooLong: Bool)? {
        var searched = place
        var isTooLong = false
        var skipped = 0
        while true {
            if let end = buffer[searched...].firstIndex(of: newline ?? UInt8(ascii: "\n")) {
                defer { place = end + 1 }
                number += 1
                return (isTooLong ? [] : trimmed(buffer[place..<end]), isTooLong)
            }
            guard !isAtEnd else {
                guard place < buffer.count || isTooLong else { return nil }
                defer { place = buffer.count }
                number += 1
                return (isTooLong ? [] : trimmed(buffer[place...]), isTooLong)
            }
            if buffer.count - place > source.limits.piece || isTooLong {
                isTooLong = true
                skipped += buffer.count - place
                place = buffer.count
                guard skipped <= source.limits.skipped else {
                    throw ImportError(
                        "Line \(number + 1) has more than \(ImportLimits.megabytes(source.limits.skipped)); the file "
                            + "is not read further.")
                }
            }
            buffer.removeFirst(place)
            place = 0
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
