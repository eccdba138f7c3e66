import Foundation

/// A StoreWriterTool: this library in another process.
package struct StoreWriterProcess: Sendable {
    package let process: LineProcess

    /// In the folder of the running test bundle.
    package static let path: String = {
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: bundle).deletingLastPathComponent()
            .appendingPathComponent("StoreWriterTool").path
    }()

    /// Starts it and waits until it has opened the store.
    package init(_ store: String, author: String, durability: String = "normal", version: Int = 1) throws {
        process = try LineProcess(Self.path, [store, author, durability, String(version)])
        let greeting = try process.answer()
        guard greeting == "ready" else { throw LineProcess.NoAnswer() }
    }

    package func ask(_ line: String) throws -> String { try process.ask(line) }
}
