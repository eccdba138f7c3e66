import Foundation
import Mirroring
import TestSupport
import Testing

@testable import ClipsCore

/// The words for the state of a mirror, and its file.
@Suite struct MirrorReportTests {
    private let utc = TimeZone(secondsFromGMT: 0) ?? .current
    private let noon = Date(timeIntervalSince1970: 1_800_000_000)

    private func summary(of error: MirrorError, waiting: Int = 0) -> String {
        MirrorReport(.init(error), since: noon, waiting: waiting, message: "The disk is full.")
            .summary(timeZone: utc, at: noon)
    }

    @Test func `each problem has its words`() {
        #expect(
            summary(of: .unreachable(reason: "x"), waiting: 3) == "mirror unreachable since 8:00, 3 waiting")
        #expect(summary(of: .unauthorized) == "mirror: wrong password")
        #expect(summary(of: .wrongKey) == "mirror: wrong key, nothing written")
        #expect(
            summary(of: .quotaExceeded, waiting: 312) == "mirror: quota full, nothing lost, 312 waiting")
        #expect(summary(of: .newerFormat(2)) == "mirror: newer format, update clips")
        #expect(summary(of: .absentTooLong).contains("join with 'clips mirror once'"))
        #expect(summary(of: .other("disk")) == "mirror paused: The disk is full.")
    }

    @Test func `an exchange reports its progress`() {
        var report = MirrorReport(.connecting, since: noon, waiting: 4)
        #expect(report.summary(at: noon) == "mirror connecting, 4 waiting")
        (report.sent, report.received, report.share) = (1200, 3, 0.429)
        #expect(
            report.summary(at: noon) == "mirror: 1200 sent, 3 received, a large clip 42 %, 4 waiting")
    }

    @Test func `a working mirror is silent, except for events`() {
        var report = MirrorReport(.connected, since: noon, conflicts: 2)
        #expect(report.summary(timeZone: utc, at: noon) == "")
        report.removals = 200
        #expect(report.summary(at: noon) == "mirror: 200 deletions, confirm with 'clips mirror once'")
        report.removals = 0
        report.tooLarge = 1
        #expect(report.summary(at: noon) == "mirror: 1 too large for the server")
        (report.forgotten, report.forgotAt) = (12, noon)
        #expect(report.summary(at: noon + 9) == "mirror: server forgot 12, sent again")
        #expect(report.summary(at: noon + 900) == "mirror: 1 too large for the server")
        report.clockOffset = -7_300
        #expect(report.summary(at: noon) == "mirror: clock off by 7 s")
        report.clockOffset = 3_600_000 * 5
        #expect(report.summary(at: noon) == "mirror: clock off by 5 h")
    }

    @Test func `the report of a process that exited is not current, and its file is private`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "clips.db")
        #expect(MirrorReport(store: path) == nil)
        var report = MirrorReport(.connected, since: noon, waiting: 4)
        try report.write(store: path)
        #expect(MirrorReport(store: path) == report)
        let file = MirrorFiles(store: path).report
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        report.started -= 1
        #expect(report.summary() == "mirror not running, 4 waiting")
    }
}
