import Foundation

/// A StoreWriterTool: our own library in another process.
package struct StoreWriterProcess: Sendable {
    package let process: LineProcess

    /// Beside the running test bundle.
    package static let path: String = {
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: bundle).deletingLastPathComponent()
            .appendingPathComponent("StoreWriterTool").path
    }()

    /// Starts it; it has the store open when this returns.
    package init(_ store: String, author: String, durability: String = "normal", version: Int = 1) throws {
        process = try LineProcess(Self.path, [store, author, durability, String(version)])
        let greeting = try process.answer()
        guard greeting == "ready" else { throw LineProcess.NoAnswer() }
    }

    package func ask(_ line: String) throws -> String { try process.ask(line) }
}
