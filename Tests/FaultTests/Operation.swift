import Foundation
import TestSupport

/// A command on a store during which a fault happens.
struct Operation: Sendable {
    let name: String
    let situation: Situation
    /// `FOLDER` stands for the folder's path.
    let words: [String]
    /// The beginning of the paths of its files.
    var files = "clips.db"
    /// Standard input, as a pipe.
    var input: String?
    /// A text that must be in the store or a file afterwards.
    var text: String?
    /// The reason why a reported success is none; nil if it is one.
    let shortfall: @Sendable (ClipsProgram, Shell) throws -> String?

    private static let hard = "a text that was hard to come by"

    static let save = Operation(
        name: "saving a clip", situation: .someClips,
        words: ["extension", "--url", "https://example.org/", "--title", "clip new", "--text", hard],
        text: hard
    ) { clips, run in try shortfall(of: 1, in: clips, run) }

    /// The commit also moves the log into the file.
    static let saveOnLongLog = Operation(
        name: "saving a clip on a long log", situation: .longLog, words: save.words, text: hard,
        shortfall: save.shortfall)

    static let create = Operation(
        name: "making a store", situation: .noStore, words: save.words, text: hard, shortfall: save.shortfall)

    static let lines = Operation(
        name: "saving lines", situation: .someClips, words: ["extension", "--jsonl"],
        input: (1...30).map { "{\"title\":\"clip of line \($0)\"}\n" }.joined(), text: "clip of line 30"
    ) { clips, run in try shortfall(of: 30, in: clips, run) }

    static let `import` = Operation(
        name: "importing", situation: .someClips, words: ["import", "FOLDER/import.jsonl"]
    ) { clips, _ in
        let count = try clips.sqlite3("SELECT count(*) FROM Clip WHERE title LIKE 'clip import%'")
        return count == "30" ? nil : "\(count) clips were imported"
    }

    static let clean = Operation(
        name: "cleaning", situation: .someClips, words: ["history", "clean", "--before", "0d"]
    ) { clips, _ in
        let rest = try clips.run("history").output
        return rest.isEmpty ? nil : "there is history still: \(rest)"
    }

    static let backup = Operation(
        name: "a backup", situation: .someClips, words: ["backup", "FOLDER/backup.db"], files: "",
        shortfall: isCopied)

    static let search = Operation(
        name: "making the index", situation: .someClips, words: ["search", "clip", "--limit", "1000"],
        shortfall: allFound)

    static let searchAgain = Operation(
        name: "searching", situation: .indexed, words: search.words, shortfall: allFound)

    static let list = Operation(
        name: "listing", situation: .someClips, words: ["list"], shortfall: allFound)

    func run(on clips: ClipsProgram, with environment: [String: String]) throws -> Shell {
        let lines = (1...30).map { "{\"title\":\"clip import \($0)\",\"url\":\"https://a.b/\($0)\"}\n" }
        try lines.joined().write(
            toFile: clips.folder.path(of: "import.jsonl"), atomically: false, encoding: .utf8)
        let words = words.map { $0.replacingOccurrences(of: "FOLDER", with: clips.folder.path) }
        guard let input else { return try clips.run(words, with: environment) }
        let all = environment.merging(clips.environment) { $1 }
            .merging(["TMPDIR": clips.folder.path(of: "tmp")]) { $1 }
        return try Shell.run(
            "sh", ["-c", "cat | \"$@\"", "sh", ClipsProgram.path] + words, input: input, environment: all)
    }

    private static func shortfall(of count: Int, in clips: ClipsProgram, _ run: Shell) throws -> String? {
        guard run.ids.count == count else { return "\(run.ids.count) ids were printed" }
        let missing = run.ids.subtracting(try clips.ids())
        return missing.isEmpty ? nil : "\(missing) are missing"
    }

    private static let allFound: @Sendable (ClipsProgram, Shell) throws -> String? = { clips, run in
        let found = run.output.split(separator: "\n").count { !$0.hasPrefix(" ") }
        return found == Situation.clips ? nil : "\(found) clips were shown"
    }

    private static let isCopied: @Sendable (ClipsProgram, Shell) throws -> String? = { clips, _ in
        let run = try Shell.run(
            "sqlite3", [clips.folder.path(of: "backup.db")],
            input: "PRAGMA integrity_check; SELECT count(*) FROM Clip;")
        return run.output == "ok\n\(Situation.clips)\n" ? nil : "the backup: \(run.output)\(run.errors)"
    }
}
