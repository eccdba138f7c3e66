/// Firefox's compressed backups: a magic number, the size, and one block of LZ4
/// (github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md).
package enum MozillaLZ4 {
    static let magic = Array("mozLz40\0".utf8)

    /// Returns the contents; nil if the file is damaged or declares more than `limit` bytes.
    package static func decoded(_ file: [UInt8], limit: Int) -> [UInt8]? {
        let start = magic.count + 4
        guard file.count > start, file.starts(with: magic) else { return nil }
        let size = (0..<4).reduce(0) { $0 | Int(file[magic.count + $1]) << (8 * $1) }
        // The maximum compression factor is 255.
        guard size <= limit, size / 255 <= file.count else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(size)
        var index = start
        func length(_ base: UInt8) -> Int? {
            var length = Int(base)
            guard base == 15 else { return length }
            while index < file.count {
                let byte = file[index]
                index += 1
                length += Int(byte)
                if length > limit { return nil }
                if byte < 255 { return length }
            }
            return nil
        }
        while index < file.count {
            let token = file[index]
            index += 1
            guard let literals = length(token >> 4), literals <= file.count - index,
                output.count + literals <= size
            else { return nil }
            output += file[index..<index + literals]
            index += literals
            // The last sequence has literals only.
            if index == file.count { break }
            guard file.count - index >= 2 else { return nil }
            let offset = Int(file[index]) | Int(file[index + 1]) << 8
            index += 2
            guard let more = length(token & 15), offset > 0, offset <= output.count,
                output.count + more + 4 <= size
            else { return nil }
            for _ in 0..<more + 4 { output.append(output[output.count - offset]) }
        }
        return output.count == size ? output : nil
    }
}
