/// A file's text as valid UTF-8, in pieces that end with whole characters.
final class UTF8Source {
    let limits: ImportLimits
    private let source: ByteSource
    private var beginning: [UInt8] = []
    private var converter: EncodingConverter?
    private var pending: [UInt8] = []
    private var isAtEnd = false
    private var line = 1
    /// The number of invalid sequences, and the line of the first.
    private(set) var invalid: (count: Int, line: Int)?

    /// The encoding, if only the letters of the text show it.
    private(set) var guess: String?

    /// The size of the beginning by which a file is recognized.
    private static let beginningSize = 1 << 20

    init(_ source: ByteSource, limits: ImportLimits) throws(ImportError) {
        self.source = source
        self.limits = limits
        while beginning.count < Self.beginningSize, let piece = try source.next() {
            beginning += piece
        }
    }

    /// The first bytes, before decoding.
    var rawBeginning: [UInt8] { beginning }

    /// Detects the encoding, and returns the first characters for detecting the format.
    ///
    /// - Parameters:
    ///   - header: The label of the encoding in a response, if any.
    ///   - isPage: Whether an unknown label is ignored instead of being an error.
    func open(header: String? = nil, isPage: Bool = false) throws(ImportError) -> String {
        let isMarkup = beginning.prefix(1024).contains(UInt8(ascii: "<"))
        let known = TextEncoding.known(
            beginning, mayDeclare: isMarkup, header: header, isPage: isPage)
        let (encoding, mark) = known ?? (TextEncoding.guessed(beginning), 0)
        if case .named(let name) = encoding {
            converter = try EncodingConverter(name)
            if known == nil { guess = name }
        }
        beginning = decode(Array(beginning.dropFirst(mark)))
        return String(decoding: beginning.prefix(1 << 16), as: UTF8.self)
    }

    func next() throws(ImportError) -> [UInt8]? {
        if !beginning.isEmpty {
            defer { beginning = [] }
            return beginning
        }
        while !isAtEnd {
            guard let piece = try source.next() else {
                isAtEnd = true
                let rest = finish()
                return rest.isEmpty ? nil : rest
            }
            let text = decode(piece)
            if !text.isEmpty { return text }
        }
        return nil
    }

    /// Returns the next bytes of a file that is not text, instead of ``open()``.
    func nextRaw() throws(ImportError) -> [UInt8]? {
        guard beginning.isEmpty else {
            defer { beginning = [] }
            return beginning
        }
        return try source.next()
    }

    private func finish() -> [UInt8] {
        guard let converter else {
            let rest = pending
            pending = []
            return rest.isEmpty ? [] : repaired(rest)
        }
        let before = converter.invalidCount
        let rest = converter.convert([], isLast: true)
        note(converter.invalidCount - before)
        return rest
    }

    private func decode(_ bytes: [UInt8]) -> [UInt8] {
        if let converter {
            let before = converter.invalidCount
            let text = converter.convert(bytes, isLast: false)
            note(converter.invalidCount - before)
            countLines(text)
            return text
        }
        var all = pending + bytes
        let tail = UTF8Check.incompleteTail(all)
        pending = Array(all.suffix(tail))
        all.removeLast(tail)
        if UTF8Check.isValid(all[...]) {
            countLines(all)
            return all
        }
        return repaired(all)
    }

    private func repaired(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar):
                if scalar == "\n" { line += 1 }
                text += Array(String(scalar).utf8)
            case .emptyInput: return text
            case .error:
                note(1)
                text += Array("\u{FFFD}".utf8)
            }
        }
    }

    private func note(_ count: Int) {
        guard count > 0 else { return }
        invalid = (count + (invalid?.count ?? 0), invalid?.line ?? line)
    }

    private func countLines(_ text: [UInt8]) {
        for byte in text where byte == UInt8(ascii: "\n") { line += 1 }
    }
}
