import Foundation
import TestSupport
import Testing

/// A store that is moved, deleted, or replaced while processes have it open.
@Suite(.serialized) struct MovedStoreTests {
    enum Change: String, CaseIterable, Sendable {
        case moved, deleted, replaced, folderMoved, indexRemoved, indexCut, logAndIndexRemoved

        func make(_ clips: ClipsProgram, _ older: String) {
            let store = clips.storePath
            switch self {
            case .moved: rename(store, clips.folder.path(of: "elsewhere.db"))
            case .deleted: unlink(store)
            case .replaced: rename(older, store)
            case .indexRemoved: unlink(store + "-shm")
            case .indexCut: truncate(store + "-shm", 0)
            case .logAndIndexRemoved: for end in ["-wal", "-shm"] { unlink(store + end) }
            case .folderMoved: rename(clips.folder.path, clips.folder.path + "-moved")
            }
        }
    }

    /// A store, and a copy of it that is older than its last two clips.
    private func stores() throws -> (clips: ClipsProgram, older: String) {
        let clips = try Situation.someClips.make()
        let older = clips.folder.path(of: "older.db")
        try clips.run("backup", "--quiet", older)
        for number in 1...2 { try clips.run("add", "--title", "clip late \(number)") }
        return (clips, older)
    }

    @Test(arguments: Change.allCases)
    func `processes report a moved store, and write nothing more into the old file`(change: Change)
        throws
    {
        let (clips, older) = try stores()
        defer { _ = try? Shell.run("rm", ["-rf", clips.folder.path + "-moved"]) }
        let errors = clips.folder.path + "-errors"
        defer { unlink(errors) }
        let follower = try LineProcess(
            "sh",
            [
                "-c", "exec \"$0\" history --follow --store \"$1\" 2> \"$2\"", ClipsProgram.path,
                clips.storePath, errors,
            ])
        let app = try AppSession(clips)
        for _ in 0..<4 { _ = try follower.answer() }
        #expect(app.shows("live"))
        // The app's last commit of its own.
        let cleanings = "SELECT count(*) FROM store_metadata WHERE key = 'last_cleaning'"
        #expect(try eventually { try clips.sqlite3(cleanings) == "1" })
        // A second hard link of the store would be reported itself.
        let descriptors = ["", "-wal"].map { (end: String) in
            open(clips.storePath + end, O_RDONLY | O_CLOEXEC)
        }
        defer { for descriptor in descriptors { close(descriptor) } }
        let opened = descriptors.map { "/proc/\(getpid())/fd/\($0)" }
        let before = try Shell.run("cksum", opened).output
        change.make(clips, older)
        #expect(follower.waitsForEnd() == 1)
        let said = try String(contentsOfFile: errors, encoding: .utf8)
        #expect(
            said.contains("was replaced, moved, or deleted") && Sentences.fault(in: said) == nil, "\(said)")
        #expect(app.shows("The store file was replaced or emptied: quit and restart"))
        app.type("ahttps://example.org/late\r")
        #expect(app.shows("Your text is in"))
        #expect(try Shell.run("cksum", opened).output == before)
    }

    @Test func `an older backup restored into the file is reported, and newer tokens are invalid`()
        async throws
    {
        let (clips, older) = try stores()
        let last = try clips.run("history", "--json", "--limit", "1").output
        let token = String(try #require(last.firstMatch(of: /"token":"([^"]+)"/)).1)
        let errors = clips.folder.path(of: "errors")
        let follower = try LineProcess(
            "sh",
            [
                "-c", "exec \"$0\" history --follow --store \"$1\" 2> \"$2\"", ClipsProgram.path,
                clips.storePath, errors,
            ])
        for _ in 0..<4 { _ = try follower.answer() }
        let app = try AppSession(clips)
        #expect(app.shows("clip late 2"))
        // Through SQLite, so into the same file.
        #expect(
            try Shell.run("sqlite3", [clips.storePath, ".timeout 5000", ".restore \(older)"]).errors == "")
        #expect(follower.waitsForEnd() == 1)
        let said = try String(contentsOfFile: errors, encoding: .utf8)
        #expect(said.contains("an older copy was restored. Do a full refresh."), "\(said)")
        #expect(app.shows("/\(Situation.clips)") && app.hides("clip late 2"))
        let run = try clips.run("history", "--after", token)
        #expect(run.status == 1 && run.errors.contains("an older copy was restored"), "\(run)")
        #expect(await Oracle(clips: clips).complaints() == [])
        #expect(app.shows("clip after"))
    }
}
