/// Folding of texts for comparisons: removes case, marks, and width, converts katakana to hiragana, and
/// replaces white space, hyphens, and apostrophes by one space. Applied to both documents and queries.
package enum Folding {
    /// Returns the folded text as UTF-8.
    package static func fold(_ text: String) -> [UInt8] {
        if let bytes = foldASCII(text) { return bytes }
        var folder = Folder(recordsOrigins: false)
        folder.append(text)
        return folder.bytes
    }

    /// Returns a folded name without the spaces around it, which hyphens and apostrophes become: by these bytes, names
    /// are equal.
    package static func foldName(_ name: String) -> [UInt8] { Array(trimmed(fold(name)[...])) }

    /// Returns folded text without the spaces around it.
    static func trimmed(_ folded: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = folded.drop { $0 == 32 }
        while rest.last == 32 { rest.removeLast() }
        return rest
    }

    /// Returns the folded text; nil if it has other characters than those of ASCII.
    private static func foldASCII(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { source in
            var isASCII = true
            let bytes = [UInt8](unsafeUninitializedCapacity: source.count) { folded, count in
                for byte in source {
                    let letter = foldedASCII(byte)
                    isASCII = isASCII && byte < 0x80
                    guard letter != 32 || count == 0 || folded[count - 1] != 32 else { continue }
                    folded.initializeElement(at: count, to: letter)
                    count += 1
                }
            }
            return isASCII ? bytes : nil
        }
    }

    /// Returns the folded letter of ASCII: a space for white space, hyphens, and apostrophes.
    fileprivate static func foldedASCII(_ byte: UInt8) -> UInt8 {
        if byte &- 65 < 26 { return byte | 0x20 }
        return byte == 0x2D || byte == 0x27 || byte == 0x60 || byte &- 9 < 5 ? 32 : byte
    }

    /// Returns the folded text and, for each of its bytes, the UTF-8 offset of the original scalar.
    static func foldWithOrigins(_ text: String) -> (bytes: [UInt8], origins: [Int]) {
        var folder = Folder(recordsOrigins: true)
        folder.append(text)
        return (folder.bytes, folder.origins)
    }

    static func isSpace(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 9...13, 32, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: true
        default: isJoiner(scalar)
        }
    }

    /// Returns whether a scalar is a hyphen, a dash, or an apostrophe, so that phrases cross them.
    private static func isJoiner(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x27, 0x2D, 0x60, 0xB4, 0x2B9, 0x2BB, 0x2BC, 0x2010...0x2015, 0x2018, 0x2019, 0x201B, 0x2032,
            0x2212, 0xFE58, 0xFE63:
            true
        default: false
        }
    }
}

private struct Folder {
    private(set) var bytes: [UInt8] = []
    private(set) var origins: [Int] = []
    private let recordsOrigins: Bool
    /// The last scalar written, which a mark may change.
    private var last: UInt32 = 0

    init(recordsOrigins: Bool) { self.recordsOrigins = recordsOrigins }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { source in
            bytes.reserveCapacity(source.count)
            var index = 0
            while index < source.count {
                let byte = source[index]
                if byte < 0x80 {
                    appendASCII(byte, from: index)
                    index += 1
                } else {
                    // The text of a String is valid UTF-8: the first byte says how long the scalar is.
                    let length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
                    var scalar = UInt32(byte) & (0xFF >> UInt32(length + 1))
                    for next in 1..<length { scalar = scalar << 6 | UInt32(source[index + next] & 0x3F) }
                    append(scalar, from: index)
                    index += length
                }
            }
        }
    }

    private mutating func appendASCII(_ byte: UInt8, from origin: Int) {
        let folded = Folding.foldedASCII(byte)
        if folded == 32 { writeSpace(origin) } else { write(folded, origin) }
    }

    private mutating func append(_ scalar: UInt32, from origin: Int) {
        if scalar < FoldingTable.limit {
            switch FoldingTable.scalars[Int(scalar)] {
            case 0: combine(scalar)
            case FoldingTable.space: writeSpace(origin)
            case FoldingTable.pair: write(FoldingTable.pairs[scalar] ?? [], origin)
            case let folded: write(folded, origin)
            }
            return
        }
        switch scalar {
        case 0x30A1...0x30F6: write(scalar - 0x60, origin)
        case 0x3099, 0x309A, 0xFF9E, 0xFF9F: voice(isHalf: scalar == 0x309A || scalar == 0xFF9F)
        case 0xFF01...0xFF5E: appendASCII(UInt8(scalar - 0xFEE0), from: origin)
        case 0xFF66...0xFF9D: write(FoldingTable.narrowKana[Int(scalar - 0xFF66)], origin)
        case 0x200B...0x200D, 0xFE00...0xFE0F, 0xFEFF: break
        case 0xFB01, 0xFB02: write(FoldingTable.pairs[scalar] ?? [], origin)
        case _ where Folding.isSpace(scalar): writeSpace(origin)
        default: write(scalar, origin)
        }
    }

    /// Drops a mark; but и with a breve is й.
    private mutating func combine(_ mark: UInt32) {
        if mark == 0x306, last == 0x438 { replaceLast(0x439) }
    }

    /// Applies a voicing mark: か and the mark are が.
    private mutating func voice(isHalf: Bool) {
        switch last {
        case 0x304B...0x3062 where !isHalf && last % 2 == 1: replaceLast(last + 1)
        case 0x3064...0x3068 where !isHalf && last % 2 == 0: replaceLast(last + 1)
        case 0x306F...0x307B where last % 3 == 0: replaceLast(last + (isHalf ? 2 : 1))
        case 0x3046 where !isHalf: replaceLast(0x3094)
        default: break
        }
    }

    private mutating func replaceLast(_ scalar: UInt32) {
        guard let from = bytes.lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return }
        let origin = recordsOrigins ? origins[from] : 0
        bytes.removeSubrange(from...)
        if recordsOrigins { origins.removeSubrange(from...) }
        write(scalar, origin)
    }

    private mutating func writeSpace(_ origin: Int) {
        if bytes.last != 32 { write(32 as UInt8, origin) }
    }

    private mutating func write(_ byte: UInt8, _ origin: Int) {
        bytes.append(byte)
        last = UInt32(byte)
        if recordsOrigins { origins.append(origin) }
    }

    private mutating func write(_ scalar: UInt32, _ origin: Int) {
        if scalar < 0x80 { return write(UInt8(scalar), origin) }
        if scalar < 0x800 {
            bytes.append(UInt8(0xC0 | scalar >> 6))
        } else {
            if scalar < 0x10000 {
                bytes.append(UInt8(0xE0 | scalar >> 12))
            } else {
                bytes.append(UInt8(0xF0 | scalar >> 18))
                bytes.append(UInt8(0x80 | scalar >> 12 & 0x3F))
            }
            bytes.append(UInt8(0x80 | scalar >> 6 & 0x3F))
        }
        bytes.append(UInt8(0x80 | scalar & 0x3F))
        last = scalar
        while recordsOrigins && origins.count < bytes.count { origins.append(origin) }
    }

    private mutating func write(_ letters: [UInt8], _ origin: Int) {
        for letter in letters { write(letter, origin) }
    }
}

/// The folded scalar of each scalar of the alphabets; created at the first search.
private enum FoldingTable {
    static let limit: UInt32 = 0x2100
    /// A value above all scalars.
    static let space: UInt32 = 0x20_0000
    static let pair: UInt32 = 0x20_0001

    static let narrowKana: [UInt32] = MarkedLetters.narrowKana.unicodeScalars.map(\.value)

    static let pairs: [UInt32: [UInt8]] = Dictionary(
        uniqueKeysWithValues: MarkedLetters.pairs.map { ($0.value, Array($1.utf8)) })

    /// The folded scalars; 0 for dropped ones.
    static let scalars: [UInt32] = {
        var table = (0..<limit).map { value -> UInt32 in
            guard let scalar = Unicode.Scalar(value), !isDropped(value) else { return 0 }
            if Folding.isSpace(value) { return space }
            let lower = scalar.properties.lowercaseMapping.unicodeScalars
            return lower.first?.value ?? value
        }
        for group in MarkedLetters.groups {
            let letters = group.unicodeScalars.map(\.value)
            for letter in letters.dropFirst() { table[Int(letter)] = letters[0] }
        }
        // An uppercase letter folds like its lowercase letter.
        for value in 0x80..<Int(limit) where table[value] > 0x7F && table[value] < limit {
            table[value] = table[Int(table[value])]
        }
        for letter in pairs.keys where letter < limit { table[Int(letter)] = pair }
        return table
    }()

    /// Returns whether a scalar is an accent, a vowel point, or an invisible character.
    private static func isDropped(_ value: UInt32) -> Bool {
        switch value {
        case 0xAD, 0x300...0x36F, 0x591...0x5BD, 0x5BF, 0x5C1, 0x5C2, 0x5C4, 0x5C5, 0x64B...0x65F, 0x670,
            0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x2064,
            0x20D0...0x20F0:
            true
        default: false
        }
    }
}
