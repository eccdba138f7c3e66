import Foundation
import TestSupport

/// A store as it is before the fault, made once and copied for each try.
enum Situation: Sendable {
    case noStore
    case someClips
    /// With a search index that has all of them.
    case indexed
    /// With a log that the next commit moves into the file, left by a process that was killed.
    case longLog

    static let clips = 60

    func make() throws -> ClipsProgram {
        let program = try ClipsProgram()
        mkdir(program.folder.path(of: "tmp"), 0o700)
        guard self != .noStore else { return program }
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
        return program
    }

    /// The same files in a folder of its own.
    static func copy(_ program: ClipsProgram) throws -> ClipsProgram {
        let copy = try ClipsProgram()
        for name in try FileManager.default.contentsOfDirectory(atPath: program.folder.path) {
            try FileManager.default.copyItem(
                atPath: program.folder.path(of: name), toPath: copy.folder.path(of: name))
        }
        return copy
    }
}

extension ClipsProgram {
    /// The clips that are there, without touching a log that was left.
    func idsOfCopy() throws -> Set<Int64> { try Situation.copy(self).ids() }

    /// A run with more in its environment.
    func run(_ words: [String], input: String = "", with more: [String: String]) throws -> Shell {
        let temporary = ["TMPDIR": folder.path(of: "tmp")]
        return try Shell.run(
            Self.path, words, input: input,
            environment: environment.merging(temporary) { $1 }.merging(more) { $1 })
    }

    func ids() throws -> Set<Int64> {
        Set(try sqlite3("SELECT id FROM Clip").split(separator: "\n").compactMap { Int64($0) })
    }

    /// The files in which clips were kept that could not be saved.
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
    /// The ids that were printed on lines of their own.
    var ids: Set<Int64> { Set(output.split(separator: "\n").compactMap { Int64($0) }) }
}
