import Foundation
import TestSupport
import Testing

/// A store's file of an earlier time, next to the search index and the log of today.
@Suite struct OlderFileTests {
    let clips: ClipsProgram

    init() throws { clips = try ClipsProgram() }

    @Test func `an older file of the store in its position is noticed, and search finds what it contains`()
        throws
    {
        for title in ["one", "two"] { try clips.run("add", "--title", title) }
        _ = try clips.sqlite3("PRAGMA wal_checkpoint(TRUNCATE)")
        let old = clips.folder.path(of: "old")
        try Shell.run("cp", [clips.storePath, old])
        for number in 1...4 { try clips.run("add", "--title", "lost \(number)") }
        #expect(try clips.run("search", "lost").output.split(separator: "\n").count == 4)
        _ = try clips.sqlite3("PRAGMA wal_checkpoint(TRUNCATE)")
        for count in [0, 4, 9] {
            let copy = try clips.copy()
            try Shell.run("cp", [old, copy.storePath])
            for number in 0..<count { try copy.run("add", "--title", "new \(number)") }
            let doctor = try copy.run("doctor")
            #expect(doctor.status == 1 && doctor.output.contains("an older file"), "\(count): \(doctor)")
            let app = try AppSession(copy)
            #expect(app.shows("an older file"), "\(count)")
            app.type("q")
            let search = try copy.run("search", "lost")
            #expect(search.output == "" && search.errors.contains("an older file"), "\(count): \(search)")
            #expect(try copy.run("search", "new").output.split(separator: "\n").count == count, "\(count)")
            #expect(try copy.run("search", "one").output.split(separator: "\n").count == 1, "\(count)")
            #expect(try copy.run("doctor").status == 0, "\(count)")
        }
    }

    @Test func `a log that was deleted is noticed`() throws {
        try clips.run("add", "--title", "one")
        _ = try clips.sqlite3("PRAGMA wal_checkpoint(TRUNCATE)")
        let old = clips.folder.path(of: "old")
        try Shell.run("cp", [clips.storePath, old])
        try clips.run("add", "--title", "two")
        try clips.run("search", "two")
        try Shell.run("cp", [old, clips.storePath])
        let doctor = try clips.run("doctor")
        #expect(doctor.status == 1, "\(doctor)")
        #expect(
            doctor.output.contains(#/The history ends at [0-9]+, but commits up to [0-9]+ were made/#),
            "\(doctor)")
    }

    @Test func `a log that was deleted under a window is noticed by each next program, without an index`()
        throws
    {
        try clips.run("add", "--title", "one")
        _ = try clips.sqlite3("PRAGMA wal_checkpoint(TRUNCATE)")
        let window = try AppSession(clips)
        #expect(window.shows("one"))
        try clips.run("add", "--title", "two")
        #expect(window.shows("two"))
        unlink(clips.storePath + "-wal")
        window.type("q")
        #expect(eventually { window.endStatus != nil })
        unlink(clips.storePath + "-search")
        for command in ["list", "tags", "star 1"] {
            let run = try clips.shell("$CLIPS \(command)")
            let sentences = run.errors.matches(of: #/The history ends at [0-9]+, but commits up to/#)
            #expect(sentences.count == 1, "\(command): \(run)")
            guard command == "list" else { continue }
            #expect(try clips.run("doctor").status == 1)
            let next = try AppSession(clips)
            #expect(next.shows("but commits up to"))
            next.type("q")
            #expect(eventually { next.endStatus != nil })
        }
    }

    @Test func `a restored backup and a new store raise no alarm about lost commits`() throws {
        try clips.run("add", "--title", "one")
        let backup = clips.folder.path(of: "backup.db")
        try clips.run("backup", backup)
        for number in 1...3 { try clips.run("add", "--title", "two \(number)") }
        try clips.run("search", "two")
        try clips.run("backup", "restore", backup)
        #expect(try clips.run("doctor").status == 0)
        #expect(try clips.run("search", "one").errors == "")
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: clips.storePath + end) }
        try clips.run("add", "--title", "new")
        #expect(try clips.run("doctor").status == 0)
        #expect(try clips.run("search", "new").errors == "")
    }
}
