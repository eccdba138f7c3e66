// swift-tools-version: 6.2

import PackageDescription

// A program outside this repository, with only the libraries' public interface.
let package = Package(
    name: "ClientPackage",
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
