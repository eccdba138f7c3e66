import Foundation
import Fuzzing

/// The seeds, dictionaries, and findings, which libFuzzer reads as well.
enum FuzzFiles {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fuzzing")

    static func seeds(_ target: FuzzTarget) throws -> [[UInt8]] { try files("Seeds/\(target.rawValue)") }
    static func found(_ target: FuzzTarget) throws -> [[UInt8]] { try files("Found/\(target.rawValue)") }

    /// The words of a dictionary: quoted, bytes as `\x1b` (llvm.org/docs/LibFuzzer.html#dictionaries).
    static func words(_ target: FuzzTarget) throws -> [[UInt8]] {
        let path = folder.appendingPathComponent("Dictionaries/\(target.rawValue)")
        return try String(contentsOf: path, encoding: .utf8).split(separator: "\n").map { line in
            var bytes: [UInt8] = []
            var rest = Array(line.utf8.dropFirst().dropLast())[...]
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "\\"), let next = rest.popFirst() else {
                    bytes.append(byte)
                    continue
                }
                let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                guard next == UInt8(ascii: "x"), let value = UInt8(digits, radix: 16) else {
                    bytes.append(next)
                    continue
                }
                bytes.append(value)
                rest = rest.dropFirst(2)
            }
            return bytes
        }
    }

    private static func files(_ name: String) throws -> [[UInt8]] {
        let path = folder.appendingPathComponent(name)
        guard FileManager.default.fileExists(atPath: path.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(at: path, includingPropertiesForKeys: nil)
            .sorted { $0.path < $1.path }.map { [UInt8](try Data(contentsOf: $0)) }
    }
}
