import Foundation
import TestSupport
import Testing

/// The built `dbhistory` with a database of its own.
struct DBHistoryProgram {
    let folder: TemporaryFolder
    let database: String

    static let path = URL(fileURLWithPath: ClipsProgram.path).deletingLastPathComponent()
        .appendingPathComponent("dbhistory").path

    init(_ sql: String = "") throws {
        folder = try TemporaryFolder()
        database = folder.path(of: "app.db")
        try self.sql(sql)
    }

    @discardableResult
    func sql(_ sql: String) throws -> String {
        let shell = try Shell.run("sqlite3", ["-cmd", ".timeout 20000", database], input: sql)
        try #require(shell.errors.isEmpty, "\(shell.errors)")
        return shell.output
    }

    func dump() throws -> String { try sql(".dump") }

    /// Runs a command on the database, which must succeed.
    @discardableResult
    func run(_ command: String, _ words: String..., input: String = "") throws -> String {
        let shell = try Shell.run(Self.path, [command, database] + words, input: input)
        try #require(shell.status == 0, "\(command): \(shell.errors)")
        return shell.output
    }

    func fails(_ command: String, _ words: String...) throws -> String {
        let shell = try Shell.run(Self.path, [command, database] + words)
        #expect(
            shell.status == 2 && shell.errors.hasPrefix("dbhistory: ") && shell.errors.count(of: "\n") == 1)
        return shell.errors
    }

    func start(_ command: String, _ words: String...) throws -> LineProcess {
        try LineProcess(Self.path, [command, database] + words)
    }

    /// A program of the database's owner.
    func python(_ script: String, _ words: String...) throws -> LineProcess {
        try LineProcess("python3", ["-u", "-c", script, database] + words)
    }
}

/// A line of `--format jsonl`.
struct ChangeLine: Decodable {
    let op: String
    let table: String
    let key: [String: Field]?
    let before: [String: Field]?
    let after: [String: Field]?
    let change: Int64?
    let transaction: Int64?
    let author: String?

    init(_ line: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(line.utf8)) }

    enum Field: Decodable, Hashable {
        case null
        case number(Double)
        case text(String)
        case blob(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else {
                self = .blob(try container.decode([String: String].self)["base64"] ?? "")
            }
        }
    }
}

/// A copy of the tables that knows the lines only. A repeated line changes nothing.
struct LineReplica {
    var tables: [String: [[String: ChangeLine.Field]: [String: ChangeLine.Field]]] = [:]

    mutating func apply(_ line: ChangeLine) throws {
        switch line.op {
        case "truncate": tables[line.table] = [:]
        case "delete":
            let key = try #require(line.key)
            tables[line.table]?[key] = nil
        default:
            let (key, row) = (try #require(line.key), try #require(line.after))
            tables[line.table, default: [:]][key] = row
        }
    }
}

extension String {
    func count(of part: Character) -> Int { reduce(0) { $0 + ($1 == part ? 1 : 0) } }
}
