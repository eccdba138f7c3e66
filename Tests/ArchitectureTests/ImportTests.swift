import Foundation
import Testing

/// The dependencies between modules: the import lines, Package.swift, and the arrows here must agree.
@Suite struct ImportTests {
    /// The modules of this package that each module imports; all are below it.
    static let arrows: [String: Set<String>] = [
        "Platform": ["CPlatform"],
        "SQLite": ["Platform", "CSQLite"],
        "AppGroup": ["Platform"],
        "PersistentStore": ["SQLite", "Platform"],
        "HistoryTracking": ["PersistentStore", "AppGroup", "Platform"],
        "LiveQuery": ["HistoryTracking", "PersistentStore", "Platform"],
        "Mirroring": ["HistoryTracking", "PersistentStore", "Platform"],
        "MirrorRelay": ["Mirroring", "Platform", "CNATS", "CSodium", "CZlib"],
        "SearchIndex": ["HistoryTracking", "PersistentStore", "SQLite", "Platform", "CSearch", "CStemmer"],
        "ClipsCore": [
            "SearchIndex", "LiveQuery", "Mirroring", "HistoryTracking", "PersistentStore", "AppGroup",
            "Platform", "CSearch",
        ],
        "ClipsExchange": [
            "ClipsCore", "SearchIndex", "PersistentStore", "SQLite", "Platform", "CHTMLTags", "CLibXML2",
        ],
        "BrowserHost": ["ClipsCore", "PersistentStore", "Platform"],
        "AgentHost": ["BrowserHost", "ClipsCore", "SearchIndex", "PersistentStore", "Platform"],
        "Terminal": ["Platform", "CTerminal"],
        "ClipsTerminal": [
            "ClipsCore", "SearchIndex", "LiveQuery", "Mirroring", "HistoryTracking", "PersistentStore",
            "Terminal", "Platform",
        ],
        "clips": [
            "ClipsTerminal", "ClipsExchange", "AgentHost", "BrowserHost", "ClipsCore", "SearchIndex",
            "PersistentStore", "Terminal", "Platform", "CProcess",
        ],
        "ClipsMirror": [
            "MirrorRelay", "ClipsCore", "Mirroring", "PersistentStore", "Terminal", "Platform", "CMalloc",
        ],
        "dbhistory": ["HistoryTracking", "PersistentStore", "Platform", "CProcess"],
        "ClipsBenchmarks": [
            "ClipsCore", "SearchIndex", "LiveQuery", "PersistentStore", "SQLite", "Platform",
            "CBenchmarkProbes",
        ],
    ]

    /// The system modules. All of Foundation would add milliseconds to the start of a process.
    static let toolchain: Set<String> = [
        "FoundationEssentials", "Glibc", "Musl", "Dispatch", "Synchronization",
    ]

    @Test(arguments: arrows.keys.sorted())
    func `a module imports the modules on its arrows, and no other`(module: String) throws {
        var unused = Self.arrows[module, default: []]
        for file in try SourceFile.all(in: "Sources/\(module)") {
            for name in file.imports {
                #expect(
                    Self.toolchain.contains(name) || Self.arrows[module, default: []].contains(name),
                    "\(file.path) imports \(name)")
                unused.remove(name)
            }
        }
        #expect(unused.isEmpty, "no file of \(module) imports \(unused.sorted())")
    }

    @Test func `Package.swift declares the arrows`() throws {
        let declared = try PackageTarget.all()
        for (module, arrows) in Self.arrows {
            #expect(declared.first { $0.name == module }?.dependencies == arrows, "\(module)")
        }
    }

    private static func modules(of program: String) -> Set<String> {
        var reached: Set = [program]
        while true {
            let next = reached.union(reached.flatMap { arrows[$0, default: []] })
            guard next != reached else { return reached }
            reached = next
        }
    }

    @Test func `dbhistory requires no module of clips, of the terminal, or of a mirror`() {
        let expected: Set = [
            "dbhistory", "HistoryTracking", "PersistentStore", "SQLite", "AppGroup", "Platform", "CPlatform",
            "CSQLite", "CProcess",
        ]
        #expect(Self.modules(of: "dbhistory") == expected)
    }

    @Test func `clips requires no module of the mirror's server`() throws {
        let reached = Self.modules(of: "clips")
        #expect(reached.isDisjoint(with: ["MirrorRelay", "ClipsMirror", "CNATS", "CSodium"]))
        #expect(reached.contains("Mirroring"))
    }

    @Test func `a test target declares the modules that it imports, and no other`() throws {
        let targets = try PackageTarget.all()
        let executables = Set(targets.filter { $0.kind == "executableTarget" }.map(\.name))
        for target in targets where target.folder.hasPrefix("Tests/") {
            let imported = Set(try SourceFile.all(in: target.folder).flatMap(\.imports))
                .intersection(targets.map(\.name)).subtracting([target.name])
            // Programs are declared to be run.
            #expect(target.dependencies.subtracting(executables) == imported, "\(target.name)")
        }
    }

    @Test func `the targets of a package are read from its text`() {
        let text = """
                products: [ .library(name: "A", targets: ["A"]) ],
                .systemLibrary(name: "C", providers: [.apt(["c-dev"])]),
                .target(name: "A"),
                .testTarget(
                    name: "B",
                    dependencies: [
                        "A", "C",
                    ], path: "Tests/Other/B"),
            """
        let targets = PackageTarget.all(in: text)
        #expect(targets.map(\.name) == ["C", "A", "B"])
        #expect(targets.map(\.dependencies) == [[], [], ["A", "C"]])
        #expect(targets.map(\.folder) == ["Sources/C", "Sources/A", "Tests/Other/B"])
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
