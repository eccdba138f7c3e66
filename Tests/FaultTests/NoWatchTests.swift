import Foundation
import TestSupport
import Testing

/// No inotify: its instances or watches are used up, or it is missing.
@Suite(.serialized) struct NoWatchTests {
    @Test(arguments: [EMFILE, ENOSYS])
    func `without file events programs poll the store, and report that`(error: Int32) async throws {
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
            try await soon {
                try String(contentsOfFile: errors, encoding: .utf8)
                    == "clips: No file events are available; polling the store 20 times per second.\n"
            })
        let app = try AppSession(clips, with: environment)
        #expect(app.shows("polling (no file events)"))
        for number in 1...3 {
            try clips.run("extension", "--title", "clip unseen \(number)")
            #expect(try follower.answer().contains("saved clip"))
            #expect(app.shows("clip unseen \(number)"))
        }
        let doctor = try clips.run(["doctor"], with: environment)
        #expect(doctor.status == 1 && doctor.output.contains("raise fs.inotify"), "\(doctor.output)")
    }
}
