import Foundation
import TestSupport
import Testing

/// The unfinished copies of backups, restores, and salvages that are killed.
@Suite(.serialized) struct DraftFolderTests {
    struct Run: CustomTestStringConvertible {
        let words: [String]
        /// The file that the run creates or replaces.
        let destination: String

        var testDescription: String { words.joined(separator: " ") }

        static let all = [
            Run(words: ["backup", "--quiet", "new.db"], destination: "new.db"),
            Run(words: ["backup", "restore", "copy"], destination: "clips.db"),
            Run(words: ["doctor", "--salvage", "new.db"], destination: "new.db"),
        ]

        func callAsFunction(_ clips: ClipsProgram, with environment: [String: String] = [:]) throws
            -> (status: Int32, errors: String)
        {
            let files: Set = ["new.db", "copy"]
            let run = try clips.run(
                words.map { files.contains($0) ? clips.folder.path(of: $0) : $0 }, with: environment)
            return (run.status, run.errors)
        }
    }

    private func store() throws -> ClipsProgram {
        let clips = try Situation.someClips.make()
        try clips.run("backup", "--quiet", clips.folder.path(of: "copy"))
        return clips
    }

    private func drafts(in clips: ClipsProgram) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: clips.folder.path)
            .filter { $0.contains(".draft-") }
    }

    @Test(arguments: Run.all) func `a run deletes the draft that a killed one left`(run: Run) throws {
        let clips = try store()
        let fault = Fault(calls: "w", kind: .kill)
        let path = clips.folder.path(of: run.destination) + ".draft-"
        let killed = try run(
            clips, with: fault.environment(at: 1, path: path, note: clips.folder.path(of: "note")))
        #expect(killed.status == 128 + SIGKILL)
        #expect(try drafts(in: clips).count == 1)
        let second = try run(clips)
        #expect(second.status == 0, "\(second)")
        #expect(try drafts(in: clips) == [])
    }

    @Test(arguments: Run.all) func `a run leaves the draft of a live process alone`(run: Run) throws {
        let clips = try store()
        let draft = clips.folder.path(of: run.destination) + ".draft-abcdef"
        let holder = try LineProcess(
            "python3",
            [
                "-c",
                """
                import fcntl, os, sys
                os.mkdir(sys.argv[1], 0o700)
                open(sys.argv[1] + "/store", "w").close()
                fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_EX)
                print("locked", flush=True)
                sys.stdin.read()
                """, draft,
            ])
        #expect(try holder.answer() == "locked")
        let first = try run(clips)
        #expect(first.status == 0, "\(first)")
        #expect(FileManager.default.fileExists(atPath: draft + "/store"))
        holder.killNow()
        try? FileManager.default.removeItem(atPath: clips.folder.path(of: "new.db"))
        let second = try run(clips)
        #expect(second.status == 0, "\(second)")
        #expect(try drafts(in: clips) == [])
    }
}
