import Glibc
import PersistentStore

/// The score of the results of one stage of a ranking.
///
/// BM25 over fields with weights (Robertson, Zaragoza, Taylor: "Simple BM25 extension to multiple weighted
/// fields", 2004). Without the long texts, a word that is in no other field counts as once in the text.
struct SearchScore {
    /// The words, and the bit of the clause of each that is not of a field.
    private let words: [(text: SearchText, weight: Double, clause: UInt64)]
    private let clauses: UInt64
    private let title: [UInt8]

    private static let saturation = 1.2
    private static let normalization = 0.75

    /// - Parameter weight: Returns the weight of a word: the higher, the rarer it is.
    init(_ query: SearchQuery, weight: (SearchQuery) throws(StoreError) -> Double) throws(StoreError) {
        var words: [(text: SearchText, weight: Double, clause: UInt64)] = []
        for (number, clause) in query.clauses.enumerated() {
            var part = query
            part.clauses = [clause]
            for (text, field) in part.texts {
                let bit: UInt64 = field.isName ? 0 : 1 &<< UInt64(number)
                words.append((text, try weight(SearchQuery(text, in: field)), bit))
            }
        }
        self.words = words
        clauses = words.reduce(0) { $0 | $1.clause }
        title = Self.words(query.texts.map(\.text.folded).joined(separator: [32]).map { $0 })
    }

    /// Higher than the sum for any words.
    private static let titleScore = 1e6

    /// Returns the score of a document, infinite for one whose title is the query. One whose title has a word of each
    /// clause is better than others.
    ///
    /// - Parameter readsTexts: Whether the long texts count.
    func score(_ document: SearchDocument, readsTexts: Bool = true) -> Double {
        let folded = FoldedDocument(document)
        if Self.words(folded.title) == title { return .infinity }
        // With the weight of each field and the usual number of its bytes.
        var fields = [(folded.title, 4.0, 40.0), (folded.tags, 3, 15), (folded.url, 1, 40)]
        if readsTexts { fields += [(folded.text, 1, 400), (folded.note, 1, 100)] }
        var titled: UInt64 = 0
        let sum = words.reduce(0) { sum, word in
            let occurrences = fields.map { Double(word.text.ranges(in: $0.0, limit: 4).count) }
            if occurrences[0] > 0 { titled |= word.clause }
            let count = zip(fields, occurrences).reduce(0) { count, part in
                let (field, occurrences) = part
                let length =
                    1 - Self.normalization + Self.normalization * Double(field.0.count) / field.2
                // A short text is not better than a title of several words.
                return count + field.1 * occurrences / (field.1 > 1 ? length : max(1, length))
            }
            let frequency = count > 0 ? count : 1
            return sum + word.weight * frequency * (Self.saturation + 1) / (Self.saturation + frequency)
        }
        return titled == clauses ? sum + Self.titleScore : sum
    }

    /// Returns the words of a folded text, separated by spaces.
    private static func words(_ folded: [UInt8]) -> [UInt8] {
        var words: [UInt8] = []
        folded.withUnsafeBufferPointer { bytes in
            Tokens.runs(bytes) { run in
                if !words.isEmpty { words.append(32) }
                words += bytes[run.range]
            }
        }
        return words
    }

    /// Returns the inverse document frequency.
    static func weight(_ count: Int, of total: Int) -> Double {
        log(1 + (Double(max(0, total - count)) + 0.5) / (Double(count) + 0.5))
    }
}

extension SearchQuery {
    /// Creates a query for one text.
    init(_ text: SearchText, in field: SearchField) {
        clauses = [[Literal(isNegated: false, condition: .text(text, in: field))]]
    }
}
