// swift-tools-version: 6.2

import PackageDescription

let libraries = ["PersistentStore", "HistoryTracking", "LiveQuery", "Mirroring", "AppGroup"].map {
    Target.Dependency.product(name: $0, package: "Clips")
}

// Programs outside this repository, with only the libraries' public interface.
let package = Package(
    name: "ClientPackage",
    dependencies: [.package(name: "Clips", path: "../..")],
    targets: [
        .executableTarget(name: "Ledger", dependencies: libraries),
        // The programs of the article "Getting started".
        .target(name: "Jobs", dependencies: libraries),
        // The program of the article "An existing database".
        .executableTarget(name: "audit", dependencies: libraries),
        .executableTarget(name: "submit", dependencies: ["Jobs"] + libraries),
        .executableTarget(name: "worker", dependencies: ["Jobs"] + libraries),
    ],
    swiftLanguageModes: [.v6]
)
