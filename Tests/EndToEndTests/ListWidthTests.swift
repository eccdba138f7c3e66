import TestSupport
import Testing

/// The columns of lists on terminals of any width.
@Suite struct ListWidthTests {
    @Test func `a title in a list has no fewer cells on a wider terminal`() throws {
        let clips = try ClipsProgram()
        try clips.run(
            "add", "--title", String(repeating: "x", count: 300), "--url", "https://site.example/page",
            "--tag", "alpha", "--tag", "beta")
        let loop = """
            for n in $(seq 20 4 60) $(seq 61 130) 160 200 240 280; do
            script -qec "stty rows 24 cols $n; $CLIPS list --color never" /dev/null < /dev/null | tr -d '\\r'; done
            """
        let lines = try clips.shell(loop).output.split(separator: "\n")
        let widths = lines.map { $0.count { $0 == "x" } }
        #expect(widths.count > 80 && widths == widths.sorted(), "\(widths)")
        #expect(widths.first == 14 && widths.last ?? 0 > 150, "\(widths)")
        #expect(lines.last?.contains("#alpha #beta") == true && lines.last?.contains("site.example") == true)
        #expect(lines.count { $0.contains("#al") } > 70, "\(lines)")
        // The ages are at the edge as soon as there are any.
        #expect(
            lines.allSatisfy { $0.hasSuffix("s") || $0.hasSuffix("now") || $0.hasSuffix("…") }, "\(lines)")
    }
}
