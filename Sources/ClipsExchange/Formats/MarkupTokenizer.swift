import ClipsCore

/// A part of an HTML or XML document, in order. Names are in lower case.
enum MarkupToken {
    /// `isCut`: the tag exceeds a limit, and attributes or parts of values are missing.
    case start(String, [String: String], isCut: Bool)
    case end(String)
    case text(String)
}

/// Splits HTML or XML into tags and text while the document arrives in pieces.
///
/// A subset of the tokenizer of the HTML standard (13.2.5), with the sections and empty elements of XML. One
/// pass, no recursion: linear in the input, and memory is bounded by ``maxAttributes`` and the limits of the
/// import. Entities that a document declares itself are never read, so none can expand.
struct MarkupTokenizer {
    enum Dialect { case html, xml }

    private enum State {
        case text, open, declaration, comment, instruction, bogus, cdata, raw
        case name, endName, endRest, beforeAttribute, attribute, afterAttribute, value, quoted, unquoted
    }

    static let maxAttributes = 256
    private static let maxName = 64
    private static let textPiece = 1 << 16

    let dialect: Dialect
    private let maxTag: Int
    private(set) var tokens: [(token: MarkupToken, line: Int)] = []
    /// Whether the document declares entities or elements of its own; what refers to them is not replaced.
    private(set) var hasDeclarations = false

    private var state = State.text
    private var line = 1
    private var tagLine = 1
    private var text: [UInt8] = []
    private var name: [UInt8] = []
    private var attribute: [UInt8] = []
    private var valueBytes: [UInt8] = []
    private var attributes: [String: String] = [:]
    private var attributeCount = 0
    private var tagSize = 0
    private var isCut = false
    private var isValueCut = false
    private var isEmptyElement = false
    private var quote: UInt8 = 0
    /// The beginning of a declaration, to recognize `--` and `[CDATA[`.
    private var opening: [UInt8] = []
    /// The number of matched bytes of the mark that ends a comment, a section, or a raw text.
    private var matched = 0
    private var rawEnd: [UInt8] = []

    init(_ dialect: Dialect, limits: ImportLimits) {
        self.dialect = dialect
        maxTag = limits.piece
    }

    /// Whether the document ended inside a tag, a comment, or a section.
    var isInsideMarkup: Bool { state != .text && state != .open }
    var currentLine: Int { line }

    mutating func removeTokens() { tokens.removeAll(keepingCapacity: true) }

    /// - Parameter bytes: Whole characters of UTF-8.
    mutating func feed(_ bytes: [UInt8]) {
        var index = 0
        while index < bytes.count {
            switch state {
            case .text:
                let end = bytes[index...].firstIndex(of: 0x3C) ?? bytes.count
                append(bytes[index..<end])
                index = end
                guard end < bytes.count else { break }
                index += 1
                tagLine = line
                state = .open
            case .quoted:
                let end = bytes[index...].firstIndex(of: quote) ?? bytes.count
                appendValue(bytes[index..<end])
                index = end
                guard end < bytes.count else { break }
                index += 1
                finishAttribute()
                state = .beforeAttribute
            default:
                let byte = bytes[index]
                if step(byte) {
                    if byte == 0x0A { line += 1 }
                    index += 1
                }
            }
        }
    }

    mutating func finish() {
        if state == .open { text.append(0x3C) }
        flushText()
    }

    /// Returns false if the byte must be read again in the new state.
    private mutating func step(_ byte: UInt8) -> Bool {
        switch state {
        case .text, .quoted: return false
        case .open: return open(byte)
        case .declaration: return declaration(byte)
        case .comment: if isEnd(byte, of: [0x2D, 0x2D, 0x3E]) { state = .text }
        case .instruction: if isEnd(byte, of: [0x3F, 0x3E]) { state = .text }
        case .cdata:
            text.append(byte)
            if isEnd(byte, of: [0x5D, 0x5D, 0x3E]) {
                text.removeLast(3)
                emitText(String(decoding: text, as: UTF8.self))
                state = .text
            } else if text.count > Self.textPiece && byte < 0x80 && matched == 0 {
                emitText(String(decoding: text, as: UTF8.self))
            }
        case .raw:
            if isEnd(byte | (byte >= 0x41 && byte <= 0x5A ? 0x20 : 0), of: rawEnd) {
                name = Array(rawEnd.dropFirst(2))
                state = .endName
            }
        case .bogus:
            if byte == 0x5B && dialect == .xml { hasDeclarations = true }
            if byte == 0x3E { state = .text }
        case .name, .endName: tagName(byte)
        case .endRest: if byte == 0x3E { emitTag() }
        case .beforeAttribute, .attribute, .afterAttribute, .value, .unquoted: return inTag(byte)
        }
        return true
    }

    private mutating func open(_ byte: UInt8) -> Bool {
        (isCut, isEmptyElement, tagSize, attributeCount) = (false, false, 0, 0)
        name.removeAll(keepingCapacity: true)
        attributes = [:]
        switch byte {
        case 0x2F where name.isEmpty: state = .endName
        case 0x21:
            opening = []
            state = .declaration
        case 0x3F:
            matched = 0
            state = dialect == .xml ? .instruction : .bogus
        case 0x41...0x5A, 0x61...0x7A, 0x5F:
            state = .name
            return false
        default:
            text.append(0x3C)
            state = .text
            return false
        }
        return true
    }

    private mutating func declaration(_ byte: UInt8) -> Bool {
        opening.append(byte)
        let section = Array("[CDATA[".utf8)
        if opening == [0x2D, 0x2D] {
            // `<!-->` is a whole comment.
            matched = 2
            state = .comment
        } else if dialect == .xml && opening == section {
            flushText()
            matched = 0
            state = .cdata
        } else if !([0x2D, 0x2D].starts(with: opening) || dialect == .xml && section.starts(with: opening)) {
            state = .bogus
            return false
        }
        return true
    }

    /// Whether the byte completes a mark whose bytes but the last repeat at most, as `-->` and `]]>`.
    private mutating func isEnd(_ byte: UInt8, of mark: [UInt8]) -> Bool {
        if byte == mark[matched] {
            matched += 1
            guard matched == mark.count else { return false }
            matched = 0
            return true
        }
        if matched == 2 && mark.count == 3 && byte == mark[0] { return false }
        matched = byte == mark[0] ? 1 : 0
        return false
    }

    private mutating func tagName(_ byte: UInt8) {
        switch byte {
        case 0x3E: emitTag()
        case 0x20, 0x09, 0x0A, 0x0C, 0x0D: state = state == .name ? .beforeAttribute : .endRest
        case 0x2F where state == .name:
            isEmptyElement = true
            state = .beforeAttribute
        default: if name.count < Self.maxName { name.append(Self.lower(byte)) }
        }
    }

    private mutating func inTag(_ byte: UInt8) -> Bool {
        let isSpace = byte == 0x20 || (0x09...0x0D).contains(byte)
        switch state {
        case .beforeAttribute:
            if byte == 0x3E {
                emitTag()
            } else if byte == 0x2F {
                isEmptyElement = true
            } else if !isSpace {
                isEmptyElement = false
                attribute.removeAll(keepingCapacity: true)
                valueBytes.removeAll(keepingCapacity: true)
                state = .attribute
                // An equals sign at the beginning is part of the name, by the standard.
                attribute.append(Self.lower(byte))
            }
        case .attribute:
            if byte == 0x3D {
                state = .value
            } else if byte == 0x3E || byte == 0x2F {
                finishAttribute()
                state = .beforeAttribute
                return false
            } else if isSpace {
                state = .afterAttribute
            } else if attribute.count < Self.maxName {
                attribute.append(Self.lower(byte))
            }
        case .afterAttribute:
            if byte == 0x3D {
                state = .value
            } else if !isSpace {
                finishAttribute()
                state = .beforeAttribute
                return false
            }
        case .value:
            if byte == 0x22 || byte == 0x27 {
                quote = byte
                state = .quoted
            } else if byte == 0x3E {
                finishAttribute()
                state = .beforeAttribute
                return false
            } else if !isSpace {
                state = .unquoted
                return false
            }
        default:
            if isSpace || byte == 0x3E {
                finishAttribute()
                state = .beforeAttribute
                return false
            }
            appendValue([byte])
        }
        return true
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        text += bytes
        for byte in bytes where byte == 0x0A { line += 1 }
        guard text.count > Self.textPiece else { return }
        // A reference may end in the next piece.
        let tail = text.suffix(Self.maxName).lastIndex(of: 0x26) ?? text.count
        let rest = Array(text[tail...])
        text.removeLast(rest.count)
        flushText()
        text = rest
    }

    private mutating func appendValue(_ bytes: ArraySlice<UInt8>) {
        for byte in bytes where byte == 0x0A && state == .quoted { line += 1 }
        let isOwn = attribute == Self.own
        let room = min(maxTag - tagSize, (isOwn ? maxTag : ClipDraft.largestText + 1) - valueBytes.count)
        if bytes.count > room { (isCut, isValueCut) = (true, true) }
        valueBytes += bytes.prefix(max(0, room))
        tagSize += min(bytes.count, max(0, room))
    }

    private static let own = Array("data-clips".utf8)

    private mutating func finishAttribute() {
        attributeCount += 1
        guard attributeCount <= Self.maxAttributes else {
            isCut = true
            return
        }
        // A part of an address is another address.
        guard !isValueCut else {
            (isValueCut, valueBytes) = (false, [])
            return
        }
        let key = String(decoding: attribute, as: UTF8.self)
        if attributes[key] == nil {
            attributes[key] = MarkupReferences.replaced(valueBytes, in: dialect)
        }
        if valueBytes.count > Self.textPiece {
            valueBytes = []
        } else {
            valueBytes.removeAll(keepingCapacity: true)
        }
    }

    private mutating func flushText() {
        guard !text.isEmpty else { return }
        emitText(MarkupReferences.replaced(text, in: dialect))
    }

    private mutating func emitText(_ words: String) {
        if !words.isEmpty { tokens.append((.text(words), tagLine)) }
        text.removeAll(keepingCapacity: true)
    }

    private mutating func emitTag() {
        flushText()
        let isStart = state != .endName && state != .endRest
        let word = String(decoding: name, as: UTF8.self)
        state = .text
        guard isStart else {
            if !word.isEmpty { tokens.append((.end(word), tagLine)) }
            return
        }
        tokens.append((.start(word, attributes, isCut: isCut), tagLine))
        attributes = [:]
        if dialect == .xml {
            if isEmptyElement { tokens.append((.end(word), tagLine)) }
        } else if word == "script" || word == "style" {
            rawEnd = Array("</\(word)".utf8)
            matched = 0
            state = .raw
        }
    }

    private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
