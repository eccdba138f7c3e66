import Glibc
import Platform

/// The encoding of a file's text.
enum TextEncoding: Equatable {
    case utf8
    case utf16(isBigEndian: Bool)
    /// An encoding that iconv(3) supports.
    case named(String)

    /// Returns the encoding according to the byte-order mark, a declaration, or the bytes, and the length of
    /// the mark.
    static func detect(_ bytes: [UInt8], mayDeclare: Bool) -> (encoding: TextEncoding, mark: Int) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16(isBigEndian: false), 2) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16(isBigEndian: true), 2) }
        if bytes.count >= 4 {
            if bytes[0] == 0, bytes[1] != 0, bytes[2] == 0 { return (.utf16(isBigEndian: true), 0) }
            if bytes[0] != 0, bytes[1] == 0, bytes[3] == 0 { return (.utf16(isBigEndian: false), 0) }
        }
        let isUTF8 = UTF8Check.isValid(bytes.dropLast(UTF8Check.incompleteTail(bytes)))
        if mayDeclare, let name = declared(bytes.prefix(8192)) {
            // Many exports declare another encoding than they have.
            if isUTF8 && bytes.contains(where: { $0 >= 0x80 }) { return (.utf8, 0) }
            return (encoding(named: name), 0)
        }
        // Old files of single-byte encodings do not declare them.
        return (isUTF8 || UTF8Check.hasSequence(bytes) ? .utf8 : .named("WINDOWS-1252"), 0)
    }

    private static func encoding(named name: String) -> TextEncoding {
        switch name.lowercased() {
        // A page that is readable up to here is not in UTF-16, regardless of its declaration.
        case "utf-8", "utf8", "utf-16", "utf-16le", "utf-16be", "unicode", "us-ascii", "ascii": .utf8
        case "iso-8859-1", "iso8859-1", "latin1", "latin-1", "cp1252", "windows-1252", "x-ansi":
            .named("WINDOWS-1252")
        case "x-sjis", "shift-jis", "shift_jis", "sjis", "windows-31j": .named("CP932")
        case "gb2312", "gbk", "x-gbk", "gb18030": .named("GB18030")
        case "ks_c_5601-1987", "euc-kr": .named("CP949")
        case let name: .named(name)
        }
    }

    /// Returns the value of the first `charset=` or `encoding=`.
    private static func declared(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: bytes.map { $0 < 0x80 ? $0 : 0x3F }, as: UTF8.self).lowercased()
        guard let range = text.firstRange(of: "charset") ?? text.firstRange(of: "encoding") else {
            return nil
        }
        let rest = text[range.upperBound...].drop { $0 == " " }
        guard rest.first == "=" else { return nil }
        let name = rest.dropFirst().drop { $0 == " " || $0 == "\"" || $0 == "'" }
            .prefix { $0.isLetter || $0.isNumber || "-_:.".contains($0) }
        return name.isEmpty ? nil : String(name)
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
                "The file says that it is in the encoding '\(name.prefix(40))', which is not known here; "
                    + "'iconv -f ENCODING -t UTF-8' makes one of it that can be read.")
        }
        descriptor = opened
    }

    deinit { iconv_close(descriptor) }

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
