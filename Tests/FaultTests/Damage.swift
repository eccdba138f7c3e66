import Foundation
import TestSupport

/// Damage to files that no process has open.
enum Damage {
    static let pageSize = 4096

    /// Overwrites the first page of a table or index in the store's file.
    static func page(of name: String, in clips: ClipsProgram) throws {
        let answer = try clips.sqlite3(
            "PRAGMA wal_checkpoint(TRUNCATE); SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'")
        guard let page = answer.split(separator: "\n").last.flatMap({ Int($0) }) else {
            throw ShellError(description: "there is no \(name)")
        }
        try overwrite(page - 1, of: clips.storePath)
    }

    private static func overwrite(_ page: Int, of path: String) throws {
        try change(path) { bytes in
            let range = page * pageSize..<min((page + 1) * pageSize, bytes.count)
            bytes.replaceSubrange(range, with: repeatElement(0x5A, count: range.count))
        }
    }

    enum Kind: String, CaseIterable, Sendable {
        case page, bytes, cutOff, emptied, text

        func harm(_ path: String, _ random: inout SeededRandom) throws {
            var copy = random
            defer { random = copy }
            try Damage.change(path) { bytes in
                switch self {
                case .page where bytes.count > pageSize:
                    let start = Int.random(in: 0..<(bytes.count / pageSize), using: &copy) * pageSize
                    bytes.replaceSubrange(
                        start..<start + pageSize, with: repeatElement(0x5A, count: pageSize))
                case .page, .bytes:
                    for _ in 0..<20 where !bytes.isEmpty {
                        bytes[Int.random(in: 0..<bytes.count, using: &copy)] = UInt8.random(
                            in: .min ... .max, using: &copy)
                    }
                case .cutOff: bytes.removeLast(Int.random(in: 0...bytes.count, using: &copy))
                case .emptied: bytes.removeAll()
                case .text: bytes = Data(String(repeating: "no database at all ", count: 300).utf8)
                }
            }
        }
    }

    private static func change(_ path: String, _ body: (inout Data) -> Void) throws {
        let url = URL(fileURLWithPath: path)
        var bytes = try Data(contentsOf: url)
        body(&bytes)
        let file = try FileHandle(forWritingTo: url)
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: bytes)
        try file.close()
    }
}
