/// Realistic clips, generated from their numbers. A few words, tags, and sites are common and most are rare
/// (Zipf); every eighth clip is Chinese or Japanese.
struct SampleText: Sendable {
    private let words: [String]
    private let characters: [String]

    private static let syllables = [
        "ka", "lo", "mi", "ter", "san", "vo", "re", "du", "ing", "pro", "con", "al", "be", "é", "schw", "ung",
        "tion", "er", "qui", "na", "ra", "ste", "ø", "lin", "mar", "to", "ü", "ch", "ez", "pi", "go", "wa",
        "ny", "ß", "fre",
    ]

    init() {
        var random = SampleRandom(seed: 7)
        words = (0..<200_000).map { rank in
            let length = 1 + (rank > 50 ? 1 : 0) + (rank > 3000 ? 1 : 0) + random.below(2)
            return (0..<length).map { _ in Self.syllables[random.below(Self.syllables.count)] }.joined()
        }
        characters =
            (0..<3000).compactMap { Unicode.Scalar(0x4E00 + $0 * 5).map { String(Character($0)) } }
            + (0x3042...0x3093).compactMap { Unicode.Scalar($0).map { String(Character($0)) } }
    }

    func title(_ number: Int) -> String { line(number, seed: 1, words: 3...8) }
    func text(_ number: Int) -> String { line(number, seed: 2, words: 10...110) }
    func url(_ number: Int) -> String {
        var random = SampleRandom(seed: UInt64(number) &* 31 &+ 3)
        return "https://\(word(&random)).example/\(word(&random))/\(number)"
    }
    func tags(_ number: Int) -> String {
        var random = SampleRandom(seed: UInt64(number) &* 31 &+ 4)
        return (0..<random.below(4)).map { _ in words[random.below(400)] }.joined(separator: ",")
    }

    /// Returns a word of a rank; 0 is the most common one.
    func word(rank: Int) -> String { words[rank] }

    private func line(_ number: Int, seed: UInt64, words count: ClosedRange<Int>) -> String {
        var random = SampleRandom(seed: UInt64(number) &* 31 &+ seed)
        let length = count.lowerBound + random.below(count.count)
        if number % 8 == 5 {
            return (0..<length * 2).map { _ in characters[random.rank(below: characters.count)] }.joined()
        }
        return (0..<length).map { _ in word(&random) }.joined(separator: " ")
    }

    private func word(_ random: inout SampleRandom) -> String { words[random.rank(below: words.count)] }
}

/// Reproducible random numbers from a seed (SplitMix64), because the generated stores are reused.
struct SampleRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// Returns a rank; low ranks are more frequent: uniform on a logarithmic scale, approximately 1/rank.
    mutating func rank(below count: Int) -> Int {
        let shift = next() % UInt64(UInt64.bitWidth - UInt64(count).leadingZeroBitCount)
        let top = min(UInt64(count), 2 << shift)
        return Int(next() % top)
    }
}
