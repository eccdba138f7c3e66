import ClipsCore
import ClipsExchange
import TestSupport
import Testing

/// The line that retains a clip.
@Suite struct ClipLineTests {
    private static let letters: [Character] = Array(
        "ab \"\\/,\n\r\t\u{0}\u{7}\u{1B}\u{7F}\u{9B}\u{2028}\u{202E}\u{FEFF}é漢\u{1F600}\u{FFFD}")

    private static func text(_ random: inout SeededRandom) -> String {
        String(
            (0..<Int.random(in: 0...12, using: &random)).compactMap { _ in
                letters.randomElement(using: &random)
            })
    }

    private static func read(_ line: some Sequence<UInt8>) throws -> ClipLine {
        var unread = UnreadFields()
        return try ClipLine(Array(line), number: 1, &unread)
    }

    private static func time(_ random: inout SeededRandom) -> Int64? {
        // From the year -1199 to 999999, the range of the reader.
        switch Int.random(in: 0..<5, using: &random) {
        case 0: nil
        case 1:
            [0, 1, -1, 999, -62_135_596_800_000, 253_402_300_799_999, 31_494_784_780_799_999].randomElement(
                using: &random) ?? 0
        case 2: Int64.random(in: -99_999_999_999_999...31_494_784_780_799_999, using: &random)
        default: Int64.random(in: 0...4_102_444_800_000, using: &random)
        }
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `a line is read back as the same clip`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var draft = ClipDraft()
        repeat {
            draft.url = Self.text(&random)
            draft.title = Self.text(&random)
            draft.text = Self.text(&random)
            draft.note = Self.text(&random)
        } while draft.isEmpty
        draft.tags = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            Self.text(&random).filter { $0 != "," }
        }
        draft.isStarred = .random(using: &random)
        draft.isUnread = .random(using: &random)
        draft.hasReadState = !draft.isUnread || .random(using: &random)
        draft.isArchived = .random(using: &random)
        (draft.created, draft.updated) = (Self.time(&random), Self.time(&random))
        draft.author = Bool.random(using: &random) ? Self.text(&random) : nil
        draft.hasExactTitle = true
        let line = draft.jsonLine
        #expect(line.hasSuffix("\n") && line.utf8.filter { $0 == 0x0A }.count == 1)
        #expect(try Self.read(line.utf8.dropLast()).draft == draft, "\(line)")
        // Bytes: strings also compare canonically equal texts as equal.
        #expect(try Array(Self.read(line.utf8).draft.text.utf8) == Array(draft.text.utf8))
    }

    @Test func `a line may begin with a byte order mark, and an escape has four digits`() throws {
        #expect(try Self.read("\u{FEFF}{\"title\":\"a\"}".utf8).draft.title == "a")
        for digits in ["+041", "-041", "04 1"] {
            #expect(throws: ImportProblem.self) { try Self.read(#"{"title":"\u\#(digits)"}"#.utf8) }
        }
    }

    @Test func `a value that is not valid is reported, and left out`() throws {
        let line = try Self.read(#"{"title":"a","created":"soon","updated":0,"author":5}"#.utf8)
        #expect(line.draft.created == nil && line.draft.updated == nil && line.draft.note == "author: 5")
        #expect(line.problems.map(\.reason) == ["a date cannot be read; the clip is saved without it"])
        let half = try Self.read(#"{"title":"\ud83d"}"#.utf8)
        #expect(half.problems.map(\.reason) == ["half a surrogate pair is saved as U+FFFD"])
        // Latin-1, which is not UTF-8.
        let problem = #expect(throws: ImportProblem.self) {
            try Self.read("{\"title\":\"\u{FF}\"}".unicodeScalars.map { UInt8($0.value) })
        }
        #expect(problem?.reason.hasPrefix("it is not JSON") == true && problem?.line == 1)
    }

    @Test func `nanoseconds since 1970 are read exactly`() throws {
        let line = #"{"title":"a","created":1763715600123000000,"updated":1.7637156001e9}"#
        let draft = try Self.read(line.utf8).draft
        #expect(draft.created == 1_763_715_600_123 && draft.updated == 1_763_715_600_100)
    }

    @Test func `parts of a long text are whole scalars, and together the text`() {
        var draft = ClipDraft()
        (draft.title, draft.text) = ("T", "x" + String(repeating: "漢", count: ClipDraft.largestText / 3 + 10))
        let parts = draft.parts
        #expect(parts.map(\.title) == ["T (part 1)", "T (part 2)"])
        #expect(parts.allSatisfy { $0.text.utf8.count <= ClipDraft.largestText })
        #expect(parts.map(\.text).joined() == draft.text)
    }
}
