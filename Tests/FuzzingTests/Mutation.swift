import TestSupport

/// Inputs made from others: bytes changed, words inserted, and pieces cut, doubled, and exchanged between
/// two.
struct Mutation {
    private let seeds: [[UInt8]]
    private let words: [[UInt8]]
    private var random: SeededRandom
    private static let maxLength = 2048

    init(seeds: [[UInt8]], words: [[UInt8]], seed: UInt64) {
        (self.seeds, self.words) = (seeds, words)
        random = SeededRandom(seed: seed)
    }

    mutating func next() -> [UInt8] {
        // One in four consists of words only.
        var bytes =
            Int.random(in: 0..<4, using: &random) == 0 ? [] : piece(of: seeds.randomElement(using: &random))
        for _ in 0...Int.random(in: 0...8, using: &random) { change(&bytes) }
        return Array(bytes.prefix(Self.maxLength))
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let offset = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, offset + Int.random(in: 1...40, using: &random))
        switch Int.random(in: 0..<7, using: &random) {
        case 0 where offset < bytes.count: bytes[offset] = .random(in: .min ... .max, using: &random)
        case 1 where offset < bytes.count: bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: bytes.removeSubrange(offset..<end)
        case 3: bytes.insert(contentsOf: bytes[offset..<end], at: offset)
        case 4:
            bytes.replaceSubrange(
                offset..<end, with: piece(of: seeds.randomElement(using: &random)).prefix(80))
        case 5:
            let word = words.randomElement(using: &random) ?? []
            let count = Int.random(in: 0..<12, using: &random) == 0 ? 100 : 1
            bytes.insert(contentsOf: (0..<count).flatMap { _ in word }, at: offset)
        default: bytes.insert(contentsOf: words.randomElement(using: &random) ?? [0xFF], at: offset)
        }
    }

    private mutating func piece(of bytes: [UInt8]?) -> [UInt8] {
        guard let bytes, bytes.count > 300 else { return bytes ?? [] }
        let start = Int.random(in: 0..<bytes.count, using: &random)
        return Array(bytes[start...].prefix(Int.random(in: 1...1000, using: &random)))
    }
}
