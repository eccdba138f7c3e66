import Foundation

/// One Swift file of the project, as text.
struct SourceFile {
    let path: String
    let text: String

    /// The package's folder, relative to this file.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    static func all(in folder: String) throws -> [SourceFile] {
        let names = FileManager.default.enumerator(atPath: root + "/" + folder)?.allObjects as? [String] ?? []
        return try names.filter { $0.hasSuffix(".swift") }.sorted().map { name in
            let path = "\(folder)/\(name)"
            return SourceFile(
                path: path, text: try String(contentsOfFile: root + "/" + path, encoding: .utf8))
        }
    }

    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    /// The modules named by import declarations.
    var imports: [String] {
        lines.compactMap { line in
            let words = line.split { $0 == " " || $0 == "\t" }
            let attributes = words.prefix { $0.hasPrefix("@") || Self.accessLevels.contains($0) }
            let rest = words.dropFirst(attributes.count)
            guard rest.first == "import",
                let name = rest.dropFirst().first(where: { !Self.kinds.contains($0) })
            else { return nil }
            return String(name.prefix { $0 != "." })
        }
    }

    private static let accessLevels: Set<Substring> = [
        "public", "package", "internal", "fileprivate", "private",
    ]
    private static let kinds: Set<Substring> = [
        "struct", "class", "enum", "protocol", "func", "var", "let", "typealias",
    ]
}
