import Terminal
import TestSupport
import Testing

struct KeyDecoderTests {
    private func decode(_ text: String) -> [Key] {
        var decoder = KeyDecoder()
        return decoder.decode(text.utf8) + decoder.flush()
    }

    @Test(arguments: [
        ("j", "j"), ("é中👍", "é中👍"), ("\r\t\u{7F}\u{8}", "<Enter><Tab><BS><BS>"),
        ("\u{4}\0\n", "<C-d><C-Space><C-j>"),
        ("\u{1B}[A\u{1B}OA\u{1B}[B\u{1B}OD", "<Up><Up><Down><Left>"),
        ("\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[4~\u{1B}[7~", "<Home><End><Home><End><Home>"),
        ("\u{1B}[5~\u{1B}[6~\u{1B}[3~\u{1B}[2~", "<PgUp><PgDn><Del><Ins>"),
        ("\u{1B}[Z\u{1B}[1;2Z", "<S-Tab><Unknown>"),
        ("\u{1B}OP\u{1B}[15~\u{1B}[24~\u{1B}[[A", "<F1><F5><F12><F1>"),
        ("\u{1B}[1;5D\u{1B}[1;2A\u{1B}[3;5~", "<C-Left><S-Up><C-Del>"),
        ("\u{1B}[7$\u{1B}[7^", "<S-Home><C-Home>"), ("\u{1B}x\u{1B}é\u{1B}\r", "<A-x><A-é><A-Enter>"),
        ("\u{1B}", "<Esc>"),
        ("\u{1B}\u{1B}[A", "<Esc><Up>"), ("\u{1B}[", "<A-[>"), ("\u{1B}O", "<A-O>"), ("\u{1B}]", "<A-]>"),
        (
            "\u{1B}[<64;3;5M\u{1B}[<65;3;5M\u{1B}[<0;3;5M\u{1B}[<0;3;5m",
            "<WheelUp:4,2><WheelDown:4,2><Press:4,2><Unknown>"
        ),
        ("\u{1B}[M !!dd", "<Press:0,0>dd"),
    ])
    func `bytes are decoded as keys`(bytes: String, keys: String) throws {
        #expect(decode(bytes) == (try KeyParser.keys(in: keys)), "\(bytes.debugDescription)")
    }

    @Test(arguments: [
        "\u{1B}[99;5u", "\u{1B}[?62;1;2;4c", "\u{1B}]10;rgb:dddd/dddd/dddd\u{7}", "\u{1B}]52;c;ZGQ=\u{1B}\\",
        "\u{1B}P1+r544e=78\u{1B}\\", "\u{1B}_Gdd\u{1B}\\", "\u{1B}[I", "\u{1B}[24;80R", "\u{1B}[38:2:1d",
        "\u{1B}Oz",
        "\u{1B}[?2026;1$y", "\u{1B}[27;5;100~",
    ])
    func `an unknown sequence is swallowed whole`(sequence: String) {
        #expect(decode(sequence + "j") == [.unknown, .character("j")])
    }

    @Test(arguments: [
        ("11;rgb:1e1e/2222/2a2a\u{7}", 0x1E222A), ("11;rgb:ff/80/0\u{1B}\\", 0xFF8000),
        ("11;rgba:ffff/ffff/ffff/8000\u{1B}\\", 0xFFFFFF), ("11;rgb:fff/000/fff\u{7}", 0xFF00FF),
    ])
    func `the color of the background is reported, however the bytes are split`(
        answer: String, value: UInt32
    ) {
        let bytes = Array("\u{1B}]\(answer)\u{1B}[?62;22cj".utf8)
        for split in 0...bytes.count {
            var decoder = KeyDecoder()
            let keys = decoder.decode(bytes[..<split]) + decoder.decode(bytes[split...])
            #expect(decoder.reports == [.background(.rgb(value)), .attributes])
            #expect(keys == [.unknown, .unknown, .character("j")])
        }
    }

    @Test(arguments: [
        "10;rgb:ffff/ffff/ffff", "11;?", "11;rgb:ffff/ffff", "11;rgb:fffff/0/0", "11;rgb:gg/00/00",
        "11;rgb:ff/ff/ff/ff", "11;rgba:ff/ff/ff", "11;rgb:+f/ff/ff", "11;#ffffff", "",
    ])
    func `an answer of another form is ignored`(answer: String) {
        var decoder = KeyDecoder()
        _ = decoder.decode("\u{1B}]\(answer)\u{1B}\\".utf8)
        #expect(decoder.reports.isEmpty)
    }

    @Test func `a sequence without an end is bounded and swallowed`() {
        #expect(
            decode("\u{1B}[" + String(repeating: "1;", count: 100_000) + "Aj") == [.unknown, .character("j")])
    }

    @Test func `a sequence over the length limit is not a key`() {
        #expect(
            decode("\u{1B}[" + String(repeating: "0", count: 100) + "1Aj") == [.unknown, .character("j")])
    }

    @Test func `invalid UTF-8 is not a command`() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0xC0, 0xAF, 0xFF, 0x6A]) == [.unknown, .unknown, .unknown, .character("j")])
        #expect(decoder.decode([0xE4, 0xB8, 0x6A]) == [.unknown, .character("j")])
        #expect(decoder.decode([0xED, 0xA0, 0x80]) == [.unknown, .unknown, .unknown])
        #expect(decoder.decode([0xC2, 0x9B]) == [.unknown])
    }

    @Test func `a character split in time is one character`() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0xE4, 0xB8]).isEmpty)
        #expect(decoder.patience == nil)
        #expect(decoder.flush().isEmpty)
        #expect(decoder.decode([0xAD]) == [.character("中")])
    }

    @Test func `only a possible key of its own ends soon`() {
        var decoder = KeyDecoder()
        _ = decoder.decode([0x1B])
        #expect(decoder.patience == 25)
        _ = decoder.decode("[".utf8)
        #expect(decoder.patience == 25)
        _ = decoder.decode("1".utf8)
        #expect(decoder.patience == 1_000)
        #expect(decoder.flush() == [.unknown])
        #expect(decoder.patience == nil)
    }

    @Test func `an expected answer may be cut and delayed anywhere`() {
        let answer = Array("\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\\u{1B}[?1;2c".utf8)
        for cut in 1..<answer.count {
            var decoder = KeyDecoder()
            decoder.expectsReport = true
            let first = decoder.decode(answer[..<cut])
            #expect(decoder.patience ?? 1_000 == 1_000, "after \(cut) bytes")
            let keys = first + decoder.decode(answer[cut...])
            #expect(keys.allSatisfy { $0 == .unknown } && decoder.reports.count == 2, "after \(cut) bytes")
        }
    }

    @Test func `a paste is text`() {
        #expect(
            decode("a\u{1B}[200~dd\r\nx\ry\u{1B}[A\u{1B}[201\u{1B}[201~b") == [
                .character("a"), .paste("dd\nx\ny\u{1B}[A\u{1B}[201"), .character("b"),
            ])
        #expect(decode("\u{1B}[201~j") == [.unknown, .character("j")])
    }

    @Test func `a huge paste is truncated and reports it`() {
        let extra = 12_345
        let keys = decode(
            "\u{1B}[200~" + String(repeating: "x", count: KeyDecoder.longestPaste + extra) + "\u{1B}[201~j")
        #expect(
            keys == [
                .paste(String(repeating: "x", count: KeyDecoder.longestPaste)), .pasteCut(bytes: extra),
                .character("j"),
            ])
    }

    @Test func `keys are the same, however the bytes are split`() {
        let seed: UInt64 = 20_260_802
        var random = SeededRandom(seed: seed)
        let pieces: [[UInt8]] = [
            "\u{1B}[", "\u{1B}", "\u{1B}O", "\u{1B}]", "\u{1B}P", "\u{1B}\\", "200~", "\u{1B}[201~", "1;5A",
            "中", "é",
        ].map { Array($0.utf8) }
        for round in 0..<2_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                if Bool.random(using: &random) {
                    bytes += pieces[Int.random(in: 0..<pieces.count, using: &random)]
                } else {
                    bytes.append(UInt8.random(in: .min ... .max, using: &random))
                }
            }
            var whole = KeyDecoder()
            let expected = whole.decode(bytes) + whole.flush()
            for split in 0...bytes.count {
                var halves = KeyDecoder()
                let keys = halves.decode(bytes[..<split]) + halves.decode(bytes[split...]) + halves.flush()
                #expect(keys == expected, "seed \(seed), round \(round), split at \(split) of \(bytes)")
            }
            var single = KeyDecoder()
            #expect(bytes.flatMap { single.decode([$0]) } + single.flush() == expected, "\(bytes)")
        }
    }
}
