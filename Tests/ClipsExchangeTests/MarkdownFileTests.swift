import ClipsCore
import Testing

/// The links of a Markdown file, with their titles and notes.
@Suite struct MarkdownFileTests {
    private static let long = String(repeating: "x", count: 4000)

    @Test(arguments: [
        (
            "- [One](https://a.ex) - a note with [second](https://b.ex)",
            ["https://a.ex|One|a note with [second](https://b.ex)", "https://b.ex|second|"]
        ),
        (
            "* **[One](https://a.ex)** – by https://b.ex, `MIT`",
            ["https://a.ex|One|by https://b.ex, `MIT`", "https://b.ex||"]
        ),
        (
            "[a](https://a.ex) [b](https://b.ex), and <https://c.ex>",
            ["https://a.ex|a|", "https://b.ex|b|", "https://c.ex||"]
        ),
        ("- [a](https://a.ex): [b](https://b.ex)", ["https://a.ex|a|", "https://b.ex|b|"]),
        ("- [F][f] - its note\n\n[f]: https://f.ex", ["https://f.ex|F|its note"]),
        ("[f]: <https://f.ex/(a b>  (The title)", ["https://f.ex/(a b|The title|"]),
        ("[f]: https://f.ex/x) 'T'\nsee [the f][F].", ["https://f.ex/x)|the f|."]),
        (
            "[f]:https://f.ex\n[g]: https://g.ex a word\n[^1]: https://n.ex",
            ["https://g.ex||a word", "https://n.ex||", "https://f.ex|f|"]
        ),
        ("![p](https://p.ex/a.png) [![alt](i.png)](https://a.ex) ![b][c]", ["https://a.ex|alt|![b][c]"]),
        (
            #"[un\[balanced](https://a.ex) \[b](c) `[d](https://d.ex)`"#,
            [#"https://a.ex|un[balanced|[b](c) `[d](https://d.ex)`"#]
        ),
        ("[a]( <https://a.ex> \"T\" ) and [https://b.ex]", ["https://a.ex|a|", "https://b.ex||"]),
        ("- [ ] [t](https://a.ex)\n- [x] https://b.ex", ["https://a.ex|t|", "https://b.ex||"]),
        (
            "<mailto:a@b.ex> <b@c.ex> <zotero://x> \\<https://d.ex>",
            ["mailto:a@b.ex||", "zotero://x||", "https://d.ex||"]
        ),
        ("[a](./b.md \"T\") https://a.ex/_b", ["./b.md|a|", "https://a.ex/_b||"]),
        ("[\(long)](https://a.ex/\(long))", ["https://a.ex/\(long)|\(long)|"]),
    ])
    func `a line has links with titles and a note`(text: String, clips: [String]) throws {
        let drafts = try Reading("# Links\n\n\(text)\n", name: "a.md").drafts
        #expect(drafts.map { "\($0.url)|\($0.title)|\($0.note)" } == clips)
    }
}
