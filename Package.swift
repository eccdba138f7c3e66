// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Clips",
    products: [
        .library(name: "PersistentStore", targets: ["PersistentStore"]),
        .library(name: "HistoryTracking", targets: ["HistoryTracking"]),
        .executable(name: "clips", targets: ["clips"]),
        .executable(name: "ClipsBenchmarks", targets: ["ClipsBenchmarks"]),
    ],
    targets: [
        // What Swift cannot say to C: macros, variadics, signal handlers.
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "CTerminal", linkerSettings: [.linkedLibrary("ncursesw"), .linkedLibrary("tinfo")]),

        // The libraries, lowest first; a module imports only what stands above it in this list.
        .target(name: "SQLite", dependencies: ["CSQLite"]),
        .target(name: "FileWatch"),
        .target(name: "AppGroup"),
        .target(name: "PersistentStore", dependencies: ["SQLite", "FileWatch"]),
        .target(name: "HistoryTracking", dependencies: ["PersistentStore"]),

        // The program.
        .target(name: "ClipsCore", dependencies: ["HistoryTracking", "PersistentStore", "AppGroup"]),
        .target(name: "Terminal", dependencies: ["CTerminal"]),
        .target(
            name: "ClipsTerminal",
            dependencies: ["ClipsCore", "HistoryTracking", "PersistentStore", "Terminal"]),
        .executableTarget(
            name: "clips",
            dependencies: [
                "ClipsTerminal", "ClipsCore", "HistoryTracking", "PersistentStore", "AppGroup", "Terminal",
            ]),
        .executableTarget(
            name: "ClipsBenchmarks", dependencies: ["ClipsCore", "HistoryTracking", "PersistentStore"]),

        .target(name: "TestSupport", path: "Tests/TestSupport"),
        .testTarget(name: "PersistentStoreTests", dependencies: ["PersistentStore", "TestSupport"]),
        .testTarget(
            name: "ClipsCoreTests",
            dependencies: ["ClipsCore", "HistoryTracking", "PersistentStore", "TestSupport"]),
        .testTarget(name: "ArchitectureTests"),
        .testTarget(name: "EndToEndTests", dependencies: ["TestSupport", "clips"]),
        .testTarget(name: "TerminalTests", dependencies: ["Terminal", "CTerminal"]),
        .testTarget(
            name: "ClipsTerminalTests",
            dependencies: ["ClipsTerminal", "ClipsCore", "PersistentStore", "Terminal", "TestSupport"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),  // SE-0335
        .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
        .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    ]
}

for target in package.targets where target.type == .executable {
    target.swiftSettings?.append(.unsafeFlags(["-static-executable"], .when(configuration: .release)))
    target.linkerSettings = [.unsafeFlags(["-static-executable"], .when(configuration: .release))]
}
