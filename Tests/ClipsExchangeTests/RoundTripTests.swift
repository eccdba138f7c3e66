import ClipsCore
import ClipsExchange
import PersistentStore
import TestSupport
import Testing

struct RoundTripTests {
    let folder: TemporaryFolder
    let store: ClipStore

    init() async throws {
        folder = try TemporaryFolder()
        store = try await ClipStore(path: folder.path(of: "clips.db"), author: "app")
    }

    @Test(arguments: ExportFormat.allCases)
    func `an export is imported unchanged, and a second import adds nothing`(format: ExportFormat)
        async throws
    {
        let seed: UInt64 = .random(in: 0...1_000_000)
        var random = SeededRandom(seed: seed)
        var drafts: [ClipDraft] = []
        for number in 0..<LongProof.count(250, of: 700, "random clips of an export") {
            drafts.append(Self.draft(number, &random))
        }
        _ = try await store.add(drafts)
        var file = ""
        let count = try await ClipExport(format: format).write(of: store) { file += $0 }
        #expect(count == drafts.count)
        let other = try await ClipStore(path: folder.path(of: "\(format).db"), author: "import")
        let first = await Self.run(file, format, into: other)
        #expect(
            first.outcome.saved == drafts.count && first.problemCount == 0 && first.failure == nil,
            "seed \(seed)")
        #expect(first.problems == [])
        let (before, after) = (
            try await Self.contents(store), try await Self.contents(other)
        )
        for (one, two) in zip(before, after) where one != two {
            Issue.record("seed \(seed)\n\(one)\n\(two)")
            break
        }
        #expect(before.count == after.count)
        let second = await Self.run(file, format, into: other)
        #expect(second.outcome.saved == 0 && second.outcome.unchanged == drafts.count, "seed \(seed)")
    }

    @Test(arguments: [ExportFormat.json, .jsonl, .csv])
    func `an import of JSON or CSV has the UUIDs of the export`(format: ExportFormat) async throws {
        let drafts = (1...3).map { number in
            var draft = ClipDraft()
            draft.url = "https://a.b/\(number)"
            return draft
        }
        _ = try await store.add(drafts)
        var file = ""
        _ = try await ClipExport(format: format).write(of: store) { file += $0 }
        let other = try await ClipStore(path: folder.path(of: "\(format).db"), author: "import")
        #expect(await Self.run(file, format, into: other).outcome.saved == 3)
        for id in 1...3 as ClosedRange<Int64> {
            let (before, after) = (try await store.clip(id), try await other.clip(id))
            #expect(before.uuid == after.uuid && before.url == after.url)
        }
    }

    @Test(arguments: ExportFormat.allCases, DuplicatePolicy.allCases)
    func `an own export that changes nothing is unchanged`(
        format: ExportFormat, policy: DuplicatePolicy
    ) async throws {
        var random = SeededRandom(seed: 2)
        // Without a URL, equal texts of one time are one clip.
        let drafts = (0..<40).map { Self.draft($0, &random) }.filter { !$0.url.isEmpty }
        _ = try await store.add(drafts)
        var file = ""
        _ = try await ClipExport(format: format).write(of: store) { file += $0 }
        let before = try await store.container.transactions().count
        let report = await Self.run(file, format, into: store, policy)
        #expect(report.outcome.unchanged == drafts.count && report.outcome.total == 0, "\(report)")
        #expect(try await store.container.transactions().count == before)
    }

    private static func run(
        _ file: String, _ format: ExportFormat, into store: ClipStore,
        _ policy: DuplicatePolicy = .keepBoth
    ) async -> ImportReport {
        var importer = ClipImporter()
        importer.duplicates = policy
        do {
            let name = "x.\(format == .markdown ? "md" : format.rawValue)"
            return await importer.run(
                try ClipImport(ByteSource(Array(file.utf8)), fileName: name), into: store)
        } catch {
            var report = ImportReport()
            report.failure = error.description
            return report
        }
    }

    /// All columns except those that differ between stores.
    private static func contents(_ store: ClipStore) async throws -> [[String]] {
        var contents: [[String]] = []
        try await store.forEachClip(ClipQuery(includesArchived: true)) { clip in
            let times = [clip.created.milliseconds, clip.updated.milliseconds].map(String.init)
            let flags = [clip.isStarred, clip.isUnread, clip.isArchived].map(String.init) + [clip.author]
            // Bytes, since two ways to write an accent are equal texts.
            let texts = [clip.url, clip.title, clip.text, clip.note] + clip.tags
            contents.append(
                times + flags + texts.map { Array($0.utf8).description } + clip.quotes.map { "\($0)" })
        }
        return contents
    }

    private static let pieces = [
        "a", "word", " ", "  ", "\n", "\n\n", "\r\n", "\r", "\t", "\"", "'", ",", ";", "|", "]", "[", "](",
        ")", "(", "<", ">",
        "</A>", "<DD>", "<DL>", "&", "&amp;", "&#10;", "\\", "\\n", "`", "```", "*", "_", "#", "=1+1", "-->",
        "<!-- clips {",
        "😀", "e\u{301}", "é", "\u{0}", "\u{1}", "\u{7F}", "\u{85}", "\u{92}", "\u{A0}", "\u{2028}",
        "\u{FEFF}", "\u{FFFE}",
        "\u{FFFD}", "\u{10FFFF}", "http://x.org/?a=1&b=2", "&copy;", "&c=3", "[\"", "[]", "{\"url\":1}",
        "日本語", "null", "0",
    ]

    private static func words(_ most: Int, _ random: inout SeededRandom) -> String {
        (0..<Int.random(in: 0...most, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
            .joined()
    }

    private static func draft(_ number: Int, _ random: inout SeededRandom) -> ClipDraft {
        var draft = ClipDraft()
        let scheme =
            ["https://example.org/\(number)/", "mailto:\(number)", "x\(number)"].randomElement(using: &random)
            ?? ""
        // SQLite's JSON functions end a text at NUL, so such a URL is never found again.
        let path = words(3, &random).unicodeScalars.filter { $0 != "\0" }
        draft.url = number.isMultiple(of: 5) ? "" : scheme + String(String.UnicodeScalarView(path))
        draft.title = words(6, &random)
        draft.text = words(8, &random)
        draft.note = words(5, &random) + (number.isMultiple(of: 5) ? "n" : "")
        draft.tags = (0..<Int.random(in: 0...3, using: &random)).map { _ in words(3, &random) }
        if number.isMultiple(of: 35) {
            (draft.title, draft.text, draft.note, draft.tags) = ("", "", "", ["only a tag"])
        }
        if number.isMultiple(of: 9), number > 0 {
            draft.quotes = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                Quote(
                    "q" + words(6, &random), prefix: words(2, &random), suffix: words(2, &random),
                    note: words(2, &random), author: "app", created: 1_600_000_000_000 + Int64(number))
            }
        }
        draft.isStarred = .random(using: &random)
        draft.isUnread = .random(using: &random)
        draft.isArchived = .random(using: &random)
        // Several clips of each time, as an import without times makes them.
        draft.created = 1_600_000_000_000 + Int64(number / 4) * 1000 + (.random(using: &random) ? 0 : 123)
        draft.updated = (draft.created ?? 0) + (.random(using: &random) ? 0 : 5000)
        draft.author = ["app", "extension", "x\"<>\n"].randomElement(using: &random)
        return draft
    }
}
