import Foundation
import Testing

/// The allowed dependencies between modules, checked on every import line.
@Suite struct ImportTests {
    /// The modules of this package that each module may import; all are below it.
    static let arrows: [String: Set<String>] = [
        "SQLite": ["CSQLite"],
        "Platform": ["CPlatform"],
        "AppGroup": ["Platform"],
        "PersistentStore": ["SQLite", "Platform"],
        "HistoryTracking": ["PersistentStore", "AppGroup"],
        "SearchIndex": ["HistoryTracking", "PersistentStore", "SQLite", "CSearch"],
        "ClipsCore": ["CSearch", "SearchIndex", "HistoryTracking", "PersistentStore", "AppGroup"],
        "ClipsExchange": ["CHTMLTags", "ClipsCore", "PersistentStore"],
        "Terminal": ["CTerminal"],
        "ClipsTerminal": ["ClipsCore", "HistoryTracking", "PersistentStore", "Terminal"],
        "clips": [
            "ClipsTerminal", "ClipsExchange", "ClipsCore", "SearchIndex", "HistoryTracking",
            "PersistentStore", "Terminal", "CProcess", "AppGroup",
        ],
        "ClipsBenchmarks": [
            "ClipsCore", "SearchIndex", "HistoryTracking", "PersistentStore", "Platform", "SQLite",
            "CBenchmarkProbes",
        ],
    ]

    /// The system modules. All of Foundation would add milliseconds to the start of a process.
    static let toolchain: Set<String> = ["FoundationEssentials", "Glibc", "Dispatch", "Synchronization"]

    @Test(arguments: arrows.keys.sorted())
    func `a module imports only modules below it`(module: String) throws {
        for file in try SourceFile.all(in: "Sources/\(module)") {
            for name in file.imports {
                #expect(
                    Self.toolchain.contains(name) || Self.arrows[module, default: []].contains(name),
                    "\(file.path) imports \(name)")
            }
        }
    }

    @Test func `every module with Swift files has its dependencies here`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: SourceFile.root + "/Sources")
        let modules = try folders.filter { try !SourceFile.all(in: "Sources/\($0)").isEmpty }
        #expect(Set(modules) == Set(Self.arrows.keys))
    }

    @Test func `imports are found in every spelling`() {
        let text = """
            import A
            package import B
            @preconcurrency public import C
            import struct D.E
              import F
            // import G
            let text = "import H"
            """
        #expect(SourceFile(path: "", text: text).imports == ["A", "B", "C", "D", "F"])
    }

    @Test func `dependencies have no cycle`() {
        var levels: [String: Int] = [:]
        func level(_ module: String, _ path: [String]) -> Int {
            if let known = levels[module] { return known }
            guard !path.contains(module) else {
                Issue.record("cycle: \(path)")
                return 0
            }
            let below = Self.arrows[module, default: []].map { level($0, path + [module]) }
            levels[module] = (below.max() ?? -1) + 1
            return levels[module] ?? 0
        }
        for module in Self.arrows.keys { _ = level(module, []) }
    }
}
