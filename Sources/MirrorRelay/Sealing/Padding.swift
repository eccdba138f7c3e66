/// Sizes in steps (Padmé, from "Reducing Metadata Leakage from Encrypted Files and Communication with PURBs"): at most an
/// eighth more, and sizes that differ little are equal.
enum Padding {
    /// Returns the next step of a size.
    static func step(_ size: Int) -> Int {
        guard size > 1 else { return size }
        let exponent = logarithm(size)
        let mask = (1 << (exponent - logarithm(exponent) - 1)) - 1
        return (size + mask) & ~mask
    }

    private static func logarithm(_ number: Int) -> Int {
        max(0, Int.bitWidth - 1 - number.leadingZeroBitCount)
    }

    private static let end: UInt8 = 0x80

    static func pad(_ plain: [UInt8]) -> [UInt8] {
        let size = plain.count + 1
        var padded: [UInt8] = []
        padded.reserveCapacity(step(size))
        padded += plain
        padded.append(end)
        padded += repeatElement(0, count: step(size) - size)
        return padded
    }

    static func unpad(_ padded: consuming [UInt8]) -> [UInt8]? {
        guard let last = padded.lastIndex(where: { $0 != 0 }), padded[last] == end else { return nil }
        padded.removeLast(padded.count - last)
        return padded
    }
}
