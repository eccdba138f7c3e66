import Foundation
import TestSupport

/// A store before the fault, created once in a process and copied for each test.
enum Situation: Sendable {
    case noStore
    case someClips
    /// With a search index of all clips.
    case indexed
    /// With the log of a killed process, which the next commit moves into the file.
    case longLog

    static let clips = 60

    /// - Parameter more: Changes of the copied store, made once for each line that calls this.
    func make(
        file: String = #fileID, line: Int = #line, _ more: ((ClipsProgram) throws -> Void)? = nil
    ) throws -> ClipsProgram {
        guard let more else { return try ClipsProgram.copy(self, fill: fill) }
        return try ClipsProgram.copy(self, file: file, line: line) { template in
            try fill(template)
            try more(template)
        }
    }

    private func fill(_ program: ClipsProgram) throws {
        mkdir(program.folder.path(of: "tmp"), 0o700)
        guard self != .noStore else { return }
        let lines = (1...Self.clips).map { number in
            """
            {"title":"clip \(number)","url":"https://example.org/\(number)","text":"\
            \(String(repeating: "word\(number) ", count: 20))"}

            """
        }
        for part in [lines[..<40], lines[40...]] {
            try program.run("extension", "--jsonl", "--quiet", input: part.joined())
        }
        switch self {
        case .indexed: try program.run("search", "clip")
        case .longLog:
            let updates = String(
                repeating: "UPDATE Clip SET note = note || '\(String(repeating: "x", count: 30))';\n",
                count: 90)
            try Shell.run(
                "sqlite3", [program.storePath],
                input: "PRAGMA wal_autocheckpoint = 0;\n\(updates).shell kill -9 $PPID\n")
        default: break
        }
    }
}

extension ClipsProgram {
    /// The IDs of the clips, read without changing the log.
    func idsOfCopy() throws -> Set<Int64> { try copy().ids() }

    /// Runs the program with additional variables.
    func run(_ words: [String], input: String = "", with more: [String: String]) throws -> Shell {
        let temporary = ["TMPDIR": folder.path(of: "tmp")]
        return try Shell.run(
            Self.path, words, input: input,
            environment: environment.merging(temporary) { $1 }.merging(more) { $1 })
    }

    func ids() throws -> Set<Int64> {
        Set(try sqlite3("SELECT id FROM Clip").split(separator: "\n").compactMap { Int64($0) })
    }

    /// The text of the files with retained clips.
    func unsaved() throws -> String {
        var text = ""
        for folder in [folder.path, folder.path(of: "tmp")] {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder)
            where name.contains("unsaved") {
                text += try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
            }
        }
        return text
    }
}

extension Shell {
    /// The IDs printed on lines of their own.
    var ids: Set<Int64> { Set(output.split(separator: "\n").compactMap { Int64($0) }) }
}
