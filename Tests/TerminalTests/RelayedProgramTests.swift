import Glibc
import TestSupport
import Testing

@testable import Terminal

/// Programs on a terminal of their own, and the text of their output.
@Suite struct RelayedProgramTests {
    private func run(_ script: String, input: String? = nil) -> RelayedProgram {
        RelayedProgram(
            ["sh", "-c", script], input: input, size: Size(rows: 12, columns: 34), hasTerminal: false)
    }

    private func text(_ script: String, input: String? = nil) -> String {
        PlainOutput.text(run(script, input: input).lastingOutput)
    }

    @Test func `output and errors of a program on a terminal are recorded in their order`() {
        let program = run("test -t 1 && test -t 2 && echo out; echo error >&2; stty size < /dev/tty; exit 3")
        #expect(PlainOutput.text(program.output) == "out\nerror\n12 34\n")
        #expect(program.status == 3 && program.lastingOutput == program.output && !program.isCut)
    }

    @Test func `a text is on standard input, and the keys are on the terminal`() {
        #expect(text("cat; test -t 0 || echo no keys", input: "a\nb\n") == "a\nb\nno keys\n")
        #expect(text("test -t 0 && echo keys") == "keys\n")
    }

    @Test func `of a program that reads single keys, the output remains, but not what a menu draws`() {
        // More than the terminal holds, so that the program waits until some of it was read.
        let fill = "stty -icanon; head -c 300000 /dev/zero"
        #expect(text("echo a; \(fill); stty sane; echo b").filter { $0 != "\0" } == "a\nb\n")
        let menu = "printf '\\033[?25l\\033[J> x\\033[2A\\033[1;31mdrawn\\033[0m\\033[J'"
        let chosen = text("echo a; \(fill); \(menu); stty sane; echo chosen")
        #expect(chosen.filter { $0 != "\0" } == "a\nchosen\n")
        #expect(text("echo a; \(menu); echo b") == "a\n> xdrawnb\n")
    }

    @Test func `what is written before and after a pager is output`() {
        let (begin, end) = ("printf '\\033[?1049h'", "printf '\\033[?1049l'")
        let program = run("echo before; stty -icanon; \(begin); head -c 300000 /dev/zero; \(end); echo after")
        #expect(PlainOutput.text(program.output) == "before\nafter\n")
        #expect(program.lastingOutput == program.output)
        #expect(
            PlainOutput.text(Array("a\u{1B}[?12;1047hb\u{1B}[0mc\u{1B}[?1047;12ld\u{1B}[?25h".utf8)) == "ad")
    }

    @Test func `a program that cannot start has no status and no output`() {
        let program = RelayedProgram(
            ["/no/such/program"], size: Size(rows: 12, columns: 34), hasTerminal: false)
        #expect(program.status == nil && program.output.isEmpty)
    }

    @Test func `of a long output, the end remains`() {
        let program = run("head -c 20000000 /dev/zero | tr '\\0' x; echo; echo end")
        #expect(program.isCut && program.output.count <= 2 * RelayedProgram.maxOutput)
        #expect(PlainOutput.text(program.output).hasSuffix("x\nend\n"))
        // It begins with a line.
        let lines = run("seq 1000001 3000000")
        #expect(lines.isCut && lines.output.prefix { $0 > 0x20 }.count == 7)
    }

    @Test func `a background process survives, and nothing waits for it`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "late")
        #expect(mkfifo(path + "-go", 0o600) == 0)
        let program = run("(cat '\(path)-go'; echo late; echo done > '\(path)') & echo begun")
        #expect(PlainOutput.text(program.output) == "begun\n")
        // Without a reader, opening fails.
        #expect(
            eventually {
                let end = open(path + "-go", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
                return end >= 0 && close(end) == 0
            })
        #expect(eventually { access(path, F_OK) == 0 })
    }

    @Test(arguments: [
        ("a\tb", "a       b"), ("1%\r50%\r100%\r\n", "100%\n"), ("a\r\nb", "a\nb"), ("N\u{8}NA\u{8}A", "NA"),
        ("ü\u{8}x\u{8}\u{8}\u{8}y", "y"), ("\u{1B}[1;31mred\u{1B}[0m", "red"), ("a\u{7}b", "ab"),
        ("\u{1B}]0;title\u{7}x\u{1B}]8;;u\u{1B}\\y", "xy"), ("\u{1B}(B\u{1B}=\u{1B}[?25lz\u{1B}", "z"),
        ("\u{1B}[12", ""), ("\u{1B}]never ended", "never ended"), ("\u{1B}P1\u{1B}[mx", "x"),
    ])
    func `control sequences are no text`(output: String, text: String) {
        #expect(PlainOutput.text(Array(output.utf8)) == text)
    }

    @Test func `any bytes become a text, cut anywhere`() {
        let bytes: [UInt8] = Array("é漢\u{1B}[38;2;1;2;3m\u{1B}]x\u{8}\r\t".utf8) + [0xFF, 0x1B, 0x80, 0x1B]
        for count in 0...bytes.count {
            let text = PlainOutput.text(Array(bytes[..<count]))
            #expect(!text.utf8.contains(0x1B), "\(count)")
        }
    }
}
