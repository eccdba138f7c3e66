/// Clips in many languages, generated from their number. The distribution of words, tags, sites, and authors
/// is realistic: a few are common and most are rare (Zipf).
struct SampleWriting: Sendable {

    /// The author of a few clips and transactions, the oldest of all.
    static let rareAuthor = "archivist"
    static let rareTag = "rarissima"
    /// A word in every second English text.
    static let commonWord = "the"

    private let languages = SampleLanguage.all
    private let words: [[String]]
    private let tags: [String]
    private let sites: [String]

    private static let wordsEach = 12_000
    private static let emoji = ["🚀", "📚", "☕️", "🌍", "👩‍💻", "🇯🇵", "✅", "🎧", "🧪", "❤️", "🥐", "🗺️"]
    private static let authors = [
        "extension", "app", "cli", "phone", "import", "work", "feed", "laptop", "script",
    ]

    init() {
        let languages = languages
        var random = SampleRandom(seed: 11)
        func made(_ language: SampleLanguage, _ syllables: Int) -> String {
            (0..<syllables).map { _ in language.syllables[random.below(language.syllables.count)] }.joined()
        }
        let words = languages.map { language in
            language.common
                + (language.common.count..<Self.wordsEach).map { made(language, $0 > 800 ? 3 + $0 % 2 : 2) }
        }
        tags = words.flatMap { $0[40..<160] }.enumerated().sorted {
            ($0.offset % 120, $0.offset) < ($1.offset % 120, $1.offset)
        }
        .map(\.element)
        self.words = words
        sites = (0..<20_000).map { number in
            made(languages[number % 3], 2 + number % 2).filter(\.isASCII) + "-\(number).example"
        }
    }

    /// Returns the author of a transaction.
    func author(_ random: inout SampleRandom) -> String {
        Self.authors[random.rank(below: Self.authors.count)]
    }

    func title(_ number: Int) -> String {
        var random = numbers(number, 1)
        let title = sentence(&random, language(&random), 3 + random.below(6))
        return random.below(12) == 0 ? "\(Self.emoji[random.below(Self.emoji.count)]) \(title)" : title
    }

    func text(_ number: Int) -> String {
        var random = numbers(number, 2)
        let language = language(&random)
        // Most are a passage, some a page.
        let sentences = random.below(60) == 0 ? 40 + random.below(120) : random.below(6)
        return (0..<sentences).map { _ in sentence(&random, language, 5 + random.below(12)) }.joined(
            separator: "\n")
    }

    /// Returns a note, which few clips have.
    func note(_ number: Int) -> String {
        var random = numbers(number, 3)
        guard random.below(9) == 0 else { return "" }
        return sentence(&random, language(&random), 2 + random.below(8))
    }

    func tags(_ number: Int) -> String {
        var random = numbers(number, 4)
        var chosen: [String] = []
        for _ in 0..<random.below(4) {
            let tag = tags[random.rank(below: tags.count)]
            if !chosen.contains(tag) { chosen.append(tag) }
        }
        return chosen.joined(separator: ",")
    }

    func url(_ number: Int) -> String {
        var random = numbers(number, 5)
        // Some notes have none.
        guard random.below(25) > 0 else { return "" }
        return "https://\(sites[random.rank(below: sites.count)])/\(2000 + random.below(27))/\(number)"
    }

    private func numbers(_ number: Int, _ seed: UInt64) -> SampleRandom {
        SampleRandom(seed: UInt64(number) &* 31 &+ seed)
    }

    private func language(_ random: inout SampleRandom) -> Int { random.rank(below: languages.count) }

    private func sentence(_ random: inout SampleRandom, _ language: Int, _ count: Int) -> String {
        let space = languages[language].space
        var text = ""
        for index in 0..<count {
            if index > 0 { text += space }
            text += words[language][random.rank(below: Self.wordsEach)]
        }
        return text
    }
}
