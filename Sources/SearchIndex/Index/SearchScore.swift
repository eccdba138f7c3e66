import Glibc
import PersistentStore

/// The score of the results of one stage of a ranking.
///
/// BM25 over fields with weights (Robertson, Zaragoza, Taylor: "Simple BM25 extension to multiple weighted
/// fields", 2004). Without the long texts, a word that is in no other field counts as once in the text.
struct SearchScore {
    private let words: [(text: SearchText, weight: Double)]
    private let title: [UInt8]

    private static let saturation = 1.2
    private static let normalization = 0.75

    /// - Parameter weight: Returns the weight of a word: the higher, the rarer it is.
    init(_ query: SearchQuery, weight: (SearchQuery) throws(StoreError) -> Double) throws(StoreError) {
        var words: [(text: SearchText, weight: Double)] = []
        for (text, field) in query.texts {
            words.append((text, try weight(SearchQuery(text, in: field))))
        }
        self.words = words
        title = Self.words(query.texts.map(\.text.folded).joined(separator: [32]).map { $0 })
    }

    /// Returns the score of a document, infinite for one whose title is the query.
    func score(_ document: SearchDocument) -> Double {
        let folded = FoldedDocument(document)
        if Self.words(folded.title) == title { return .infinity }
        // With the weight of each field and the usual number of its bytes.
        let fields = [
            (folded.title, 4.0, 40.0), (folded.tags, 3, 15), (folded.url, 1, 40), (folded.text, 1, 400),
            (folded.note, 1, 100),
        ]
        return words.reduce(0) { sum, word in
            let count = fields.reduce(0) { count, field in
                let occurrences = Double(word.text.ranges(in: field.0, limit: 4).count)
                let length =
                    1 - Self.normalization + Self.normalization * Double(field.0.count) / field.2
                // A short text is not better than a title of several words.
                return count + field.1 * occurrences / (field.1 > 1 ? length : max(1, length))
            }
            let frequency = count > 0 ? count : 1
            return sum + word.weight * frequency * (Self.saturation + 1) / (Self.saturation + frequency)
        }
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
