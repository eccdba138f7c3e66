/// A writing system, as far as host names may mix it with another (UTS 39, "highly restrictive").
enum LetterScript: Hashable {
    case latin, greek, cyrillic, han, kana, hangul
    /// A script that looks like no other, by its block.
    case other(UInt32)

    /// Whether the letters of a label are of one script, or of those that are written together, and cannot be
    /// taken for Latin ones.
    static func isUnambiguous(_ label: String) -> Bool {
        var scripts: Set<LetterScript> = []
        for scalar in label.unicodeScalars where !isCommon(scalar) {
            guard scalar.properties.isAlphabetic || scalar.properties.generalCategory == .nonspacingMark,
                let script = script(of: scalar)
            else { return false }
            scripts.insert(script)
        }
        if scripts == [.cyrillic] || scripts == [.greek] {
            return !label.unicodeScalars.allSatisfy { isCommon($0) || lookalikes.contains($0) }
        }
        let east: [Set<LetterScript>] = [[.latin, .han, .kana], [.latin, .han, .hangul]]
        return scripts.count < 2 || east.contains { scripts.isSubset(of: $0) }
    }

    /// Digits and the hyphen belong to every script.
    private static func isCommon(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "-" || ("0"..."9").contains(scalar)
    }

    /// Cyrillic and Greek letters that look like Latin ones.
    private static let lookalikes = Set("асԁеһіјӏорԛѕԝхуъьбвгкмнптзνοαιυρκτωχγ".unicodeScalars)

    private static func script(of scalar: Unicode.Scalar) -> LetterScript? {
        switch scalar.value {
        case 0x41...0x5A, 0x61...0x7A, 0xC0...0x24F, 0x1E00...0x1EFF: .latin
        case 0x370...0x3FF, 0x1F00...0x1FFF: .greek
        case 0x400...0x52F: .cyrillic
        case 0x3041...0x30FF: .kana
        case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0x20000...0x323AF, 0x3005, 0x3007: .han
        case 0x1100...0x11FF, 0xAC00...0xD7A3: .hangul
        // Armenian to Tibetan, Myanmar, Georgian, Ethiopic, and Khmer, in blocks of 128.
        case 0x531...0x10FF, 0x1200...0x137F, 0x1780...0x17FF: .other(scalar.value / 128)
        default: nil
        }
    }
}
