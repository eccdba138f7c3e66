/// Realistic text: words of several scripts, a few of them common and most of them rare, as in any language
/// (Zipf). The same number gives the same text.
struct SampleText {
    private let words: [String]
    private let characters: [String]

    private static let syllables = [
        "ka", "lo", "mi", "ter", "san", "vo", "re", "du", "ing", "pro", "con", "al", "be", "é", "schw", "ung",
        "tion",
        "er", "qui", "na", "ra", "ste", "ø", "lin", "mar", "to", "ü", "ch", "ez", "pi", "go", "wa", "ny", "ß",
        "fre",
    ]
    static let distinctWords = 200_000

    init() {
        var random = SampleRandom(seed: 7)
        words = (0..<Self.distinctWords).map { rank in
            let length = 1 + (rank > 50 ? 1 : 0) + (rank > 3000 ? 1 : 0) + Int(random.next() % 2)
            return (0..<length).map { _ in Self.syllables[Int(random.next() % UInt64(Self.syllables.count))] }
                .joined()
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
        return (0..<Int(random.next() % 4)).map { _ in words[Int(random.next() % 400)] }.joined(
            separator: ",")
    }

    /// Every eighth clip is Chinese or Japanese.
    private func line(_ number: Int, seed: UInt64, words count: ClosedRange<Int>) -> String {
        var random = SampleRandom(seed: UInt64(number) &* 31 &+ seed)
        let length = count.lowerBound + Int(random.next() % UInt64(count.count))
        if number % 8 == 5 {
            return (0..<length * 2).map { _ in characters[random.rank(below: characters.count)] }.joined()
        }
        return (0..<length).map { _ in word(&random) }.joined(separator: " ")
    }

    private func word(_ random: inout SampleRandom) -> String { words[random.rank(below: words.count)] }
}
