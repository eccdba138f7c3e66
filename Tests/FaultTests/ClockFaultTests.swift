import Foundation
import TestSupport
import Testing

/// Programs under a wall clock that jumps, stops, or runs back.
@Suite(.serialized) struct ClockFaultTests {
    private static let hour = 3_600_000

    @Test func `a wall clock that jumps, stops, or runs back leaves history in order and ages positive`()
        async throws
    {
        let clips = try ClipsProgram()
        let clock = clips.folder.path(of: "clock")
        let environment = try FaultShim.environment(["FAULT_CLOCK": clock])
        func set(_ text: String) throws {
            try text.write(toFile: clock, atomically: false, encoding: .utf8)
        }
        let app = try AppSession(clips, with: environment)
        var saved: Set<Int64> = []
        let now = Int(Date().timeIntervalSince1970 * 1000)
        let times = [
            "0", "\(Self.hour)", "\(-Self.hour)", "frozen \(now)", "frozen \(now)",
            "\(-20 * 365 * 24 * Self.hour)",
            "\(24 * Self.hour)", "frozen 1000", "0",
        ]
        for (number, time) in times.enumerated() {
            try set(time)
            let run = try clips.run(["extension", "--title", "clip number \(number)."], with: environment)
            #expect(run.status == 0, "\(time): \(run.errors)")
            saved.formUnion(run.ids)
            #expect(app.shows("clip number \(number)."), "\(time)")
            // Ages are never negative.
            for line in app.lines where line.contains("clip number") {
                #expect(!line.contains(/\s-\d+[smhd]\b/), "\(time): \(line)")
            }
        }
        let history = try clips.run("history", "--json").output.split(separator: "\n")
        let stamps = history.compactMap { $0.firstMatch(of: /"timestamp":"([^"]+)"/).map { String($0.1) } }
        #expect(stamps.count >= times.count && stamps == stamps.sorted())
        #expect(try clips.run(["history", "clean", "--before", "30d"], with: environment).status == 0)
        #expect(try clips.run(["doctor"], with: environment).status == 0)
        #expect(await Oracle(clips: clips).complaints(saved: saved) == [])
    }
}
