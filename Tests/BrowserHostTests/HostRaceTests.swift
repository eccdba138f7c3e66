import Foundation
import TestSupport
import Testing

/// Hosts and commands that save the same pages at the same time.
@Suite struct HostRaceTests {
    @Test func `each answer names a clip that exists, and a page is saved once`() throws {
        let clips = try ClipsProgram()
        let hosts = try (0..<12).map { _ in try HostProcess(clips) }
        for host in hosts { try host.ask("hello", ["version": 1]) }
        for round in 0..<LongProof.count(3, of: 200, "rounds of 12 hosts and 12 commands") {
            let pages = (0..<5).map { "https://example.org/\(round)/\($0)" }
            let commands = try (0..<12).map { _ in
                try LineProcess(
                    ClipsProgram.path, ["add", "--duplicates", "skip"] + pages, environment: clips.environment
                )
            }
            let requests = try hosts.map { host in
                let saved = pages.map { HostProcess.clip($0, ["ifAbsent": true]) }
                return (host, try host.request("save", ["clips": saved]))
            }
            var named: Set<Int> = []
            var new = 0
            for (host, id) in requests {
                let answered = try host.answer(to: id).objects("clips")
                #expect(answered.count == pages.count)
                new += answered.count { $0["isNew"] as? Bool == true }
                named.formUnion(answered.compactMap { $0["clip"] as? Int ?? $0["id"] as? Int })
            }
            for command in commands { #expect([0, 1].contains(command.waitsForEnd())) }
            let counts = try clips.sqlite3(
                """
                SELECT count(*), count(DISTINCT url), sum(id IN (\(named.map(String.init).joined(separator: ","))))
                FROM Clip WHERE url LIKE 'https://example.org/\(round)/%'
                """)
            #expect(counts == "5|5|5" && named.count == 5 && new <= 5)
        }
    }
}
