// swift-tools-version: 6.2

import PackageDescription

// Somebody else's program: it has the libraries' public interface and nothing more.
let package = Package(
    name: "StrangerPackage",
    dependencies: [.package(name: "Clips", path: "../..")],
    targets: [
        .executableTarget(
            name: "Ledger",
            dependencies: [
                .product(name: "PersistentStore", package: "Clips"),
                .product(name: "HistoryTracking", package: "Clips"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
