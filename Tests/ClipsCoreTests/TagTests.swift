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

    @Test func `tags are typed as the list shows them, and one with spaces is quoted`() {
        #expect(TagChange("#swift #vim -old one, C# .net").adding == ["swift", "vim", "C# .net"])
        #expect(TagChange("#swift #vim -old one, C# .net").removing == ["old one"])
        #expect(TagChange("+\"two words\" -“old one”").adding == ["two words"])
        #expect(TagChange("+\"two words\" -“old one”").removing == ["old one"])
        #expect(TagChange("5\", \"").adding == ["5\"", "\""])
        #expect(TagChange("a b c").sentence("“T”") == "tagged “T” +“a b c”")
        #expect(TagChange("+a +b, c").sentence("“T”") == "tagged “T” +a +b +c")
    }
}
