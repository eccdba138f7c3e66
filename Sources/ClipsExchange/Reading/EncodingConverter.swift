import Glibc
import Platform

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
        var place = 0
        while place < input.count {
            var left = input.count - place
            var code: CInt = 0
            let piece = [UInt8](unsafeUninitializedCapacity: left * 4 + 16) { buffer, count in
                var room = buffer.count
                input.withUnsafeMutableBytes { source in
                    var from = source.baseAddress?.advanced(by: place).assumingMemoryBound(to: CChar.self)
                    var to = UnsafeMutableRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: CChar.self)
                    code = iconv(descriptor, &from, &left, &to, &room) == -1 ? Errno.last.code : 0
                }
                count = buffer.count - room
            }
            output += piece
            place = input.count - left
            // E2BIG continues the loop; EINVAL is an incomplete character.
            if code == EINVAL && !isLast { break }
            guard code == EILSEQ || code == EINVAL else { continue }
            invalidCount += 1
            output += Array("\u{FFFD}".utf8)
            place += 1
        }
        pending = Array(input[min(place, input.count)...])
        return output
    }
}
