import FoundationEssentials

/// A link for measuring the order of results.
struct SampleLink: Decodable {
    let url: String
    let title: String
    let text: String
    let tags: [String]
    /// The subjects of the link, by which results are judged.
    var topics: [String] { topic.map { [$0] } ?? tags }
    private var topic: String?

    /// Reads links from JSON lines, as `clips add --jsonl` does; their tags are their subjects.
    static func read(_ path: String) throws -> [SampleLink] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw BenchmarkError("cannot read \(path)")
        }
        return try data.split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(SampleLink.self, from: $0)
        }
    }

    /// Generates links on subjects of which few are common and most are rare (Zipf). The word of a subject is
    /// usually in the title and the tags, but also in links on other subjects.
    static func generate(_ count: Int) -> [SampleLink] {
        let sample = SampleText()
        return (0..<count).map { SampleLink($0, sample) }
    }

    private static let topicCount = 400

    private init(_ number: Int, _ sample: SampleText) {
        var random = SampleRandom(seed: UInt64(number) &* 31 &+ 14)
        func topic() -> String { sample.word(rank: 100 + random.rank(below: Self.topicCount)) }
        func words(_ count: Int) -> [String] {
            (0..<count).map { _ in sample.word(rank: random.rank(below: 30_000)) }
        }
        func happens(_ percent: Int) -> Bool { random.below(100) < percent }
        let own = topic()
        title = (words(2 + random.below(5)) + (happens(70) ? [own] : []) + (happens(10) ? [topic()] : []))
            .shuffled(using: &random).joined(separator: " ")
        tags = (happens(80) ? [own] : []) + (0..<random.below(3)).map { _ in topic() }
        let page = words(2) + (happens(30) ? [own] : [])
        url = "https://\(sample.word(rank: random.rank(below: 5000))).example/\(page.joined(separator: "-"))"
        let mentions = (0..<random.below(3)).map { _ in own } + (happens(30) ? [topic()] : [])
        text = (words(5 + random.below(40)) + mentions).shuffled(using: &random).joined(separator: " ")
        self.topic = own
    }
}
