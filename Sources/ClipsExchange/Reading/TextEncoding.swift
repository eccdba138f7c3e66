import Glibc
import Platform

/// The encoding of a text.
enum TextEncoding: Equatable {
    case utf8
    /// An encoding that iconv(3) supports.
    case named(String)

    /// Returns the encoding in the order of the HTML standard (13.2.3.2): the byte order mark, the header, or a
    /// declaration. Also returns the length of the mark. Returns nil if only the letters show the encoding.
    ///
    /// - Parameters:
    ///   - header: The label in the `Content-Type` of the response, if any.
    ///   - isPage: Whether unknown labels are ignored, as browsers do.
    static func known(
        _ bytes: [UInt8], mayDeclare: Bool, header: String? = nil, isPage: Bool = false
    ) -> (encoding: TextEncoding, mark: Int)? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (utf16LittleEndian, 2) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (utf16BigEndian, 2) }
        // Many pages and exports declare another encoding than they have.
        let isUTF8 = UTF8Check.isValid(bytes.dropLast(UTF8Check.incompleteTail(bytes)))
        if isUTF8 && bytes.contains(where: { $0 >= 0x80 }) { return (.utf8, 0) }
        func usable(_ label: String) -> TextEncoding? {
            let encoding = encoding(named: label)
            guard isPage, case .named(let name) = encoding else { return encoding }
            return EncodingConverter.isKnown(name) ? encoding : nil
        }
        switch header?.lowercased() {
        case "utf-16", "utf-16le", "unicode", "ucs-2", "iso-10646-ucs-2", "csunicode", "unicodefeff":
            return (utf16LittleEndian, 0)
        case "utf-16be", "unicodefffe": return (utf16BigEndian, 0)
        case let label?: if let encoding = usable(label) { return (encoding, 0) }
        case nil: break
        }
        if bytes.count >= 4 {
            if bytes[0] == 0, bytes[1] != 0, bytes[2] == 0 { return (utf16BigEndian, 0) }
            if bytes[0] != 0, bytes[1] == 0, bytes[3] == 0 { return (utf16LittleEndian, 0) }
        }
        if mayDeclare, let label = declared(bytes.prefix(8192)), let encoding = usable(label) {
            return (encoding, 0)
        }
        return isUTF8 && !bytes.contains(0x1B) ? (.utf8, 0) : nil
    }

    /// Returns the encoding by the letters; old files of single-byte encodings do not declare them.
    static func guessed(_ bytes: [UInt8]) -> TextEncoding {
        if let name = EncodingDetector.name(of: bytes) { return .named(name) }
        let isASCII = !bytes.contains { $0 >= 0x80 }
        return isASCII || UTF8Check.hasSequence(bytes) ? .utf8 : .named("WINDOWS-1252")
    }

    private static let utf16LittleEndian = TextEncoding.named("UTF-16LE")
    private static let utf16BigEndian = TextEncoding.named("UTF-16BE")

    /// Returns the encoding of a label. The Encoding Standard reads many labels as the larger encodings of Windows.
    static func encoding(named label: String) -> TextEncoding {
        switch label.lowercased() {
        // A page that is readable up to its declaration is not in UTF-16, regardless of the declaration.
        case "utf-8", "utf8", "unicode-1-1-utf-8", "x-unicode20utf8", "utf-16", "utf-16le", "utf-16be",
            "unicode":
            .utf8
        case "us-ascii", "ascii", "ansi_x3.4-1968", "iso-8859-1", "iso8859-1", "iso88591", "iso_8859-1",
            "iso_8859-1:1987", "iso-ir-100", "latin1", "latin-1", "l1", "cp819", "ibm819", "csisolatin1",
            "cp1252", "x-cp1252", "windows-1252", "x-ansi", "x-user-defined":
            .named("WINDOWS-1252")
        case "iso-8859-9", "iso8859-9", "iso88599", "iso_8859-9", "latin5", "l5", "csisolatin5", "iso-ir-148":
            .named("WINDOWS-1254")
        case "iso-8859-11", "iso8859-11", "iso885911", "tis-620", "dos-874", "windows-874": .named("CP874")
        case "iso-8859-8-i", "iso-8859-8-e", "logical", "visual", "csiso88598i", "csiso88598e":
            .named("ISO-8859-8")
        case "x-sjis", "shift-jis", "shift_jis", "sjis", "ms_kanji", "ms932", "csshiftjis", "windows-31j":
            .named("CP932")
        case "euc-jp", "x-euc-jp", "cseucpkdfmtjapanese": .named("EUC-JP-MS")
        case "gb2312", "gb_2312", "gb_2312-80", "gbk", "x-gbk", "gb18030", "chinese", "csgb2312", "iso-ir-58":
            .named("GB18030")
        case "big5", "big5-hkscs", "cn-big5", "csbig5", "x-x-big5": .named("BIG5-HKSCS")
        case "euc-kr", "ks_c_5601-1987", "ks_c_5601-1989", "ksc5601", "ksc_5601", "korean", "windows-949",
            "cseuckr", "csksc56011987", "iso-ir-149":
            .named("CP949")
        case "koi", "koi8", "koi8_r", "cskoi8r": .named("KOI8-R")
        case "koi8-ru": .named("KOI8-U")
        case "mac", "macintosh", "csmacintosh", "x-mac-roman": .named("MACINTOSH")
        case "x-mac-cyrillic", "x-mac-ukrainian": .named("MAC-UK")
        case let label where label.hasPrefix("x-cp"): .named(String(label.dropFirst(2)))
        case let label: .named(label)
        }
    }

    /// Returns the label in a `Content-Type`, such as `text/html; charset=koi8-r`.
    static func label(contentType: String) -> String? {
        value(of: "charset", in: contentType.lowercased()[...])
    }

    /// Returns the label in the first `meta` element or XML declaration that has one.
    private static func declared(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: bytes.map { $0 < 0x80 ? $0 : 0x3F }, as: UTF8.self).lowercased()
        var rest = text[...]
        while let start = rest.firstIndex(of: "<") {
            rest = rest[start...]
            let isComment = rest.hasPrefix("<!--")
            guard let end = rest.firstRange(of: isComment ? "-->" : ">")?.lowerBound else { return nil }
            let tag = rest[..<end]
            rest = rest[end...].dropFirst()
            if isComment { continue }
            if tag.hasPrefix("<meta"), let label = value(of: "charset", in: tag) { return label }
            if tag.hasPrefix("<?xml"), let label = value(of: "encoding", in: tag) { return label }
        }
        return nil
    }

    private static func value(of name: String, in text: Substring) -> String? {
        var rest = text
        while let range = rest.firstRange(of: name) {
            rest = rest[range.upperBound...].drop(while: \.isWhitespace)
            guard rest.first == "=" else { continue }
            let label = rest.dropFirst().drop { $0.isWhitespace || $0 == "\"" || $0 == "'" }
                .prefix { $0.isLetter || $0.isNumber || "-_:.".contains($0) }
            return label.isEmpty ? nil : String(label)
        }
        return nil
    }
}

/// Checks of bytes that may be UTF-8.
enum UTF8Check {
    static func isValid(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) != nil }
    }

    /// Returns the number of bytes of an incomplete character at the end.
    static func incompleteTail(_ bytes: [UInt8]) -> Int {
        for back in 1...3 where back <= bytes.count {
            let byte = bytes[bytes.count - back]
            if byte & 0xC0 == 0x80 { continue }
            let length = byte >= 0xF5 ? 1 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > back ? back : 0
        }
        return 0
    }

    /// Whether there is a character of several bytes, which rarely occurs by chance.
    static func hasSequence(_ bytes: [UInt8]) -> Bool {
        let text = bytes.prefix(1 << 20)
        return String(decoding: text, as: UTF8.self).unicodeScalars.contains {
            $0.value >= 0x80 && $0 != "\u{FFFD}"
        }
    }
}

/// A converter of text in pieces, by iconv(3).
///
/// In a statically linked program, iconv finds its tables only where its C library was built to look.
final class EncodingConverter {
    private let descriptor: iconv_t
    private var pending: [UInt8] = []
    private(set) var invalidCount = 0

    init(_ name: String) throws(ImportError) {
        guard let opened = iconv_open("UTF-8", name), opened != iconv_t(bitPattern: -1) else {
            throw ImportError(
                "The file declares the encoding '\(name.prefix(40))', which is unknown. Convert it to UTF-8.")
        }
        descriptor = opened
    }

    deinit { iconv_close(descriptor) }

    static func isKnown(_ name: String) -> Bool { (try? EncodingConverter(name)) != nil }

    /// Replaces invalid bytes by U+FFFD.
    func convert(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
        var input = pending + bytes
        var output: [UInt8] = []
        var offset = 0
        while offset < input.count {
            var left = input.count - offset
            var code: CInt = 0
            let piece = [UInt8](unsafeUninitializedCapacity: left * 4 + 16) { buffer, count in
                var room = buffer.count
                input.withUnsafeMutableBytes { source in
                    var from = source.baseAddress?.advanced(by: offset).assumingMemoryBound(to: CChar.self)
                    var to = UnsafeMutableRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: CChar.self)
                    code = iconv(descriptor, &from, &left, &to, &room) == -1 ? Errno.last.code : 0
                }
                count = buffer.count - room
            }
            output += piece
            offset = input.count - left
            // E2BIG continues the loop; EINVAL is an incomplete character.
            if code == EINVAL && !isLast { break }
            guard code == EILSEQ || code == EINVAL else { continue }
            invalidCount += 1
            output += Array("\u{FFFD}".utf8)
            offset += 1
        }
        pending = Array(input[min(offset, input.count)...])
        return output
    }
}
