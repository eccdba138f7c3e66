import ClipsCore

/// The parts of a JSON document, one at a time, so that a long list is never in memory as a whole.
struct JSONPieces {
    enum Piece {
        /// An element of the document, or of the list of objects that is its member.
        case element(JSONValue, key: String?)
        case end(key: String?)
        /// A member other than a list of objects.
        case member(String, JSONValue)
        /// A document that is neither a list nor an object.
        case scalar(JSONValue)
    }

    private enum State {
        case start, done
        case object(isFirst: Bool)
        case list(key: String?, isFirst: Bool)
    }

    private let source: UTF8Source
    private var buffer: [UInt8] = []
    private var offset = 0
    private var line = 1
    private var isAtEnd = false
    private var state = State.start
    /// The error after which nothing more is read.
    private(set) var problem: ImportProblem?

    init(_ source: UTF8Source) { self.source = source }

    mutating func next() throws(ImportError) -> Piece? {
        while problem == nil {
            try skipSpace()
            switch state {
            case .start:
                if skip("[") {
                    state = .list(key: nil, isFirst: true)
                } else if skip("{") {
                    state = .object(isFirst: true)
                } else {
                    state = .done
                    return try value().map(Piece.scalar)
                }
            case .list(let key, let isFirst):
                if skip("]") {
                    state = key == nil ? .done : .object(isFirst: false)
                    return .end(key: key)
                }
                guard try begins(isFirst) else { continue }
                state = .list(key: key, isFirst: false)
                if let element = try value() { return .element(element, key: key) }
            case .object(let isFirst):
                if skip("}") {
                    state = .done
                    continue
                }
                guard try begins(isFirst) else { continue }
                state = .object(isFirst: false)
                if let member = try member() { return member }
            case .done:
                guard current != nil else { return nil }
                fail("something follows the JSON")
            }
        }
        return nil
    }

    private mutating func member() throws(ImportError) -> Piece? {
        guard current == UInt8(ascii: "\""), let key = try value()?.string, problem == nil else {
            fail(current == nil ? "it ends in the middle" : "a key is missing")
            return nil
        }
        try skipSpace()
        guard skip(":") else {
            fail("a colon is missing")
            return nil
        }
        try skipSpace()
        if current == UInt8(ascii: "["), try byte(after: 1) == UInt8(ascii: "{") {
            offset += 1
            state = .list(key: key, isFirst: true)
            return nil
        }
        return try value().map { .member(key, $0) }
    }

    /// Skips the comma before an element or a member other than the first.
    private mutating func begins(_ isFirst: Bool) throws(ImportError) -> Bool {
        if isFirst { return true }
        guard skip(",") else {
            fail(current == nil ? "it ends in the middle" : "a comma is missing")
            return false
        }
        try skipSpace()
        return true
    }

    /// Reads the next value, or its part before an error.
    private mutating func value() throws(ImportError) -> JSONValue? {
        let length = try self.length()
        let parsed = JSONParser.parse(
            Array(buffer[offset..<offset + length]), maxValues: source.limits.values)
        if let problem = parsed.problem { fail(problem.reason, lines: problem.line - 1) }
        consume(length)
        return parsed.value
    }

    /// Returns the length of the next value, up to the end of the file if it has no end.
    private mutating func length() throws(ImportError) -> Int {
        var scan = JSONScan()
        while true {
            let end = buffer[offset...].withUnsafeBufferPointer { scan.end(in: $0) }
            if let end { return end }
            guard buffer.count - offset <= source.limits.document else {
                throw .refused(
                    "A value of the JSON document has more than "
                        + "\(ImportLimits.megabytes(source.limits.document)).",
                    "Split it, or write one object a line.")
            }
            guard try fill() else { return buffer.count - offset }
        }
    }

    private var current: UInt8? { offset < buffer.count ? buffer[offset] : nil }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    private mutating func skipSpace() throws(ImportError) {
        while true {
            while let byte = current, JSONScan.isSpace(byte) { consume(1) }
            guard offset == buffer.count, try fill() else { return }
        }
    }

    /// Returns the next byte other than a space at a distance.
    private mutating func byte(after distance: Int) throws(ImportError) -> UInt8? {
        var distance = distance
        while true {
            while offset + distance < buffer.count {
                guard JSONScan.isSpace(buffer[offset + distance]) else { return buffer[offset + distance] }
                distance += 1
            }
            guard distance < 1 << 16, try fill() else { return nil }
        }
    }

    private mutating func consume(_ count: Int) {
        for byte in buffer[offset..<offset + count] where byte == UInt8(ascii: "\n") { line += 1 }
        offset += count
    }

    private mutating func fill() throws(ImportError) -> Bool {
        guard !isAtEnd, let piece = try source.next() else {
            isAtEnd = true
            return false
        }
        buffer.removeFirst(offset)
        offset = 0
        buffer += piece
        return true
    }

    private mutating func fail(_ reason: String, lines: Int = 0) {
        if problem == nil { problem = ImportProblem(line: line + lines, reason) }
    }
}
