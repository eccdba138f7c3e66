import Foundation
import TestSupport
import Testing

/// `clips doctor --salvage` on stores with random damage, compared with Python's SQLite, which reads by ID.
@Suite(.serialized) struct SalvageTests {
    private static let clips = LongProof.count(1000, of: 3000, "clips of a store to salvage")
    private static let seed = ProcessInfo.processInfo.environment["SALVAGE_SEED"].flatMap(UInt64.init) ?? 11

    private func store() throws -> ClipsProgram { try ClipsProgram.copy(fill: Self.fill) }

    private static func fill(_ clips: ClipsProgram) throws {
        let lines = (1...Self.clips).map { number in
            """
            {"title":"clip \(number)","url":"https://example.org/\(number)","text":"\
            \(String(repeating: "word\(number) ", count: number % 60))"}

            """
        }
        try clips.run("extension", "--jsonl", "--quiet", input: lines.joined())
        _ = try clips.sqlite3(
            """
            DELETE FROM Clip WHERE id % 50 = 0; UPDATE Clip SET note = 'note' WHERE id % 7 = 0;
            PRAGMA wal_checkpoint(TRUNCATE);
            """)
    }

    enum Harm: String, CaseIterable, Sendable {
        case pages, manyPages, bytes, manyBytes, cutOff

        func apply(to path: String, _ random: inout SeededRandom) throws {
            let url = URL(fileURLWithPath: path)
            var bytes = try Data(contentsOf: url)
            let pages = bytes.count / Damage.pageSize
            func harmPages(_ count: Int) {
                for _ in 0..<count {
                    let start = Int.random(in: 1..<pages, using: &random) * Damage.pageSize
                    for index in start..<start + Damage.pageSize {
                        bytes[index] = .random(in: 0...255, using: &random)
                    }
                }
            }
            func harmBytes(_ count: Int) {
                for _ in 0..<count {
                    bytes[Int.random(in: Damage.pageSize..<bytes.count, using: &random)] = .random(
                        in: 0...255, using: &random)
                }
            }
            switch self {
            case .pages: harmPages(1)
            case .manyPages: harmPages(20)
            case .bytes: harmBytes(100)
            case .manyBytes: harmBytes(2000)
            case .cutOff: bytes.removeLast(Int.random(in: 0..<bytes.count / 3, using: &random))
            }
            try bytes.write(to: url)
        }
    }

    /// Prints each clip that can be read by its ID and has values of its columns' kinds, a line each. A version below 1
    /// is damage too, and counts as 1.
    private static let oracle = """
        import sqlite3, sys
        store = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
        store.text_factory = bytes
        store.execute("PRAGMA writable_schema = ON")
        names = ["id", "version", "uuid", "url", "title", "text", "note", "tags", "author", "starred", "unread",
            "created", "updated", "archived", "link"]
        kinds = [int, int] + [bytes] * 7 + [int] * 5 + [bytes]
        query = "SELECT " + ", ".join(names) + " FROM Clip NOT INDEXED WHERE id = ?"
        for id in range(1, 4000):
            try:
                row = store.execute(query, (id,)).fetchone()
            except sqlite3.Error:
                continue
            if row and [type(value) for value in row] == kinds:
                print(repr((row[0], max(1, row[1])) + row[2:]))
        """

    private static func count(_ path: String) throws -> String {
        try Shell.run("sqlite3", [path, "SELECT count(*) FROM Clip"]).output.trimmingCharacters(in: .newlines)
    }

    private func readable(_ path: String) throws -> Set<String> {
        let run = try Shell.run("python3", ["-c", Self.oracle, path])
        #expect(run.status == 0, "\(run.errors)")
        return Set(run.output.split(separator: "\n").map(String.init))
    }

    /// Prints each row of a clip's shape on any leaf page, of several the one with the highest version: every intact
    /// row of a damaged file, found without its header, schema, and trees (sqlite.org/fileformat2.html).
    private static let reference = """
        import sys
        data, size = open(sys.argv[1], "rb").read(), 4096
        def varint(page, at):
            value = 0
            for length in range(1, 10):
                byte = page[at + length - 1]
                if length == 9:
                    value = value << 8 | byte
                    return (value - (1 << 64) if value >> 63 else value), 9
                value = value << 7 | byte & 127
                if byte < 128:
                    return value, length
        def record(page, at):
            total, first = varint(page, at)
            id, second = varint(page, at + first)
            at += first + second
            least = (size - 12) * 32 // 255 - 23
            stays = least + (total - least) % (size - 4)
            stays = total if total <= size - 35 else stays if stays <= size - 35 else least
            body = page[at:at + stays]
            next = int.from_bytes(page[at + stays:at + stays + 4], "big") if stays < total else 0
            while len(body) < total:
                assert 0 < next <= len(data) // size
                more = data[(next - 1) * size:next * size]
                body, next = body + more[4:4 + total - len(body)], int.from_bytes(more[:4], "big")
            end, at = varint(body, 0)
            offset, values = end, []
            while at < end:
                type, length = varint(body, at)
                at += length
                bytes = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0][type] if type < 10 else (type - 12) // 2
                part, offset = body[offset:offset + bytes], offset + bytes
                values.append(
                    None if type == 0 else type - 8 if type in (8, 9)
                    else int.from_bytes(part, "big", signed=True) if type < 7 else part)
            assert at == end and offset == total
            return id, values
        kinds, rows = [int] + [bytes] * 7 + [int] * 5 + [bytes], {}
        for number in range(len(data) // size):
            page, start = data[number * size:(number + 1) * size], 0 if number else 100
            if page[start] != 13:
                continue
            for cell in range(int.from_bytes(page[start + 3:start + 5], "big")):
                try:
                    at = start + 8 + 2 * cell
                    id, values = record(page, int.from_bytes(page[at:at + 2], "big"))
                    if values[0] is None and [type(value) for value in values[1:]] == kinds:
                        if id not in rows or rows[id][0] < values[1]:
                            rows[id] = values[1:]
                except (AssertionError, IndexError, TypeError):
                    pass
        for id, values in sorted(rows.items()):
            print(repr((id, max(1, values[0])) + tuple(values[1:])))
        """

    /// Damage to whole pages of a store of 20,000 clips.
    enum PageHarm: Sendable, CustomTestStringConvertible {
        case pages(Int)
        case header, firstPage, root, cut(Double), swapped
        /// Bytes of the columns in the text of the table.
        case schema(Int)
        /// Two names in that text.
        case schemaNames
        /// One cell fewer on a leaf page, and an overwritten index.
        case lostCell
        case index
        /// An end within the second page of a long text.
        case cutText
        /// An end within the last number of a row.
        case cutNumber

        var testDescription: String { "\(self)" }

        /// Whether a page of a text may be in the position of another one, which nothing can notice.
        var movesPages: Bool { if case .swapped = self { true } else { false } }

        func apply(to clips: ClipsProgram, _ random: inout SeededRandom) throws {
            let root = try clips.sqlite3("SELECT rootpage FROM sqlite_schema WHERE name = 'Clip'")
            let index = try clips.sqlite3("SELECT rootpage FROM sqlite_schema WHERE name = 'Clip_by_url'")
            let leaf = try clips.sqlite3(
                "SELECT max(pageno) FROM dbstat WHERE name = 'Clip' AND pagetype = 'leaf' AND ncell > 9")
            let url = URL(fileURLWithPath: clips.storePath)
            var bytes = try Data(contentsOf: url)
            let pages = bytes.count / Damage.pageSize
            func overwrite(_ page: Int, count: Int = Damage.pageSize) {
                for index in 0..<count {
                    bytes[page * Damage.pageSize + index] = .random(in: 0...255, using: &random)
                }
            }
            switch self {
            case .pages(let count): for _ in 0..<count { overwrite(.random(in: 1..<pages, using: &random)) }
            case .header: overwrite(0, count: 100)
            case .firstPage: overwrite(0)
            case .schema(let count):
                let text = try #require(bytes.firstRange(of: Data("CREATE TABLE \"Clip\" (".utf8)))
                for _ in 0..<count {
                    bytes[text.upperBound + .random(in: 0..<300, using: &random)] = .random(
                        in: 0...255, using: &random)
                }
            case .schemaNames:
                for name in ["\"author\" TEXT", "\"archived\" INTEGER"] {
                    let found = try #require(bytes.firstRange(of: Data(name.utf8)))
                    bytes[found.lowerBound + 1] += 1
                }
            case .root: overwrite((Int(root) ?? 1) - 1)
            case .index: overwrite((Int(index) ?? 1) - 1)
            case .lostCell:
                overwrite((Int(index) ?? 1) - 1)
                bytes[((Int(leaf) ?? 1) - 1) * Damage.pageSize + 4] -= 1
            case .cutText:
                let page = try clips.sqlite3(
                    """
                    SELECT max(more.pageno) FROM dbstat AS more JOIN dbstat AS leaf
                    ON leaf.name = 'Clip' AND leaf.path = substr(more.path, 1, length(more.path) - 10)
                    WHERE more.name = 'Clip' AND more.path LIKE '%+000001' AND leaf.pageno < more.pageno
                    AND more.pageno < \(pages * 3 / 4) AND more.payload BETWEEN 3000 AND 4000
                    """)
                bytes = bytes.prefix(((Int(page) ?? 1) - 1) * Damage.pageSize + 2000)
            case .cutNumber:
                let page = try clips.sqlite3(
                    """
                    SELECT max(pageno) FROM dbstat WHERE name = 'Clip' AND pagetype = 'leaf' AND ncell > 9
                    AND pageno < \(pages * 3 / 4)
                    """)
                bytes = bytes.prefix((Int(page) ?? 1) * Damage.pageSize - 3)
            case .cut(let share): bytes = bytes.prefix(Int(Double(bytes.count) * share))
            case .swapped:
                // A clip on a page of deleted clips is not distinguishable from them, nor is one on a page of another
                // table whose history is on a swapped page, too, which is likely with many pages of a small store.
                let list = try clips.sqlite3(
                    "SELECT DISTINCT pageno FROM dbstat WHERE name NOT LIKE 'history_%_Clip' AND pageno > 2")
                let numbers =
                    LongProof.isWhole ? Array(3...pages) : list.split(separator: "\n").compactMap { Int($0) }
                try #require(numbers.count > 1)
                if !LongProof.isWhole { LongProof.omits("swapped pages of the history of clips") }
                for _ in 0..<LongProof.count(5, of: 20, "swaps of pages") {
                    let two = numbers.shuffled(using: &random)
                    let (a, b) = (two[0] - 1, two[1] - 1)
                    for index in 0..<Damage.pageSize {
                        bytes.swapAt(a * Damage.pageSize + index, b * Damage.pageSize + index)
                    }
                }
            }
            try bytes.write(to: url)
        }
    }

    /// The table or index of each page; none of an unused page and of a pointer map.
    private static func owners(_ clips: ClipsProgram) throws -> [Int: String] {
        let pages = try Data(contentsOf: URL(fileURLWithPath: clips.storePath)).count / Damage.pageSize
        var owners = Dictionary(uniqueKeysWithValues: (1...pages).map { ($0, "") })
        let rows = try clips.sqlite3("SELECT pageno, name FROM dbstat")
        for row in rows.split(separator: "\n").map({ $0.split(separator: "|") }) {
            owners[Int(row[0]) ?? 0] = String(row[1])
        }
        return owners
    }

    private static func isChanged(_ page: Int, _ clips: ClipsProgram, _ other: ClipsProgram) throws -> Bool {
        let parts = try [clips, other].map {
            try Data(contentsOf: URL(fileURLWithPath: $0.storePath), options: .alwaysMapped)
                .dropFirst((page - 1) * Damage.pageSize).prefix(Damage.pageSize)
        }
        return parts[0] != parts[1]
    }

    /// The clips of a program's answer.
    private func rows(_ script: String, _ path: String) throws -> Set<String> {
        let run = try Shell.run("python3", ["-c", script, path])
        #expect(run.status == 0, "\(run.errors)")
        return Set(run.output.split(separator: "\n").map(String.init))
    }

    @Test func `a salvage recovers every intact row of a scan of all leaf pages, and no deleted one`() throws
    {
        let template = try Situation.someClips.make()
        let last = LongProof.count(5600, of: 21000, "clips of a damaged store")
        _ = try template.sqlite3(
            """
            WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < \(last))
            INSERT INTO Clip (id, url, title, text) SELECT i, 'https://example.org/' || i, 'clip ' || i,
            CASE WHEN i % 40 = 0 THEN hex(zeroblob(i % 5000 + 2500)) ELSE 'text ' || i END FROM n;
            DELETE FROM Clip WHERE id BETWEEN 4000 AND 5000; UPDATE Clip SET note = 'b' WHERE id % 7 = 0;
            PRAGMA wal_checkpoint(TRUNCATE);
            """)
        let original = try rows(Self.reference, template.storePath)
            .intersection(
                rows(Self.oracle.replacingOccurrences(of: "4000", with: "22000"), template.storePath))
        #expect(original.count == last - 999 + Situation.clips - 1001)
        let owners = try Self.owners(template)
        let tables = Set(
            try template.sqlite3("SELECT name FROM sqlite_schema WHERE type = 'table'").split(separator: "\n")
                .map(String.init) + ["sqlite_schema"])
        var random = SeededRandom(seed: 29)
        let harms: [PageHarm] = [
            .pages(1), .pages(5), .pages(50), .pages(500), .schema(1), .schema(5), .schemaNames, .header,
            .firstPage, .root,
            .cut(0.5), .cut(2 / 3),
            .swapped, .lostCell, .index, .cutText, .cutNumber,
        ]
        for harm in harms {
            let clips = try template.copy()
            try harm.apply(to: clips, &random)
            let expected = try rows(Self.reference, clips.storePath).intersection(original)
            let new = clips.folder.path(of: "new.db")
            let run = try clips.run("doctor", "--salvage", new, "--json")
            try #require(run.status == 1, "\(harm): \(run)")
            let saved = try rows(Self.reference, new)
            print(
                "\(harm): \(expected.count) of \(original.count) intact, \(saved.intersection(original).count) saved"
            )
            #expect(expected.subtracting(saved) == [], "\(harm)")
            // A text whose bytes changed on a page is saved, and counted.
            let damaged = try #require(run.output.firstMatch(of: /"damagedText":([0-9]+)/))
            let different = saved.subtracting(original).count
            let unnoticed = harm.movesPages ? 20 : 0
            #expect(different <= (Int(damaged.1) ?? 0) + unnoticed, "\(harm): \(different) \(damaged.1)")
            let count = try #require(run.output.firstMatch(of: /"saved":([0-9]+)/))
            #expect(Int(count.1) == saved.count, "\(harm)")
            let names = Set(try owners.filter { try Self.isChanged($0.key, template, clips) }.values)
            let missing = Set(
                run.output.matches(of: /\[([0-9]+),([0-9]+)\]/).flatMap {
                    (Int($0.1) ?? 0)...(Int($0.2) ?? 0)
                })
            // A deleted clip existed, and is named if the page with its deletion is damaged.
            let deleted = missing.intersection(4000...5000)
            #expect(deleted.isEmpty || names.contains("history"), "\(harm)")
            let lost = original.count - saved.intersection(original).count
            #expect(missing.subtracting(deleted).count <= lost, "\(harm)")
            #expect(try clips.run("doctor", "--store", new).status == 0, "\(harm)")
            // The damage is named, with its remedy; that of an unused page or a pointer map may be unnoticed, or costs none.
            let doctor = try clips.run("doctor")
            let remedies = ["--salvage", "--repair"].filter { (doctor.output + doctor.errors).contains($0) }
            let isOfTable = !names.isDisjoint(with: tables)
            let isNoticed = remedies == [isOfTable ? "--salvage" : "--repair"]
            // Other names are a valid schema.
            if case .schemaNames = harm {
                #expect(doctor.errors.contains("was changed by another program: its Clip has no archived"))
                continue
            }
            #expect(isNoticed || !isOfTable && names.contains(""), "\(harm) of \(names.sorted()): \(doctor)")
        }
    }

    @Test func `a salvage that finds nothing creates no store, and an empty one replaces none`() throws {
        let clips = try Situation.someClips.make()
        let junk = clips.folder.path(of: "junk.db")
        try Data(repeating: 0x5A, count: 100_000).write(to: URL(fileURLWithPath: junk))
        let new = clips.folder.path(of: "new.db")
        let run = try clips.run("doctor", "--salvage", new, "--store", junk)
        #expect(run.status == 1 && run.errors.contains("Found nothing to salvage"), "\(run)")
        #expect(!FileManager.default.fileExists(atPath: new))
        let other = clips.folder.path(of: "other.db")
        #expect(try clips.run("add", "--store", other, "--title", "a").status == 0)
        #expect(try clips.run("delete", "--store", other, "1").status == 0)
        let restored = try clips.run("backup", "restore", other)
        #expect(
            restored.status == 1 && restored.errors.contains("it is empty, and the store is not"),
            "\(restored)")
        #expect(try clips.ids().count == Situation.clips)
    }

    @Test(arguments: Harm.allCases)
    func `every clip that is readable by its ID is in the new store as it was`(harm: Harm) throws {
        let seed = Self.seed
        var random = SeededRandom(seed: seed)
        let template = try store()
        var salvaged = 0
        for round in 0..<LongProof.count(1, of: 40, "stores with damaged \(harm)") {
            let clips = try template.copy()
            try harm.apply(to: clips.storePath, &random)
            let sum = try Shell.run("cksum", [clips.storePath]).output
            let new = clips.folder.path(of: "new.db")
            let run = try clips.run("doctor", "--salvage", new, "--json")
            let context: Comment = "seed \(seed), round \(round): \(run)"
            try #require(run.status <= 2, context)
            #expect(try Shell.run("cksum", [clips.storePath]).output == sum, context)
            let expected = try readable(clips.storePath)
            #expect(!run.errors.contains("did not pass its check"), context)
            salvaged += 1
            guard run.status < 2 else {
                #expect(expected.isEmpty && run.errors.contains("Found nothing to salvage"), context)
                continue
            }
            let saved = try readable(new)
            #expect(expected.subtracting(saved) == [], context)
            let count = try #require(run.output.firstMatch(of: /"saved":([0-9]+)/), context)
            // A damaged ID may be beyond those that the oracle reads.
            #expect(try String(count.1) == Self.count(new), context)
            // All is said to be saved only if it is.
            if run.status == 0 { #expect(saved.count == Self.clips - Self.clips / 50, context) }
            let doctor = try clips.run("doctor", "--store", new)
            #expect(doctor.status == 0, "\(context) \(doctor)")
            let isWell = try clips.run("doctor").status == 0
            #expect(!isWell || expected.count == Self.clips - Self.clips / 50, context)
        }
        #expect(salvaged > 0)
    }

    @Test func `a salvage retains IDs and versions, begins a history, and uses no ID again`() throws {
        let clips = try store()
        _ = try clips.sqlite3("DELETE FROM Clip WHERE id = \(Self.clips - 1)")
        let new = clips.folder.path(of: "new.db")
        let before = try readable(clips.storePath)
        let run = try clips.run("doctor", "--salvage", new)
        #expect(run.status == 0 && run.output.hasSuffix("None is known to be missing.\n"), "\(run)")
        #expect(try readable(new) == before)
        #expect(try clips.run("history", "--store", new).output.split(separator: "\n").count == 1)
        #expect(try clips.run("add", "--store", new, "--title", "clip next").output == "\(Self.clips + 1)\n")
        #expect(try clips.run("search", "--store", new, "note").output.isEmpty == false)
    }

    @Test(arguments: [2, 3]) func `a salvage of the beginning of a file counts the clips beyond its end`(
        part: Int64
    ) throws {
        let clips = try store()
        let all = try readable(clips.storePath).count
        let size = try #require(
            FileManager.default.attributesOfItem(atPath: clips.storePath)[.size] as? Int64)
        truncate(clips.storePath, Int(size / part))
        let new = clips.folder.path(of: "new.db")
        let run = try clips.run("doctor", "--salvage", new)
        let saved = try readable(new).count
        #expect(run.status == 1 && saved > 0 && saved < all, "\(run)")
        let missing = try #require(run.output.firstMatch(of: #/([0-9,]+) other clips existed/#)?.1, "\(run)")
        let count = try #require(Int(missing.filter { $0 != "," }))
        #expect(count >= all - saved && count <= Self.clips - saved, "\(all) \(saved) \(run)")
    }

    @Test func `a salvage reads the log of a killed process`() throws {
        let clips = try Situation.longLog.make()
        let copy = try clips.copy()
        let before = try readable(copy.storePath)
        let files = ["", "-wal"].map { clips.storePath + $0 }
        let sums = try Shell.run("cksum", files).output
        let run = try clips.run("doctor", "--salvage", clips.folder.path(of: "new.db"))
        #expect(run.status == 0, "\(run)")
        #expect(try Shell.run("cksum", files).output == sums)
        #expect(try readable(clips.folder.path(of: "new.db")) == before)
    }

    @Test func `an emptied store is salvaged from its log`() throws {
        let clips = try Situation.longLog.make()
        truncate(clips.storePath, 0)
        let run = try clips.run("doctor", "--salvage", clips.folder.path(of: "new.db"))
        #expect(run.status <= 2, "\(run)")
        if run.status != 0 { #expect(Sentences.fault(in: run.errors) == nil, "\(run)") }
    }

    @Test func `a salvage needs a file name that is free`() throws {
        let clips = try store()
        let new = clips.folder.path(of: "new.db")
        try "mine".write(toFile: new, atomically: true, encoding: .utf8)
        let taken = try clips.run("doctor", "--salvage", new)
        #expect(taken.status == 1 && taken.errors.contains("exists. Nothing was changed"), "\(taken)")
        #expect(try String(contentsOfFile: new, encoding: .utf8) == "mine")
        let names = try FileManager.default.contentsOfDirectory(atPath: clips.folder.path)
        #expect(!names.contains { $0.contains(".draft-") })
    }

    @Test(arguments: ["Clip_by_url", "Clip_by_created", "history_origin_by_author"])
    func `a damaged index is repaired, and nothing is lost`(name: String) async throws {
        let clips = try Situation.someClips.make()
        let ids = try clips.ids()
        try Damage.page(of: name, in: clips)
        let sick = try clips.run("doctor")
        #expect(sick.status == 1 && sick.output.contains("An index of the store is damaged"), "\(sick)")
        #expect(sick.output.contains("history      Not checked"), "\(sick)")
        let run = try clips.run("doctor", "--repair")
        #expect(run.status == 0 && run.output.contains("Repaired."), "\(run)")
        #expect(try clips.run("doctor").status == 0)
        #expect(await Oracle(clips: clips).complaints(saved: ids) == [])
    }
}
