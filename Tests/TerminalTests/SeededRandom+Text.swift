import TestSupport

extension SeededRandom {
    /// Returns scalars from problematic ranges, and plain letters.
    mutating func text(length: Int) -> String {
        let ranges: [ClosedRange<UInt32>] = [
            0x20...0x7E, 0x00...0x1F, 0x7F...0xFF, 0x300...0x36F, 0x600...0x6FF, 0x900...0x97F,
            0x1100...0x11FF,
            0x2000...0x206F, 0x20D0...0x20FF, 0x2600...0x27BF, 0x3000...0x30FF, 0x4E00...0x4EFF,
            0xAC00...0xACFF,
            0xFE00...0xFE0F, 0x1F1E6...0x1F1FF, 0x1F300...0x1F64F, 0x1F3FB...0x1F3FF, 0x1F900...0x1F9FF,
            0xE0000...0xE007F, 0x0...0xD7FF, 0xE000...0x10FFFF, 0x200C...0x200D, 0x20...0x20,
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0...length, using: &self) {
            let range = ranges[Int.random(in: 0..<ranges.count, using: &self)]
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &self)) {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
