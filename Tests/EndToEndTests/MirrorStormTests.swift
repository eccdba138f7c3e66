import Foundation
import TestSupport
import Testing

/// Two machines and a server that are killed at random moments.
@Suite(.enabled(if: NATSServer.isInstalled, Comment(rawValue: NATSServer.missing)))
struct MirrorStormTests {
    let server: NATSServer
    let machines: [ClipsProgram]

    init() throws {
        server = try NATSServer()
        machines = [try ClipsProgram(), try ClipsProgram()]
    }

    private func start(_ machine: ClipsProgram) throws -> pid_t {
        try Shell.spawn(
            [ClipsProgram.path + "-mirror", "run"], environment: machine.environment, input: "/dev/null",
            output: "/dev/null", errors: "/dev/null")
    }

    private func end(_ process: pid_t) {
        kill(process, SIGKILL)
        _ = Shell.wait(for: process)
    }

    @Test(arguments: 1...2)
    func `nothing is lost when clips-mirror and the server are killed`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let code = try machines[0].run("mirror", "add", server.url).output
        let paired = try machines[1].run("mirror", "pair", server.url, "--yes", input: code)
        try #require(paired.status == 0, "\(paired)")
        var running = try machines.map(start)
        defer { for process in running { end(process) } }
        // Only one machine edits a clip, so its last title must arrive.
        var titles: [String: (title: String, machine: Int)] = [:]
        let backup = server.folder.path(of: "backup")
        for step in 0..<LongProof.count(60, of: 600, "steps of machines and a server that are killed") {
            let index = Int.random(in: 0...1, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case ..<7:
                let url = "https://\(step).example"
                titles[url] = ("inserted \(step)", index)
                _ = try machines[index].sqlite3(
                    "INSERT INTO Clip (url, title) VALUES ('\(url)', 'inserted \(step)');")
            case ..<14:
                let own = titles.filter { $0.value.machine == index }.keys.sorted()
                guard let url = own.randomElement(using: &random) else { continue }
                titles[url]?.title = "edited \(step)"
                _ = try machines[index].sqlite3(
                    "UPDATE Clip SET title = 'edited \(step)' WHERE url = '\(url)';")
            case ..<17:
                end(running[index])
                running[index] = try start(machines[index])
            case 17:
                server.stop()
                try server.start()
            case 18:
                server.stop()
                try? FileManager.default.removeItem(atPath: backup)
                try FileManager.default.copyItem(atPath: server.dataFolder, toPath: backup)
                try server.start()
            default:
                server.stop()
                try FileManager.default.removeItem(atPath: server.dataFolder)
                try? FileManager.default.copyItem(atPath: backup, toPath: server.dataFolder)
                try server.start()
            }
        }
        for process in running { end(process) }
        running = []
        for machine in machines + machines {
            let run = try machine.run("mirror", "once")
            #expect(run.status == 0, "\(run)")
        }
        for machine in machines {
            let lines = try machine.sqlite3("SELECT url || ' ' || title FROM Clip ORDER BY 1;")
            let expected = titles.map { url, newest in "\(url) \(newest.title)" }.sorted()
            #expect(lines.split(separator: "\n").map(String.init) == expected)
        }
    }
}
