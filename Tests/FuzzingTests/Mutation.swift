import TestSupport

/// Inputs made of others: bytes changed, words put in, pieces cut out, doubled and exchanged between two.
struct Mutation {
    private let seeds: [[UInt8]]
    private let words: [[UInt8]]
    private var random: SeededRandom
    private static let most = 2048

    init(seeds: [[UInt8]], words: [[UInt8]], seed: UInt64) {
        (self.seeds, self.words) = (seeds, words)
        random = SeededRandom(seed: seed)
    }

    mutating func next() -> [UInt8] {
        // One in four from nothing but words.
        var bytes =
            Int.random(in: 0..<4, using: &random) == 0 ? [] : piece(of: seeds.randomElement(using: &random))
        for _ in 0...Int.random(in: 0...8, using: &random) { change(&bytes) }
        return Array(bytes.prefix(Self.most))
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let place = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, place + Int.random(in: 1...40, using: &random))
        switch Int.random(in: 0..<7, using: &random) {
        case 0 where place < bytes.count: bytes[place] = .random(in: .min ... .max, using: &random)
        case 1 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 4:
            bytes.replaceSubrange(
                place..<end, with: piece(of: seeds.randomElement(using: &random)).prefix(80))
        case 5:
            let word = words.randomElement(using: &random) ?? []
            let count = Int.random(in: 0..<12, using: &random) == 0 ? 100 : 1
            bytes.insert(contentsOf: (0..<count).flatMap { _ in word }, at: place)
        default: bytes.insert(contentsOf: words.randomElement(using: &random) ?? [0xFF], at: place)
        }
    }

    private mutating func piece(of bytes: [UInt8]?) -> [UInt8] {
        guard let bytes, bytes.count > 300 else { return bytes ?? [] }
        let start = Int.random(in: 0..<bytes.count, using: &random)
        return Array(bytes[start...].prefix(Int.random(in: 1...1000, using: &random)))
    }
}
