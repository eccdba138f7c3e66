import Foundation

/// One target, as Package.swift declares it.
struct PackageTarget {
    /// `target`, `executableTarget`, `testTarget`, or `systemLibrary`.
    let kind: Substring
    let name: String
    let folder: String
    let dependencies: Set<String>

    static func all() throws -> [PackageTarget] {
        all(in: try String(contentsOfFile: SourceFile.root + "/Package.swift", encoding: .utf8))
    }

    static func all(in text: String) -> [PackageTarget] {
        let heads = text.matches(of: /\.(target|executableTarget|testTarget|systemLibrary)\(\s*name: "(\w+)"/)
        return heads.indices.map { index in
            let end = index + 1 < heads.count ? heads[index + 1].range.lowerBound : text.endIndex
            let rest = text[heads[index].range.upperBound..<end]
            let (kind, name) = (heads[index].output.1, String(heads[index].output.2))
            let path = rest.firstMatch(of: /path: "([^"]*)"/)?.output.1
            let names = rest.firstMatch(of: /dependencies: \[([^\]]*)\]/)?.output.1 ?? ""
            return PackageTarget(
                kind: kind, name: name,
                folder: path.map(String.init) ?? (kind == "testTarget" ? "Tests/" : "Sources/") + name,
                dependencies: Set(names.matches(of: /"(\w+)"/).map { String($0.output.1) }))
        }
    }
}
