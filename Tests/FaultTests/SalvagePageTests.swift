import Foundation
import TestSupport
import Testing

/// `clips doctor --salvage` on stores with damaged pages, compared with a scan of all leaf pages in Python.
@Suite(.serialized) struct SalvagePageTests {
    /// Damage to whole pages of a store of many clips.
    enum PageHarm: Sendable, CustomTestStringConvertible {
        case pages(Int)
        case header, firstPage, root, cut(Double)
        /// Exchanges of two pages each, with random numbers of their own.
        case swapped(seed: UInt64)
        /// A page of clips in the position of a page of each other table, and the reverse.
        case moved
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
        var movesPages: Bool {
            switch self {
            case .swapped, .moved: true
            default: false
            }
        }

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
                bytes = bytes.prefix((try #require(Int(page)) - 1) * Damage.pageSize + 2000)
            case .cutNumber:
                let page = try clips.sqlite3(
                    """
                    SELECT max(pageno) FROM dbstat WHERE name = 'Clip' AND pagetype = 'leaf' AND ncell > 9
                    AND pageno < \(pages * 3 / 4)
                    """)
                bytes = bytes.prefix(try #require(Int(page)) * Damage.pageSize - 3)
            case .cut(let share): bytes = bytes.prefix(Int(Double(bytes.count) * share))
            case .swapped(let seed):
                var random = SeededRandom(seed: seed)
                // An unused page of deleted clips in the position of a used one is not distinguishable from clips.
                let list = try clips.sqlite3("SELECT DISTINCT pageno FROM dbstat WHERE pageno > 2")
                let numbers = list.split(separator: "\n").compactMap { Int($0) }
                try #require(numbers.count > 1)
                let notes = try clips.sqlite3(
                    "SELECT rootpage FROM sqlite_schema WHERE name = 'history_replaced_Clip'")
                for _ in 0..<LongProof.count(5, of: 20, "swaps of pages") {
                    let two = numbers.shuffled(using: &random).prefix(2)
                    // A single clip on a page of notes may be a note of a replaced clip, with former values.
                    let isSingle = two.contains { page in
                        bytes[(page - 1) * Damage.pageSize..<page * Damage.pageSize].starts(
                            with: [13, 0, 0, 0, 1])
                    }
                    if isSingle, two.contains(Int(notes) ?? 0) { continue }
                    Self.swap(two[0], two[1], in: &bytes)
                }
            case .moved:
                let others = try clips.sqlite3(
                    """
                    SELECT max(pageno) FROM dbstat JOIN sqlite_schema AS found USING (name) WHERE found.type = 'table'
                    AND name <> 'Clip' AND pagetype = 'leaf' GROUP BY name
                    """)
                let leaves = try clips.sqlite3(
                    "SELECT pageno FROM dbstat WHERE name = 'Clip' AND pagetype = 'leaf' AND ncell > 1")
                let numbers = [others, leaves].map { $0.split(separator: "\n").compactMap { Int($0) } }
                try #require(numbers[0].count > 20 && numbers[1].count >= numbers[0].count)
                for (a, b) in zip(numbers[0], numbers[1].shuffled(using: &random)) {
                    Self.swap(a, b, in: &bytes)
                }
            }
            try bytes.write(to: url)
        }

        private static func swap(_ a: Int, _ b: Int, in bytes: inout Data) {
            for index in 0..<Damage.pageSize {
                bytes.swapAt((a - 1) * Damage.pageSize + index, (b - 1) * Damage.pageSize + index)
            }
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

    /// The IDs of the deleted clips.
    private static let deleted = LongProof.isWhole ? 4000...5000 : 1100...1200

    @Test func `a salvage recovers every intact row of a scan of all leaf pages, and no deleted one`() throws
    {
        let template = try Situation.someClips.make()
        let deleted = Self.deleted
        let last = LongProof.count(1800, of: 21000, "clips of a damaged store")
        _ = try template.sqlite3(
            """
            WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < \(last))
            INSERT INTO Clip (id, url, title, text) SELECT i, 'https://example.org/' || i, 'clip ' || i,
            CASE WHEN i % 40 = 0 THEN hex(zeroblob(i % 5000 + 2700)) ELSE 'text ' || i END FROM n;
            DELETE FROM Clip WHERE id BETWEEN \(deleted.lowerBound) AND \(deleted.upperBound);
            UPDATE Clip SET note = 'b' WHERE id % 7 = 0;
            PRAGMA wal_checkpoint(TRUNCATE);
            """)
        let original = try SalvageScans.byPage(template.storePath)
            .intersection(SalvageScans.byID(template.storePath))
        #expect(original.count == last - 999 + Situation.clips - deleted.count)
        let owners = try Self.owners(template)
        let tables = Set(
            try template.sqlite3("SELECT name FROM sqlite_schema WHERE type = 'table'").split(separator: "\n")
                .map(String.init) + ["sqlite_schema"])
        let isWhole = LongProof.isWhole
        var random = SeededRandom(seed: isWhole ? 29 : 1)
        let harms: [PageHarm] = [
            .pages(1), .pages(5), .pages(isWhole ? 50 : 12), .pages(isWhole ? 500 : 120),
            .schema(1), .schema(5), .schemaNames, .header, .firstPage, .root, .cut(0.5), .cut(2 / 3),
            .moved, .lostCell, .index, .cutText, .cutNumber,
        ]
        let swaps = (1...LongProof.count(2, of: 20, "seeds of swapped pages")).map {
            PageHarm.swapped(seed: UInt64($0))
        }
        for harm in harms + swaps {
            let clips = try template.copy()
            try harm.apply(to: clips, &random)
            let expected = try SalvageScans.byPage(clips.storePath).intersection(original)
            let new = clips.folder.path(of: "new.db")
            let run = try clips.run("doctor", "--salvage", new, "--json")
            try #require(run.status == 1, "\(harm): \(run)")
            let saved = try SalvageScans.byPage(new)
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
            let named = missing.intersection(deleted)
            #expect(named.isEmpty || names.contains("history"), "\(harm)")
            let lost = original.count - saved.intersection(original).count
            #expect(missing.subtracting(named).count <= lost, "\(harm)")
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

    @Test func `a salvage recovers clips on a page that is stated as unused, and no deleted ones`() throws {
        let clips = try Situation.someClips.make()
        let url = URL(fileURLWithPath: clips.storePath)
        func range(_ page: Int) -> Range<Int> { (page - 1) * Damage.pageSize..<page * Damage.pageSize }
        func leaves() throws -> [Int] {
            let query =
                "SELECT pageno FROM dbstat WHERE name = 'Clip' AND pagetype = 'leaf' AND ncell > 9 ORDER BY path"
            return try clips.sqlite3(query).split(separator: "\n").compactMap { Int($0) }
        }
        _ = try clips.sqlite3(
            """
            WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 1400)
            INSERT INTO Clip (id, title, text) SELECT i, 'clip ' || i, 'text ' || i FROM n;
            PRAGMA wal_checkpoint(TRUNCATE);
            """)
        let all = try leaves()
        let deleted = try Data(contentsOf: url).subdata(in: range(all[all.count / 2]))
        // Without the history, only the indexes name clips.
        _ = try clips.sqlite3(
            """
            DELETE FROM Clip WHERE id BETWEEN 1050 AND 1350;
            DELETE FROM history WHERE number < (SELECT max(number) FROM history);
            DELETE FROM history_values_Clip;
            PRAGMA wal_checkpoint(TRUNCATE);
            """)
        let original = try SalvageScans.byID(clips.storePath)
        #expect(original.count == Situation.clips + 100)
        let moved = try #require(leaves().last)
        let unused = try Self.owners(clips).filter { $0.value.isEmpty && $0.key > 2 }.keys.sorted()
        try #require(unused.count > 1)
        var bytes = try Data(contentsOf: url)
        bytes.replaceSubrange(range(unused[0]), with: deleted)
        bytes.replaceSubrange(range(unused[1]), with: bytes.subdata(in: range(moved)))
        bytes.resetBytes(in: range(moved))
        try bytes.write(to: url)
        #expect(try SalvageScans.byPage(clips.storePath).count > original.count)
        let new = clips.folder.path(of: "new.db")
        let run = try clips.run("doctor", "--salvage", new)
        #expect(run.status == 1, "\(run)")
        #expect(try SalvageScans.byID(new) == original)
    }
}
