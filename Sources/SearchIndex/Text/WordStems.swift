import CStemmer
import Platform

/// The stems of folded words, by Snowball: in English, in the language of the locale, and in languages with a script
/// of their own, so that a word of another language seldom has a false stem.
struct WordStems: ~Copyable {
    private let stemmers: [OpaquePointer]

    /// The older algorithm of English also has a stem for words such as `menus`.
    private static let languages = ["en", "porter", "ru", "el", "ar", "hy", "hi", "ta"]

    init(locale: String? = Self.locale) {
        let own = locale.map { String($0.prefix { $0.isLetter }).lowercased() }
        let languages = Self.languages + (own.map { Self.languages.contains($0) ? [] : [$0] } ?? [])
        // The library has no stems for some languages.
        stemmers = languages.compactMap { sb_stemmer_new($0, "UTF_8") }
    }

    deinit { for stemmer in stemmers { sb_stemmer_delete(stemmer) } }

    private static var locale: String? {
        ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { Environment.variable($0) }.first
    }

    /// Returns the stem of a word in each language.
    func stems(of word: [UInt8]) -> [[UInt8]] {
        stemmers.map { stemmer in
            guard let stem = sb_stemmer_stem(stemmer, word, Int32(word.count)) else { return word }
            return Array(UnsafeBufferPointer(start: stem, count: Int(sb_stemmer_length(stemmer))))
        }
    }
}
