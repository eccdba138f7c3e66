import Foundation
import TestSupport
import Testing

/// No inotify left: its instances, or its watches, are used up by others.
@Suite(.serialized) struct NoWatchTests {
    @Test(arguments: [EMFILE, ENOSYS])
    func `without file events everything works by looking, and says so`(error: Int32) throws {
        let clips = try Situation.someClips.make()
        let environment = try FaultShim.environment(["FAULT_WATCH": "\(error)"])
        let errors = clips.folder.path(of: "errors")
        let follower = try LineProcess(
            "env",
            environment.map { "\($0.key)=\($0.value)" } + [
                "sh", "-c", "exec \"$0\" history --follow --store \"$1\" 2> \"$2\"", ClipsProgram.path,
                clips.storePath, errors,
            ])
        for _ in 0..<2 { _ = try follower.answer() }
        #expect(
            try eventually {
                try String(contentsOfFile: errors, encoding: .utf8)
                    == "clips: there are no file events here; the store is asked 20 times a second.\n"
            })
        let app = try AppSession(clips, with: environment)
        #expect(app.shows("looking for changes (no file events)"))
        for number in 1...3 {
            try clips.run("extension", "--title", "clip unseen \(number)")
            #expect(try follower.answer(within: 1).contains("insert Clip"))
            #expect(app.shows("clip unseen \(number)", within: 1.5))
        }
        let doctor = try clips.run(["doctor"], with: environment)
        #expect(doctor.status == 1 && doctor.output.contains("raise fs.inotify"), "\(doctor.output)")
    }
}
