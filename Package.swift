// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Clips",
    products: [
        .library(name: "PersistentStore", targets: ["PersistentStore"]),
        .library(name: "HistoryTracking", targets: ["HistoryTracking"]),
        .library(name: "LiveQuery", targets: ["LiveQuery"]),
        .library(name: "Mirroring", targets: ["Mirroring"]),
        .library(name: "MirrorRelay", targets: ["MirrorRelay"]),
        .library(name: "AppGroup", targets: ["AppGroup"]),
        .executable(name: "clips", targets: ["clips"]),
        .executable(name: "clips-mirror", targets: ["ClipsMirror"]),
        .executable(name: "dbhistory", targets: ["dbhistory"]),
        .executable(name: "ClipsBenchmarks", targets: ["ClipsBenchmarks"]),
    ],
    traits: [
        .trait(
            name: "FastStart",
            description: "Programs start in a millisecond, with unsafe flags of the compiler")
    ],
    targets: [
        // C that Swift cannot call directly: macros, variadics, signal handlers.
        .systemLibrary(name: "CSQLite"),
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0"),
        // Only the static library requires the last two.
        .target(
            name: "CHTMLTags", dependencies: ["CLibXML2"],
            linkerSettings: [.linkedLibrary("xml2"), .linkedLibrary("z"), .linkedLibrary("lzma")]),
        // Only `clips-mirror` requires these.
        .systemLibrary(name: "CNATS"),
        .systemLibrary(name: "CSodium"),
        .systemLibrary(name: "CZlib"),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CStemmer"),
        .target(name: "CProcess"),
        .target(name: "CSearch"),
        .target(name: "CPlatform"),
        .target(name: "CTerminal", linkerSettings: [.linkedLibrary("ncursesw"), .linkedLibrary("tinfo")]),

        // The libraries, lowest first; a module imports only modules above it in this list.
        .target(name: "Platform", dependencies: ["CPlatform"]),
        .target(name: "SQLite", dependencies: ["CSQLite", "Platform"]),
        .target(name: "AppGroup", dependencies: ["Platform"]),
        .target(name: "PersistentStore", dependencies: ["SQLite", "Platform"]),
        .target(name: "HistoryTracking", dependencies: ["PersistentStore", "AppGroup", "Platform"]),
        .target(name: "LiveQuery", dependencies: ["HistoryTracking", "PersistentStore", "Platform"]),
        .target(name: "Mirroring", dependencies: ["HistoryTracking", "PersistentStore", "Platform"]),

        // A mirror's server: NATS JetStream, and encryption.
        .target(
            name: "MirrorRelay", dependencies: ["Mirroring", "Platform", "CNATS", "CSodium", "CZlib"]),

        .target(
            name: "SearchIndex",
            dependencies: ["HistoryTracking", "PersistentStore", "SQLite", "Platform", "CSearch", "CStemmer"]),

        // The program.
        .target(
            name: "ClipsCore",
            dependencies: [
                "SearchIndex", "LiveQuery", "Mirroring", "HistoryTracking", "PersistentStore", "AppGroup",
                "Platform", "CSearch",
            ]),
        .target(
            name: "ClipsExchange",
            dependencies: [
                "ClipsCore", "SearchIndex", "PersistentStore", "SQLite", "Platform", "CHTMLTags", "CLibXML2",
            ]),
        .target(name: "BrowserHost", dependencies: ["ClipsCore", "PersistentStore", "Platform"]),
        .target(
            name: "AgentHost",
            dependencies: ["BrowserHost", "ClipsCore", "SearchIndex", "PersistentStore", "Platform"]),
        .target(name: "Terminal", dependencies: ["Platform", "CTerminal"]),
        .target(
            name: "ClipsTerminal",
            dependencies: [
                "ClipsCore", "SearchIndex", "LiveQuery", "Mirroring", "HistoryTracking", "PersistentStore",
                "Terminal", "Platform",
            ]),
        .executableTarget(
            name: "clips",
            dependencies: [
                "ClipsTerminal", "ClipsExchange", "AgentHost", "BrowserHost", "ClipsCore", "SearchIndex",
                "PersistentStore", "Terminal", "Platform", "CProcess",
            ]),

        // A separate program, so that `clips` requires none of its libraries.
        .executableTarget(
            name: "ClipsMirror",
            dependencies: [
                "MirrorRelay", "ClipsCore", "Mirroring", "PersistentStore", "Terminal", "Platform", "CMalloc",
            ]),

        // History for any SQLite database, without clips and its libraries.
        .executableTarget(
            name: "dbhistory", dependencies: ["HistoryTracking", "PersistentStore", "Platform", "CProcess"]),

        // The figures, and those of C alone on the same machine.
        .target(
            name: "CBenchmarkProbes",
            linkerSettings: [
                .linkedLibrary("sqlite3"), .linkedLibrary("ncursesw"), .linkedLibrary("tinfo"),
            ]),
        .executableTarget(
            name: "ClipsBenchmarks",
            dependencies: [
                "CBenchmarkProbes", "ClipsCore", "SearchIndex", "LiveQuery", "PersistentStore", "Platform",
                "SQLite",
            ]),

        .testTarget(
            name: "ClipsCoreTests",
            dependencies: [
                "ClipsCore", "SearchIndex", "LiveQuery", "MirrorTesting", "Mirroring", "HistoryTracking",
                "PersistentStore", "TestSupport", "clips",
            ]),
        .target(
            name: "TestSupport", dependencies: ["CSQLite", "PersistentStore"], path: "Tests/TestSupport"),
        // Another process on the same store, controlled by the tests.
        .executableTarget(
            name: "StoreWriterTool",
            dependencies: ["HistoryTracking", "PersistentStore", "SQLite", "TestSupport"],
            path: "Tests/Tools/StoreWriterTool"),
        .testTarget(name: "SQLiteTests", dependencies: ["SQLite", "TestSupport"]),
        // A member of an app group, controlled by the tests.
        .executableTarget(
            name: "GroupMemberTool", dependencies: ["AppGroup"], path: "Tests/Tools/GroupMemberTool"),
        .testTarget(name: "AppGroupTests", dependencies: ["AppGroup", "TestSupport", "GroupMemberTool"]),
        // A mirror and libnats alone, measured by ClipsBenchmarks.
        .executableTarget(
            name: "RelayTool",
            dependencies: ["ClipsCore", "MirrorRelay", "Mirroring", "PersistentStore", "CNATS"],
            path: "Tests/Tools/RelayTool"),
        .testTarget(
            name: "MirrorRelayTests",
            dependencies: [
                "MirrorRelay", "MirrorTesting", "Mirroring", "PersistentStore", "TestSupport", "CNATS",
                "CSodium",
            ]),
        .testTarget(name: "PlatformTests", dependencies: ["Platform", "TestSupport"]),
        .testTarget(
            name: "PersistentStoreTests",
            dependencies: [
                "PersistentStore", "SQLite", "Platform", "TestSupport", "StoreWriterTool",
            ]),
        .testTarget(
            name: "HistoryTrackingTests",
            dependencies: ["HistoryTracking", "PersistentStore", "TestSupport", "StoreWriterTool"]),
        .testTarget(
            name: "LiveQueryTests",
            dependencies: ["LiveQuery", "HistoryTracking", "PersistentStore", "TestSupport"]),
        // Machines with random edits, and relays that fail and forget.
        .target(
            name: "MirrorTesting", dependencies: ["Mirroring", "PersistentStore", "TestSupport"],
            path: "Tests/MirrorTesting"),
        .testTarget(
            name: "MirroringTests",
            dependencies: ["MirrorTesting", "Mirroring", "PersistentStore", "TestSupport"]),
        .testTarget(
            name: "ClipsExchangeTests",
            dependencies: ["ClipsExchange", "ClipsCore", "PersistentStore", "TestSupport", "clips"]),
        .testTarget(
            name: "SearchIndexTests",
            dependencies: ["SearchIndex", "ClipsCore", "PersistentStore", "SQLite", "TestSupport", "clips"]),
        // Untrusted input, as bytes: the same functions for the suite and for libFuzzer (`.ci/fuzz`).
        .target(
            name: "Fuzzing",
            dependencies: [
                "ClipsTerminal", "ClipsExchange", "AgentHost", "BrowserHost", "ClipsCore", "SearchIndex",
                "MirrorRelay", "Mirroring", "PersistentStore", "Platform", "SQLite", "Terminal",
            ],
            path: "Tests/Fuzzing", exclude: ["Dictionaries", "Entry", "Found", "Seeds"]),
        .testTarget(name: "FuzzingTests", dependencies: ["Fuzzing", "TestSupport"]),
        .testTarget(
            name: "ArchitectureTests", dependencies: ["TestSupport"], exclude: ["banned-words.txt"]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "ClipsCore", "PersistentStore", "TestSupport", "clips", "ClipsMirror", "dbhistory",
                "SoakTool",
            ]),
        // The writers of a soak.
        .executableTarget(
            name: "SoakTool",
            dependencies: ["ClipsCore", "PersistentStore", "SQLite", "SearchIndex", "TestSupport"],
            path: "Tests/Tools/SoakTool"),
        // Failing and full disks, killed processes, and many processes; the tests compile the shim.
        .testTarget(
            name: "FaultTests",
            dependencies: [
                "SearchIndex", "ClipsCore", "PersistentStore", "TestSupport", "StoreWriterTool", "clips",
            ],
            exclude: ["Shim"]),
        .testTarget(
            name: "BrowserHostTests", dependencies: ["BrowserHost", "ClipsCore", "TestSupport", "clips"]),
        .testTarget(
            name: "AgentHostTests",
            dependencies: [
                "AgentHost", "BrowserHost", "ClipsCore", "LiveQuery", "PersistentStore", "TestSupport",
                "clips",
            ]),
        // Headless browsers with the extension.
        .target(name: "BrowserDriver", dependencies: ["TestSupport"], path: "Tests/BrowserDriver"),
        .executableTarget(
            name: "BrowserTool", dependencies: ["BrowserDriver", "TestSupport"],
            path: "Tests/Tools/BrowserTool"),
        .testTarget(name: "BrowserTests", dependencies: ["BrowserDriver", "TestSupport", "clips"]),
        .testTarget(name: "TerminalTests", dependencies: ["Terminal", "TestSupport"]),
        .testTarget(
            name: "ClipsTerminalTests",
            dependencies: [
                "ClipsTerminal", "ClipsCore", "LiveQuery", "Mirroring", "HistoryTracking", "PersistentStore",
                "Platform", "SearchIndex", "Terminal", "TestSupport",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),  // SE-0335
        .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
        .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
    ]
}

// Without the first flag, the first use of each generic type searches all conformances of the program; the second one
// lets the linker order functions. The commands that build programs enable the trait; a dependent gets no unsafe flags.
for target in package.targets where target.type != .system {
    target.swiftSettings?.append(
        .unsafeFlags(
            [
                "-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors",
                "-Xfrontend", "-function-sections",
            ],
            .when(configuration: .release, traits: ["FastStart"])))
}

// A program that starts in a millisecond, with what it uses in neighboring pages. `ClipsBenchmarks --order` writes the
// file; the linker skips names that no longer exist.
for target in package.targets where ["clips", "ClipsBenchmarks"].contains(target.name) {
    let order = "--symbol-ordering-file=\(Context.packageDirectory)/Assets/clips.order"
    target.swiftSettings?.append(.unsafeFlags(["-static-executable"], .when(configuration: .release)))
    target.linkerSettings = [
        .unsafeFlags(
            [
                "-static-executable", "-use-ld=lld", "-Xlinker", order, "-Xlinker",
                "--no-warn-symbol-ordering",
            ],
            .when(configuration: .release))
    ]
}

// lld prints no warning about getgrnam_r in a static program.
for target in package.targets where target.name == "dbhistory" {
    target.swiftSettings?.append(.unsafeFlags(["-static-executable"], .when(configuration: .release)))
    target.linkerSettings = [
        .unsafeFlags(["-static-executable", "-use-ld=lld"], .when(configuration: .release))
    ]
}

// A program that requires Debian's libraries only.
for target in package.targets where target.name == "ClipsMirror" {
    target.swiftSettings?.append(.unsafeFlags(["-static-stdlib"], .when(configuration: .release)))
    target.linkerSettings = [.unsafeFlags(["-static-stdlib"], .when(configuration: .release))]
}
