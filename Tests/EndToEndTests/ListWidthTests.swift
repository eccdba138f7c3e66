import TestSupport
import Testing

/// The columns of lists on terminals of any width.
@Suite struct ListWidthTests {
    @Test func `a title in a list has no fewer cells on a wider terminal`() throws {
        let clips = try ClipsProgram()
        try clips.run(
            "add", "--title", String(repeating: "X", count: 300), "--url", "https://site.example/page",
            "--tag", "alpha", "--tag", "beta")
        // Those without tags or a site have as many cells as the others.
        try clips.run("add", "--title", String(repeating: "U", count: 300), "--url", "https://site.example/u")
        try clips.run("add", "--title", String(repeating: "V", count: 300), "--text", "No page")
        try clips.run("add", "--title", String(repeating: "T", count: 300), "--text", "No page", "--tag", "x")
        // A letter of its tag has two cells.
        try clips.run(
            "add", "--title", String(repeating: "W", count: 21), "--url", "https://site.example/w",
            "--tag", "日本語", "--tag", "中")
        // It fits into some of the widths at which the tags of longer ones have no room.
        try clips.run(
            "add", "--title", String(repeating: "Y", count: 24), "--url", "https://site.example/other",
            "--tag", "gamma")
        let loop = """
            for n in $(seq 20 130) 160 200 240 280; do
            script -qec "stty rows 24 cols $n; $CLIPS list --color never" /dev/null < /dev/null | tr -d '\\r'; done
            """
        let rows = try clips.shell(loop).output.split(separator: "\n")
        let lines = rows.filter { $0.contains("X") }
        let widths = lines.map { $0.count { $0 == "X" } }
        let short = rows.filter { $0.contains("Y") }.map { $0.count { $0 == "Y" } }
        for letter in ["T", "U", "V", "W"] as [Character] {
            let widths = rows.map { $0.count { $0 == letter } }.filter { $0 > 0 }
            #expect(widths.count == lines.count && widths == widths.sorted(), "\(letter): \(widths)")
        }
        #expect(short.count == widths.count && short == short.sorted() && short.last == 24, "\(short)")
        #expect(!rows.contains { $0.contains("… …") }, "\(rows)")
        #expect(widths.count > 80 && widths == widths.sorted(), "\(widths)")
        #expect(widths.first == 14 && widths.last ?? 0 > 150, "\(widths)")
        #expect(lines.last?.contains("#alpha #beta") == true && lines.last?.contains("site.example") == true)
        #expect(lines.count { $0.contains("#al") } > 70, "\(lines)")
        // The ages are at the edge as soon as there are any.
        #expect(
            lines.allSatisfy { $0.hasSuffix("s") || $0.hasSuffix("now") || $0.hasSuffix("…") }, "\(lines)")
    }
}
