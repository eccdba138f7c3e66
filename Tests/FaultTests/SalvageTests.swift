import Foundation
import TestSupport
import Testing

/// `clips doctor --salvage` on stores with random damage, compared with Python's SQLite, which reads by ID.
@Suite(.serialized) struct SalvageTests {
    private static let clips = LongProof.count(400, of: 3000, "clips of a store to salvage")
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

    private static func count(_ path: String) throws -> String {
        try Shell.run("sqlite3", [path, "SELECT count(*) FROM Clip"]).output.trimmingCharacters(in: .newlines)
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
            let expected = try SalvageScans.byID(clips.storePath)
            #expect(!run.errors.contains("did not pass its check"), context)
            salvaged += 1
            guard run.status < 2 else {
                #expect(expected.isEmpty && run.errors.contains("Found nothing to salvage"), context)
                continue
            }
            let saved = try SalvageScans.byID(new)
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
        let before = try SalvageScans.byID(clips.storePath)
        let run = try clips.run("doctor", "--salvage", new)
        #expect(run.status == 0 && run.output.hasSuffix("None is known to be missing.\n"), "\(run)")
        #expect(try SalvageScans.byID(new) == before)
        #expect(try clips.run("history", "--store", new).output.split(separator: "\n").count == 1)
        #expect(try clips.run("add", "--store", new, "--title", "clip next").output == "\(Self.clips + 1)\n")
        #expect(try clips.run("search", "--store", new, "note").output.isEmpty == false)
    }

    /// The schema is in the first half of the file.
    @Test(arguments: [0.6, 0.85]) func `a salvage of the beginning of a file counts the clips beyond its end`(
        share: Double
    ) throws {
        let clips = try store()
        let all = try SalvageScans.byID(clips.storePath).count
        let size = try #require(
            FileManager.default.attributesOfItem(atPath: clips.storePath)[.size] as? Int64)
        truncate(clips.storePath, Int(Double(size) * share))
        let new = clips.folder.path(of: "new.db")
        let run = try clips.run("doctor", "--salvage", new)
        let saved = try SalvageScans.byID(new).count
        #expect(run.status == 1 && saved > 0 && saved < all, "\(run)")
        let missing = try #require(run.output.firstMatch(of: #/([0-9,]+) other clips existed/#)?.1, "\(run)")
        let count = try #require(Int(missing.filter { $0 != "," }))
        #expect(count >= all - saved && count <= Self.clips - saved, "\(all) \(saved) \(run)")
    }

    @Test func `a salvage reads the log of a killed process`() throws {
        let clips = try Situation.longLog.make()
        let copy = try clips.copy()
        let before = try SalvageScans.byID(copy.storePath)
        let files = ["", "-wal"].map { clips.storePath + $0 }
        let sums = try Shell.run("cksum", files).output
        let run = try clips.run("doctor", "--salvage", clips.folder.path(of: "new.db"))
        #expect(run.status == 0, "\(run)")
        #expect(try Shell.run("cksum", files).output == sums)
        #expect(try SalvageScans.byID(clips.folder.path(of: "new.db")) == before)
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
