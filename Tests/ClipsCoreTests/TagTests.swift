import ClipsCore
import Testing

/// Tags as the store has them: names with commas between them.
@Suite struct TagTests {
    @Test(arguments: [
        ("", []), (",", []), ("a", ["a"]), ("b,a", ["b", "a"]), (",a,,b,", ["a", "b"]),
        ("a,b,a", ["a", "b"]),
        ("two words, b ", ["two words", "b"]), ("é,日本", ["é", "日本"]), ("a\r\n,b", ["a", "b"]),
    ])
    func `joined names are trimmed, without repetitions`(text: String, names: [String]) {
        #expect(Tags(joined: text).names == names)
    }
}
